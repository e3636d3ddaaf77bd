// Directories and files of this user alone, reached by descriptors. Anything that another user put in their place, or
// could put there, is refused by name.
//
// INV-33 no step in a directory of checkpoints follows a link, waits for a FIFO, touches a device, or writes to an
// existing file. Names are looked up in open directories, and an entry is examined before it is used.
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
  /// A directory as a user names it. Links on the way are followed as a kernel with protected_symlinks does: in a
  /// sticky directory that all can write, only links of this user or of the directory's owner.
  /// errors: image_error (missing, not_own, io). not_own: a directory on the way can be written by all and is not
  ///         sticky, or the directory belongs to another user
  static own_directory open(const std::string& path);
  /// The same. Missing directories are made, durable and with mode 0700 whatever the umask.
  static own_directory make(const std::string& path);
  /// A directory whose path was examined before. Its last name must not be a link, and the directory must be this
  /// user's.
  /// errors: image_error (missing, not_own, io)
  static own_directory at(const std::string& path);

  const std::string& path() const noexcept { return path_; }
  std::string path_of(const std::string& name) const { return path_ + "/" + name; }
  int get() const noexcept { return fd_.get(); }

  /// errors: as at()
  own_directory open_directory(const std::string& name) const;
  /// A new directory, 0700.     errors: image_error (io)
  own_directory make_directory(const std::string& name) const;

  /// A regular file of this user, for reading.     errors: image_error (missing, not_own, io)
  descriptor open_file(const std::string& name) const;
  /// A new file, 0600, for reading and writing.            errors: image_error (io)
  descriptor make_file(const std::string& name) const;
  /// A file of this user for reading and writing. A missing file is made, 0600.     errors: as open_file()
  descriptor open_or_make_file(const std::string& name) const;
  /// The contents of a file.     in: most  bytes      errors: as open_file(); damaged if the file is larger
  std::string read_file(const std::string& name, std::uint64_t most) const;
  /// Writes a new file, 0600, whose bytes are durable. Its name is durable after sync(). After an error the part is
  /// removed.
  /// errors: image_error (io)
  void write_file(const std::string& name, const std::string& bytes) const;
  /// Size in bytes of a regular file of this user.         errors: as open_file()
  std::uint64_t file_bytes(const std::string& name) const;

  /// An entry has this name.                 errors: image_error (io)
  bool has(const std::string& name) const;
  /// A directory, not a link to one, has this name.      errors: image_error (io)
  bool has_directory(const std::string& name) const;
  /// All names except "." and "..".                    errors: image_error (io)
  std::vector<std::string> names() const;
  /// errors: image_error (io)
  void rename(const std::string& from, const std::string& to) const;
  /// out: false: missing, or it could not be removed and errno says why. Links are removed, not followed.
  bool remove(const std::string& name) const noexcept;
  bool remove_directory(const std::string& name) const noexcept;
  /// Makes entries that were made, renamed and removed here durable.      errors: image_error (io)
  void sync() const;

 private:
  own_directory(descriptor fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}
  static own_directory walk(const std::string& path, bool make);

  descriptor fd_;
  std::string path_;
};

/// A regular file of this user, for reading, by its path. The directory's last name and the file's name must not be
/// links.
/// errors: image_error (missing, not_own, io)
descriptor open_own_file(const std::string& path);

/// The parts of a path before its last slash ("." if it has none), and after it.
std::string directory_of(const std::string& path);
std::string name_of(const std::string& path);

}  // namespace mana::files
