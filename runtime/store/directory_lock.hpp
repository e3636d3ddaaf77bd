// Locks in a directory of checkpoints: of the whole directory, of a generation while it is written, and of the job.
//
// They are advisory locks on one file, and belong to an open file: they end with the process, however it ends.
#pragma once
#include <runtime/files/own_directory.hpp>

#include <chrono>
#include <cstdint>

namespace mana::store {

enum class lock_kind { shared, exclusive };
enum class lock_end {
  held,
  busy,          // somebody else has it
  none_here,     // the file system has no locks, or the directory is not writable
};

class directory_lock {
 public:
  static constexpr const char* file_name = "lock";      // in the directory; the first locker makes it
  /// For of_all(): a removal of checkpoints ends in an instant.
  static constexpr std::chrono::seconds removal_patience{10};

  directory_lock() = default;
  /// Exclusive for removing checkpoints, shared for relying on them.
  /// in: patience  time to wait for others
  static directory_lock of_all(const files::own_directory& directory, lock_kind kind,
                               std::chrono::milliseconds patience);
  /// For writing a generation. Does not wait.
  static directory_lock of_generation(const files::own_directory& directory, std::uint64_t number);
  /// For the job that runs there: INV-61. Does not wait.
  static directory_lock of_job(const files::own_directory& directory);
  /// Whether another process has the lock that of_generation() would take. Does not take the lock: concurrent calls do
  /// not disturb each other.
  static lock_end state_of_generation(const files::own_directory& directory, std::uint64_t number);
  /// The same for any of [begin, end), at least one: generations have locks before they have directories.
  static lock_end state_of_generations(const files::own_directory& directory, std::uint64_t begin, std::uint64_t end);

  ~directory_lock() { release(); }
  directory_lock(directory_lock&& other) noexcept = default;
  directory_lock& operator=(directory_lock&& other) noexcept;

  lock_end end() const noexcept { return end_; }
  /// The lock's descriptor; -1: not held.
  int number() const noexcept { return file_.get(); }
  /// Releases the lock also for copies of the process, which share it.
  void release() noexcept;

 private:
  directory_lock(const files::own_directory& directory, lock_kind kind, std::uint64_t at,
                 std::chrono::milliseconds patience);

  files::descriptor file_;
  std::uint64_t at_ = 0;
  lock_end end_ = lock_end::none_here;
};

}  // namespace mana::store
