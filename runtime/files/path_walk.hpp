// Walks to a directory that a user names, one name after another, so that no other user can redirect the walk.
#pragma once
#include <runtime/files/descriptor.hpp>

#include <sys/stat.h>

#include <string>

namespace mana::files {

/// in:     make  make missing directories, durable and with mode 0700 whatever the umask
/// out:    descriptor of the directory, which cannot be read from (O_PATH)
/// errors: image_error (missing, io, not_own). not_own: a directory on the way can be written by all and is not
///         sticky. Or a link in a sticky directory belongs neither to this user nor to the directory's owner
descriptor walk_to(const std::string& path, bool make);

/// Makes a new directory of mode 0700, whatever the umask.     out: false: the name exists  errors: image_error (io)
bool make_directory_at(int directory, const char* name, const std::string& path);

/// errors: image_error (not_own) if all users can rename and remove entries of this directory
void check_not_open_to_all(const struct stat& directory, const std::string& path);

}  // namespace mana::files
