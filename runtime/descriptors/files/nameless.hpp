// Files, directories and FIFOs that lost their names, made again at a restart without one: where they were if that
// place is still there, so that they are of the same file system and take no memory.
#pragma once
#include <sys/stat.h>

#include <string>

namespace mana::descriptors {

struct made_file {
  int fd;                                // -1: errno says why
  std::string elsewhere = {};            // where it is, in words, if it is not where it was
};

/// For reading and writing, of mode 0600: where it was, if that can be, as something that is large there may not fit in memory;
/// else where temporary files go, else in memory. /proc shows the name that it had, unless that is another file's by now.
/// in: path         as /proc says it, "/directory/name (deleted)"
///     may_be_named  it can be given a name (linkat), since it never had one (O_TMPFILE)
made_file make_nameless_file(const std::string& path, bool may_be_named);

/// path: as above. -1: errno says why; neither leaves anything behind.
int make_nameless_directory(const std::string& path, mode_t mode);
int make_nameless_fifo(const std::string& path, mode_t mode);    // for reading and writing, without waiting

/// A file that was deleted on another machine's file system (NFS, FUSE), which lives on under a name of that system's until it
/// is closed.
bool is_hidden_rest(const std::string& path);

/// Another name of the file, in the same directory; empty if there is none.
std::string other_name(const std::string& path, const struct stat& s);

}  // namespace mana::descriptors
