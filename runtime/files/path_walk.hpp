// The way to a directory that a user names, one name after another, so that nobody else can lead it astray.
#pragma once
#include <runtime/files/descriptor.hpp>

#include <sys/stat.h>

#include <string>

namespace mana::files {

/// in:     make  what is missing is made, 0700 whatever the umask, and durable
/// out:    descriptor of the directory, which cannot be read from (O_PATH)
/// errors: image_error (missing, io); (not_own) if a directory on the way can be written by all and is not sticky, or a link
///         in a sticky one is neither ours nor its owner's
descriptor walk_to(const std::string& path, bool make);

/// A new directory of mode 0700, whatever the umask.     out: false: something has this name      errors: image_error (io)
bool make_directory_at(int directory, const char* name, const std::string& path);

/// errors: image_error (not_own) if all can rename and remove what is in this directory
void check_not_open_to_all(const struct stat& directory, const std::string& path);

}  // namespace mana::files
