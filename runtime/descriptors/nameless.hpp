// Files, directories and FIFOs that lost their names, made again at a restart without one: where they were if that
// place is still there, so that they are of the same file system and take no memory.
#pragma once
#include <sys/stat.h>

#include <string>

namespace mana::descriptors {

/// path: as /proc says it, "/directory/name (deleted)". -1: errno says why; neither leaves anything behind.
int make_nameless_file(const std::string& path);                 // for reading and writing, of mode 0600
int make_nameless_directory(const std::string& path, mode_t mode);
int make_nameless_fifo(const std::string& path, mode_t mode);    // for reading and writing, without waiting

/// Another name of the file, in the same directory; empty if there is none.
std::string other_name(const std::string& path, const struct stat& s);

}  // namespace mana::descriptors
