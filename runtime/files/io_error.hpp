// System errors that name the file.
#pragma once
#include <runtime/files/image_error.hpp>

#include <cerrno>
#include <cstring>
#include <string>

namespace mana::files {

/// A remedy for an errno of a file operation; empty: none is known.
inline const char* remedy(int error) noexcept {
  switch (error) {
    case ENOSPC: return "; free space there, or name another directory with --ckpt-dir";
    case EDQUOT: return "; your quota is used up: free space there, or name another directory with --ckpt-dir";
    case EFBIG: return "; raise the limit on the size of files (ulimit -f)";
    case EACCES:
    case EPERM: return "; give this user access";
    case EROFS: return "; name a writable directory with --ckpt-dir";
    case EMFILE:
    case ENFILE: return "; raise the limit on open files (ulimit -n)";
    case EIO: return "; the disk or its file system is at fault";
    default: return "";
  }
}

/// errno says why.
[[noreturn]] inline void throw_io(const std::string& path, const char* what) {
  const int error = errno;
  throw image_error(error_kind::io, path + ": " + what + ": " + std::strerror(error) + remedy(error));
}

}  // namespace mana::files
