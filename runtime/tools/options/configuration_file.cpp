#include <runtime/tools/options/configuration_file.hpp>

#include <runtime/tools/options/configuration.hpp>
#include <runtime/tools/text/failure.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace mana::tools {
namespace {

struct place {
  std::string path;        // empty: none
  bool required = false;
};

place find_place(const environment& get) {
  const auto value = [&get](const char* name) {
    const char* const text = get(name);
    return std::string(text == nullptr ? "" : text);
  };
  if (const std::string named = value("MANA_CONFIG"); !named.empty()) return {named, true};
  if (const std::string home = value("XDG_CONFIG_HOME"); home.starts_with('/')) return {home + "/mana/config", false};
  if (const std::string home = value("HOME"); home.starts_with('/')) return {home + "/.config/mana/config", false};
  return {};
}

[[noreturn]] void refuse(const std::string& path, const std::string& what, const char* remedy = "") {
  throw failure(exit_status::usage, fmt::format("the configuration file {} {}", path, what), remedy);
}

struct descriptor {
  explicit descriptor(const std::string& path)
      : fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  ~descriptor() { if (fd >= 0) ::close(fd); }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  int fd;
};

/// Other users could have written a file that they can write to, so it does not count as the user's.
void check(const std::string& path, int fd) {
  struct stat about{};
  if (::fstat(fd, &about) != 0) refuse(path, fmt::format("cannot be examined: {}", std::strerror(errno)));
  if (!S_ISREG(about.st_mode)) refuse(path, "is not a regular file");
  if (about.st_uid != ::geteuid()) refuse(path, "belongs to another user", "make your own file, or use --no-config");
  if ((about.st_mode & (S_IWGRP | S_IWOTH)) != 0) refuse(path, "is writable by others", "chmod go-w");
  if (static_cast<std::uint64_t>(about.st_size) > most_configuration_bytes) refuse(path, "has more than 64 KiB");
}

std::string read_all(const std::string& path, int fd) {
  std::string text(most_configuration_bytes + 1, '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::read(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse(path, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  text.resize(done);
  return text;
}

}  // namespace

std::optional<configuration_file> find_configuration(const environment& get) {
  const place where = find_place(get);
  if (where.path.empty()) return std::nullopt;
  const descriptor file(where.path);
  if (file.fd < 0) {
    if (!where.required && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
    refuse(where.path, fmt::format("cannot be opened: {}", std::strerror(errno)),
           where.required ? "MANA_CONFIG names it" : "use --no-config to do without");
  }
  check(where.path, file.fd);
  return configuration_file{where.path, read_all(where.path, file.fd)};
}

}  // namespace mana::tools
