// A restart makes files, directories and FIFOs that had lost their names again, without names. If their former place
// still exists, they are made there, so that they belong to the same file system and take no memory.
#pragma once
#include <sys/stat.h>

#include <string>

namespace mana::descriptors {

struct made_file {
  int fd;                                // -1: errno says why
  std::string elsewhere = {};            // its place, as text, if it is not the former place
};

/// For reading and writing, of mode 0600. The file is made in its former place, since a large file may not fit into
/// memory. If that fails, it is made where temporary files go, else in memory. /proc shows the former name, unless
/// another file has the name now.
/// in: path         as /proc says it, "/directory/name (deleted)"
///     may_be_named  it can be given a name (linkat), since it never had one (O_TMPFILE)
made_file make_nameless_file(const std::string& path, bool may_be_named);

/// path: as above. -1: errno says why. Neither function leaves a name behind.
int make_nameless_directory(const std::string& path, mode_t mode);
int make_nameless_fifo(const std::string& path, mode_t mode);    // for reading and writing, without waiting

/// A file that was deleted on another machine's file system (NFS, FUSE), which keeps it under a name of its own until
/// it is closed.
bool is_hidden_rest(const std::string& path);

/// Another name of the file, in the same directory; empty: none.
std::string other_name(const std::string& path, const struct stat& s);

}  // namespace mana::descriptors
