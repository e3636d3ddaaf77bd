// Directories and files of this user alone, reached by descriptors: what somebody else may have put in their place, or might
// yet, is refused by name.
//
// INV-33 no step in a directory of checkpoints follows a link, waits for a FIFO, touches a device, or writes to a file that
// was there: names are looked up in open directories, and what they name is looked at before it is used.
#pragma once
#include <runtime/files/descriptor.hpp>
#include <runtime/files/image_error.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mana::files {

class own_directory {
 public:
  /// A directory as a user names it. Links on the way are followed as the kernel does where it protects them: those in a
  /// sticky directory that all can write only if they are ours or of that directory's owner.
  /// errors: image_error (missing, not_own, io). not_own: on the way is a directory that all can write and that is not
  ///         sticky; or the directory is of another user
  static own_directory open(const std::string& path);
  /// The same; what is missing is made, 0700 whatever the umask, and durable.
  static own_directory make(const std::string& path);
  /// A directory whose way was looked at before: its last name is no link, and it is ours.
  /// errors: image_error (missing, not_own, io)
  static own_directory at(const std::string& path);

  const std::string& path() const noexcept { return path_; }
  std::string path_of(const std::string& name) const { return path_ + "/" + name; }
  int get() const noexcept { return fd_.get(); }

  /// errors: as at()
  own_directory open_directory(const std::string& name) const;
  /// A new one, 0700.     errors: image_error (io)
  own_directory make_directory(const std::string& name) const;

  /// A regular file of ours, for reading.     errors: image_error (missing, not_own, io)
  descriptor open_file(const std::string& name) const;
  /// A new one, 0600, for reading and writing.            errors: image_error (io)
  descriptor make_file(const std::string& name) const;
  /// A file of ours for reading and writing, which is made 0600 if it is missing.     errors: as open_file()
  descriptor open_or_make_file(const std::string& name) const;
  /// All of a file.     in: most  bytes      errors: as open_file(); damaged if it has more
  std::string read_file(const std::string& name, std::uint64_t most) const;
  /// A new file, 0600, whose bytes are durable; its name is not before sync(). A part of one is removed.
  /// errors: image_error (io)
  void write_file(const std::string& name, const std::string& bytes) const;
  /// Bytes of a regular file of ours.         errors: as open_file()
  std::uint64_t file_bytes(const std::string& name) const;

  /// Something has this name.                 errors: image_error (io)
  bool has(const std::string& name) const;
  /// A directory, not a link to one, has this name.      errors: image_error (io)
  bool has_directory(const std::string& name) const;
  /// All but "." and "..".                    errors: image_error (io)
  std::vector<std::string> names() const;
  /// errors: image_error (io)
  void rename(const std::string& from, const std::string& to) const;
  /// out: false if it could not be removed, for which errno has the reason, or was not there. Links are removed, not followed.
  bool remove(const std::string& name) const noexcept;
  bool remove_directory(const std::string& name) const noexcept;
  /// What was made, renamed and removed here is durable.      errors: image_error (io)
  void sync() const;

 private:
  own_directory(descriptor fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}
  static own_directory walk(const std::string& path, bool make);

  descriptor fd_;
  std::string path_;
};

/// A regular file of ours, for reading, by its path: its directory's last name and its own are no links.
/// errors: image_error (missing, not_own, io)
descriptor open_own_file(const std::string& path);

/// Of a path: what is before its last slash ("." if there is none), and behind it.
std::string directory_of(const std::string& path);
std::string name_of(const std::string& path);

}  // namespace mana::files
