#include <runtime/descriptors/sockets/address.hpp>

#include <runtime/descriptors/base/failure.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <cstddef>
#include <cstring>

using nlohmann::json;

namespace mana::descriptors {

namespace {

constexpr std::size_t path_at = offsetof(sockaddr_un, sun_path);

using teller = int (*)(int, sockaddr*, socklen_t*);

int peer_of(int fd, sockaddr* name, socklen_t* size) { return getsockopt(fd, SOL_SOCKET, SO_PEERNAME, name, size); }

socket_address told(int fd, teller ask) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (ask(fd, reinterpret_cast<sockaddr*>(&name), &size) != 0) return {};
  return {&name, std::min<socklen_t>(size, sizeof name)};
}

template <class Name>
Name as(const socket_address& address) {
  Name name{};
  std::memcpy(&name, address.get(), std::min<std::size_t>(address.size(), sizeof name));
  return name;
}

in6_addr in_six(const socket_address& address) {
  if (address.family() == AF_INET6) return as<sockaddr_in6>(address).sin6_addr;
  in6_addr mapped{};
  const in_addr four = as<sockaddr_in>(address).sin_addr;
  if (four.s_addr == 0) return mapped;
  mapped.s6_addr[10] = mapped.s6_addr[11] = 0xff;
  std::memcpy(mapped.s6_addr + 12, &four, sizeof four);
  return mapped;
}

bool is_internet(int family) noexcept { return family == AF_INET || family == AF_INET6; }

}  // namespace

socket_address socket_address::of(int fd) { return told(fd, getsockname); }
socket_address socket_address::of_peer(int fd) {
  // The kernel asks for exactly as much room as the name takes: for Unix sockets that is not known before.
  socket_address found = told(fd, getpeername);
  if (found.is_named()) return found;
  const socket_address own = of(fd);
  if (!is_internet(own.family())) return found;
  sockaddr_storage name{};
  socklen_t size = own.size();
  if (peer_of(fd, reinterpret_cast<sockaddr*>(&name), &size) != 0) return {};
  return {&name, size};
}

socket_address socket_address::in_unix(const std::string& name) {
  sockaddr_un made{};
  made.sun_family = AF_UNIX;
  if (name.size() > sizeof made.sun_path) throw descriptor_error(name + ": the name of a socket is too long");
  std::memcpy(made.sun_path, name.data(), name.size());
  return {&made, static_cast<socklen_t>(path_at + name.size())};
}

unsigned socket_address::port() const noexcept {
  return is_internet(family()) ? ntohs(as<sockaddr_in>(*this).sin_port) : 0;  // at the same place in both families
}

socket_address socket_address::with_port(unsigned port) const {
  socket_address changed = *this;
  const in_port_t wanted = htons(static_cast<std::uint16_t>(port));
  std::memcpy(changed.bytes_.data() + offsetof(sockaddr_in, sin_port), &wanted, sizeof wanted);
  return changed;
}

bool socket_address::is_any() const noexcept {
  const in6_addr none{};
  if (!is_internet(family())) return false;
  const in6_addr own = in_six(*this);
  return std::memcmp(&own, &none, sizeof none) == 0;
}

std::string socket_address::place() const {
  if (!is_internet(family())) return {};
  char text[INET6_ADDRSTRLEN] = {};
  const in6_addr own = in_six(*this);
  inet_ntop(AF_INET6, &own, text, sizeof text);
  return std::string(text) + " " + std::to_string(port());
}

std::string socket_address::words() const {
  char text[INET6_ADDRSTRLEN] = {};
  if (family() == AF_INET) {
    const sockaddr_in four = as<sockaddr_in>(*this);
    inet_ntop(AF_INET, &four.sin_addr, text, sizeof text);
    return std::string(text) + ":" + std::to_string(port());
  }
  if (family() == AF_INET6) {
    const sockaddr_in6 six = as<sockaddr_in6>(*this);
    inet_ntop(AF_INET6, &six.sin6_addr, text, sizeof text);
    return "[" + std::string(text) + "]:" + std::to_string(port());
  }
  std::string name = unix_name();
  for (char& c : name)
    if (c == 0) c = '@';
  return name.empty() ? "no name" : name;
}

std::string socket_address::unix_name() const {
  if (family() != AF_UNIX || bytes_.size() <= path_at) return {};
  const char* const begin = reinterpret_cast<const char*>(bytes_.data()) + path_at;
  const std::size_t n = bytes_.size() - path_at;
  return *begin == 0 ? std::string(begin, n) : std::string(begin, strnlen(begin, n));
}

bool socket_address::is_path() const noexcept {
  return family() == AF_UNIX && bytes_.size() > path_at && bytes_[path_at] != 0;
}

json socket_address::to_json() const {
  if (is_path()) return {{"path", unix_name()}};
  return {{"address", json::binary(bytes_)}};
}

socket_address socket_address::from_json(const json& written) {
  if (written.contains("path")) return in_unix(written.at("path").get<std::string>());
  return socket_address(static_cast<const std::vector<std::uint8_t>&>(written.at("address").get_binary()));
}

}  // namespace mana::descriptors
