// Files that ranks make together, each beside the rank's image on its node: parity, and images that are rebuilt from
// parity (docs/design/redundancy.md).
//
// INV-55 a file that ranks make together has a temporary name until all of them have agreed that it is intact. Only
// then a sidecar names its parity. A file under its own name was therefore intact once.
#pragma once
#include <runtime/files/own_directory.hpp>
#include <runtime/store/nodes/local_sidecar.hpp>

#include <cstdint>
#include <string>

namespace mana::store {

/// The name of the file beside rank_file_name(rank).
std::string parity_file_name(std::uint32_t rank);
/// The name of the file until it is finished.
std::string temporary_name(const std::string& name);

/// A file, open for reading and writing. This object removes a new file unless finish() has named it.
class shared_work_file {
 public:
  /// Makes a new file, in place of an earlier try's under the same temporary name. Makes the generation's directory if
  /// it is missing.
  /// in:     directory  of this node's images
  /// errors: store_error (unwritable, not_own)
  static shared_work_file make(const std::string& directory, std::uint64_t generation, const std::string& name);
  /// Opens the file of this name, or makes a new one.     errors: store_error (unreadable, not_own)
  static shared_work_file open_or_make(const std::string& directory, std::uint64_t generation, const std::string& name);

  shared_work_file(shared_work_file&&) noexcept = default;
  shared_work_file& operator=(shared_work_file&&) = delete;
  ~shared_work_file();

  int get() const noexcept { return fd_.get(); }
  /// The path for messages.
  std::string path() const { return in_.path_of(name_); }
  bool was_there() const noexcept { return was_there_; }
  /// Gives a new file its name, which is not durable yet.     errors: store_error (unwritable)
  void finish();

 private:
  shared_work_file(files::own_directory in, std::string name, bool was_there);

  files::own_directory in_;
  std::string name_;
  bool was_there_;
  files::descriptor fd_;
};

/// Writes the sidecar of an image that was rebuilt. Removes an older sidecar, and the mark of a failed restart.
/// in:     is_other  some of its bytes were repaired
/// errors: store_error (damaged: a restart of the same bytes failed), and as finish_local()
void finish_rebuilt(const std::string& directory, const local_image& about, bool is_other);

}  // namespace mana::store
