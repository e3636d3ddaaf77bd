#include <runtime/descriptors/base/attributes.hpp>

#include <sys/xattr.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <optional>

using nlohmann::json;

namespace mana::descriptors {

namespace {

json as_json(const timespec& time) { return {time.tv_sec, time.tv_nsec}; }
timespec as_time(const json& time) { return {time.at(0).get<time_t>(), time.at(1).get<long>()}; }

std::vector<std::string> names_of_extended(int fd) {
  std::vector<std::string> names;
  const ssize_t bytes = flistxattr(fd, nullptr, 0);
  if (bytes <= 0) return names;
  std::string all(static_cast<std::size_t>(bytes), '\0');
  const ssize_t got = flistxattr(fd, all.data(), all.size());
  for (std::size_t at = 0; got > 0 && at < static_cast<std::size_t>(got); at += std::strlen(all.c_str() + at) + 1)
    names.emplace_back(all.c_str() + at);
  return names;
}

std::optional<std::vector<std::uint8_t>> extended(int fd, const std::string& name) {
  const ssize_t bytes = fgetxattr(fd, name.c_str(), nullptr, 0);
  if (bytes < 0) return std::nullopt;
  std::vector<std::uint8_t> value(static_cast<std::size_t>(bytes));
  const ssize_t got = fgetxattr(fd, name.c_str(), value.data(), value.size());
  if (got < 0) return std::nullopt;
  value.resize(static_cast<std::size_t>(got));
  return value;
}

/// The system that restores the file sets labels of security modules, and its own attributes.
bool is_of_system(const std::string& name) { return name == "security.selinux" || name.starts_with("security.SMACK"); }

}  // namespace

json describe_attributes(int fd, const struct stat& s) {
  json found = {{"owner", {s.st_uid, s.st_gid}}, {"times", {as_json(s.st_atim), as_json(s.st_mtim)}}};
  json values = json::object();
  for (const std::string& name : names_of_extended(fd))
    if (auto value = is_of_system(name) ? std::nullopt : extended(fd, name)) values[name] = json::binary(std::move(*value));
  if (!values.empty()) found["extended"] = std::move(values);
  return found;
}

/// The order matters: a change of the owner takes rights from the mode, and every change sets times, so that times come
/// last.
std::vector<std::string> restore_attributes(int fd, mode_t mode, const json& attributes, const std::string& path) {
  std::vector<std::string> otherwise;
  const auto note = [&](bool well, const std::string& what) {
    if (!well) otherwise.push_back(path + ": " + what + " cannot be restored: " + std::strerror(errno));
  };
  const bool is_known = attributes.is_object();
  struct stat now{};
  if (is_known && fstat(fd, &now) == 0) {
    const uid_t user = attributes.at("owner").at(0);
    const gid_t group = attributes.at("owner").at(1);
    if (now.st_uid != user || now.st_gid != group) note(fchown(fd, user, group) == 0, "its owner");
  }
  note(fchmod(fd, mode) == 0, "its mode");
  if (!is_known) return otherwise;
  const json extended_values = attributes.value("extended", json::object());
  for (const auto& [name, value] : extended_values.items()) {
    const auto& bytes = value.get_binary();
    note(fsetxattr(fd, name.c_str(), bytes.data(), bytes.size(), 0) == 0, "its attribute " + name);
  }
  const timespec times[2] = {as_time(attributes.at("times").at(0)), as_time(attributes.at("times").at(1))};
  note(futimens(fd, times) == 0, "its times");
  return otherwise;
}

}  // namespace mana::descriptors
