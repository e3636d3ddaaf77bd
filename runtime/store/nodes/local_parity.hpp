// Files of a rank beside its image on its node that are made together with other ranks: parity, and images that are
// rebuilt from parity (docs/design/redundancy.md).
//
// INV-55 a file that ranks make together has a temporary name until all of them have agreed that it is as it should be,
// and a sidecar speaks of parity only then: what a rank finds under a file's own name was whole once.
#pragma once
#include <runtime/files/own_directory.hpp>
#include <runtime/store/nodes/local_sidecar.hpp>

#include <cstdint>
#include <string>

namespace mana::store {

/// Of the file beside rank_file_name(rank).
std::string parity_file_name(std::uint32_t rank);
/// Of a file that is not what it should be yet.
std::string temporary_name(const std::string& name);

/// Open for reading and writing. A new one that finish() did not name goes with this object.
class shared_work_file {
 public:
  /// A new one; what an earlier try left under its temporary name goes. The generation's directory is made if it is
  /// missing.
  /// in:     directory  of this node's images
  /// errors: store_error (unwritable, not_own)
  static shared_work_file make(const std::string& directory, std::uint64_t generation, const std::string& name);
  /// The one that has this name, if there is one.     errors: store_error (unreadable, not_own)
  static shared_work_file open_or_make(const std::string& directory, std::uint64_t generation, const std::string& name);

  shared_work_file(shared_work_file&&) noexcept = default;
  shared_work_file& operator=(shared_work_file&&) = delete;
  ~shared_work_file();

  int get() const noexcept { return fd_.get(); }
  /// As messages should say it.
  std::string path() const { return in_.path_of(name_); }
  bool was_there() const noexcept { return was_there_; }
  /// A new one gets its name, which is not durable yet.     errors: store_error (unwritable)
  void finish();

 private:
  shared_work_file(files::own_directory in, std::string name, bool was_there);

  files::own_directory in_;
  std::string name_;
  bool was_there_;
  files::descriptor fd_;
};

/// The sidecar of an image that was rebuilt, in place of an older one, and of the mark that a restart of it failed.
/// in:     is_other  something of it was repaired
/// errors: store_error (damaged: a restart failed of the same bytes), and as finish_local()
void finish_rebuilt(const std::string& directory, const local_image& about, bool is_other);

}  // namespace mana::store
