// Names of sockets, in the kernel's form.
#pragma once
#include <nlohmann/json.hpp>

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <vector>

namespace mana::descriptors {

/// The bytes of a sockaddr of any family. Empty: no name.
class socket_address {
 public:
  socket_address() = default;
  explicit socket_address(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}
  socket_address(const void* bytes, socklen_t size)
      : bytes_(static_cast<const std::uint8_t*>(bytes), static_cast<const std::uint8_t*>(bytes) + size) {}

  static socket_address of(int fd);
  /// Works for a connection that is closed or not yet established, for which getpeername() fails.
  static socket_address of_peer(int fd);
  static socket_address in_unix(const std::string& name);

  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(bytes_.data()); }
  socklen_t size() const noexcept { return static_cast<socklen_t>(bytes_.size()); }
  int family() const noexcept { return bytes_.size() < sizeof(sa_family_t) ? AF_UNSPEC : get()->sa_family; }
  bool is_named() const noexcept { return bytes_.size() > sizeof(sa_family_t); }

  /// Of an Internet address; 0: no port.
  unsigned port() const noexcept;
  socket_address with_port(unsigned port) const;
  bool is_any() const noexcept;
  /// Address and port in one form for both families; empty for others.
  std::string place() const;
  std::string words() const;

  /// Of a Unix socket: the name without its terminator. An abstract name begins with a null byte.
  std::string unix_name() const;
  /// True: the name is an entry of a file system.
  bool is_path() const noexcept;

  bool operator==(const socket_address&) const = default;

  /// {"path": …} for a path, so that it moves with other paths of the image; else {"address": bytes}.
  nlohmann::json to_json() const;
  static socket_address from_json(const nlohmann::json& written);

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace mana::descriptors
