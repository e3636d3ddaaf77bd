// Locks in a directory of checkpoints: of the whole of it, and of a generation while it is written.
//
// They are advisory locks of one file, which belong to an open file: they go with the process, however it ends.
#pragma once
#include <runtime/files/own_directory.hpp>

#include <chrono>
#include <cstdint>

namespace mana::store {

enum class lock_kind { shared, exclusive };
enum class lock_end {
  held,
  busy,          // somebody else has it
  none_here,     // this file system has no locks, or the directory cannot be written
};

class directory_lock {
 public:
  static constexpr const char* file_name = "lock";      // in the directory; made by who takes a lock

  directory_lock() = default;
  /// Of what removes checkpoints (exclusive), and of what relies on them to stay (shared).
  /// in: patience  how long to wait for others
  static directory_lock of_all(const files::own_directory& directory, lock_kind kind,
                               std::chrono::milliseconds patience);
  /// Of who writes a generation. Does not wait.
  static directory_lock of_generation(const files::own_directory& directory, std::uint64_t number);
  /// Of the job that runs there: INV-61. Does not wait.
  static directory_lock of_job(const files::own_directory& directory);
  /// Whether another one has it, as of_generation() would say; nobody who asks at the same time meets this question.
  static lock_end state_of_generation(const files::own_directory& directory, std::uint64_t number);
  /// The same, of any of [begin, end), at least one: they have locks before they have directories.
  static lock_end state_of_generations(const files::own_directory& directory, std::uint64_t begin, std::uint64_t end);

  ~directory_lock() { release(); }
  directory_lock(directory_lock&& other) noexcept = default;
  directory_lock& operator=(directory_lock&& other) noexcept;

  lock_end end() const noexcept { return end_; }
  /// Its descriptor; -1: it is not held.
  int number() const noexcept { return file_.get(); }
  /// Also for copies of the process, which share it.
  void release() noexcept;

 private:
  directory_lock(const files::own_directory& directory, lock_kind kind, std::uint64_t at,
                 std::chrono::milliseconds patience);

  files::descriptor file_;
  std::uint64_t at_ = 0;
  lock_end end_ = lock_end::none_here;
};

}  // namespace mana::store
