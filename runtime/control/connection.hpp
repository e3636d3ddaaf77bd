// A stream socket that carries frames.
#pragma once
#include <runtime/control/wire.hpp>

#include <string>
#include <system_error>
#include <utility>

namespace mana::control {

/// Owns a descriptor.
class handle {
 public:
  handle() = default;
  explicit handle(int fd) noexcept : fd_(fd) {}
  handle(handle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  handle& operator=(handle&& other) noexcept { std::swap(fd_, other.fd_); return *this; }
  ~handle();
  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// Buffers both directions, so that neither side waits for the other to read: full sockets cause no deadlock.
class connection {
 public:
  explicit connection(handle socket) noexcept : socket_(std::move(socket)) {}
  int fd() const noexcept { return socket_.get(); }

  /// Leaves the frame for the next flush().
  void queue(const bytes& frame);
  /// Sends as much as the socket takes now, and keeps the rest for flush().
  void send(const bytes& frame) {
    queue(frame);
    flush();
  }
  bool has_output() const noexcept { return sent_ < output_.size(); }
  void flush();
  /// Blocks until all is sent, for limit_ms at most (-1: no limit). errors: false if the peer is gone or slow
  bool flush_all(int limit_ms = -1);
  bool send_all(const bytes& frame) {
    send(frame);
    return flush_all();
  }

  /// Reads the available bytes, some MiB at most: no peer can make the caller read forever.
  /// out: false if the peer has gone; next() still returns the frames that came before
  bool receive();
  /// The next complete frame (type and payload), or nothing. errors: wire_error if the frame is longer than `limit`
  std::optional<bytes> next(std::size_t limit = max_frame);

  bool broken() const noexcept { return broken_; }
  /// The peer has sent a part of a frame, or more, that next() has not taken.
  bool has_spoken() const noexcept { return taken_ < input_.size(); }
  handle release() noexcept { return std::move(socket_); }

 private:
  handle socket_;
  bytes input_, output_;
  std::size_t taken_ = 0, sent_ = 0;      // of input_ by next(), of output_ by the socket
  bool broken_ = false;
};

struct listener {
  handle socket;
  std::uint16_t port = 0;
};
/// Listens on any port of all interfaces. errors: std::system_error
listener listen_on_any_port();
/// out: empty, with errno, if nobody connects
handle accept_from(const listener& l) noexcept;
inline constexpr int connect_limit_ms = 10'000;
/// No address answers; the code is that of the last one.
struct unreachable : std::system_error {
  using std::system_error::system_error;
};
/// Tries the addresses in order, each for limit_ms milliseconds at most. errors: unreachable; std::system_error
handle connect_to(const std::vector<std::string>& addresses, std::uint16_t port, int limit_ms = connect_limit_ms);
/// The same over an existing socket, which a failure leaves unchanged.    out: false: no address answers
bool connect_by(handle& socket, const std::vector<std::string>& addresses, std::uint16_t port, int limit_ms) noexcept;
/// An unconnected socket. errors: std::system_error
handle stream_socket();
/// Replaces the socket by an unconnected one with the same number, in any state of its connection.
void disconnect(const handle& socket) noexcept;

/// This host's IPv4 addresses in numeric form, the loopback first.
std::vector<std::string> own_addresses();

}  // namespace mana::control
