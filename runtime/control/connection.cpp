#include <runtime/control/connection.hpp>

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <system_error>

namespace mana::control {

namespace {

constexpr std::size_t most_at_once = 4u << 20;

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

void set_no_delay(int fd) noexcept {
  const int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

/// Waits until the descriptor can be written, even if signals come. out: false after limit_ms milliseconds
bool becomes_writable(int fd, int limit_ms) noexcept {
  using std::chrono::milliseconds;
  const auto until = std::chrono::steady_clock::now() + milliseconds(limit_ms);
  pollfd wait{fd, POLLOUT, 0};
  for (;;) {
    const auto left = std::chrono::duration_cast<milliseconds>(until - std::chrono::steady_clock::now()).count();
    const int found = poll(&wait, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (found >= 0 || errno != EINTR) return found > 0;
  }
}

/// connect() with a limit: a node that drops packets costs seconds, not minutes. out: false with errno
bool connect_in_time(int fd, const sockaddr_in& address, int limit_ms) noexcept {
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) return false;
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno != EINPROGRESS) return false;
    if (!becomes_writable(fd, limit_ms)) {
      errno = ETIMEDOUT;
      return false;
    }
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0) {
      errno = error;
      return false;
    }
  }
  return fcntl(fd, F_SETFL, flags) == 0;
}

}  // namespace

handle::~handle() {
  if (fd_ >= 0) close(fd_);
}

void connection::queue(const bytes& frame) {
  if (sent_ == output_.size()) {
    output_.clear();
    sent_ = 0;
  }
  output_.insert(output_.end(), frame.begin(), frame.end());
}

void connection::flush() {
  while (has_output() && !broken_) {
    const ssize_t n = ::send(fd(), output_.data() + sent_, output_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) sent_ += static_cast<std::size_t>(n);
    else if (errno == EAGAIN || errno == EWOULDBLOCK) return;
    else if (errno != EINTR) broken_ = true;
  }
}

bool connection::flush_all(int limit_ms) {
  while (has_output() && !broken_) {
    pollfd wait{fd(), POLLOUT, 0};
    if (poll(&wait, 1, limit_ms) == 0) return false;
    flush();
  }
  return !broken_;
}

bool connection::receive() {
  input_.erase(input_.begin(), input_.begin() + static_cast<std::ptrdiff_t>(taken_));
  taken_ = 0;
  for (std::size_t before = input_.size(); input_.size() < before + most_at_once;) {
    std::uint8_t part[16384];
    const ssize_t n = recv(fd(), part, sizeof part, MSG_DONTWAIT);
    if (n > 0) input_.insert(input_.end(), part, part + n);
    else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    else if (n < 0 && errno == EINTR) continue;
    else { broken_ = true; return false; }
  }
  return true;
}

std::optional<bytes> connection::next(std::size_t limit) {
  std::uint32_t length = 0;
  const std::span<const std::uint8_t> left = std::span(input_).subspan(taken_);
  if (left.size() < sizeof length) return std::nullopt;
  std::memcpy(&length, left.data(), sizeof length);
  if (length == 0 || length > limit) throw wire_error();
  if (left.size() < sizeof length + length) return std::nullopt;
  taken_ += sizeof length + length;
  return bytes(left.begin() + sizeof length, left.begin() + static_cast<std::ptrdiff_t>(sizeof length + length));
}

listener listen_on_any_port() {
  handle fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) fail("the coordinator's socket cannot be made");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  if (bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(fd.get(), 1024) != 0)
    fail("the coordinator cannot listen");
  socklen_t length = sizeof address;
  if (getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0)
    fail("the coordinator's port is unknown");
  return {std::move(fd), ntohs(address.sin_port)};
}

handle accept_from(const listener& l) noexcept {
  handle fd(accept4(l.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (fd) set_no_delay(fd.get());
  return fd;
}

handle stream_socket() {
  handle fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) fail("a socket for the control of checkpoints");
  return fd;
}

void disconnect(const handle& socket) noexcept {
  sockaddr none{};
  none.sa_family = AF_UNSPEC;
  connect(socket.get(), &none, sizeof none);
  fcntl(socket.get(), F_SETFL, fcntl(socket.get(), F_GETFL) & ~O_NONBLOCK);
}

bool connect_by(handle& socket, const std::vector<std::string>& addresses, std::uint16_t port, int limit_ms) noexcept {
  errno = EADDRNOTAVAIL;
  for (const std::string& text : addresses) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    if (!socket || inet_pton(AF_INET, text.c_str(), &address.sin_addr) != 1) continue;
    if (connect_in_time(socket.get(), address, limit_ms)) {
      set_no_delay(socket.get());
      return true;
    }
    const int why = errno;
    disconnect(socket);
    errno = why;
  }
  return false;
}

handle connect_to(const std::vector<std::string>& addresses, std::uint16_t port, int limit_ms) {
  handle fd = stream_socket();
  if (!connect_by(fd, addresses, port, limit_ms))
    throw unreachable(errno, std::generic_category(), "no address of the coordinator answers");
  return fd;
}

std::vector<std::string> own_addresses() {
  std::vector<std::string> found{"127.0.0.1"};
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return found;
  for (const ifaddrs* i = all; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || i->ifa_addr->sa_family != AF_INET) continue;
    char text[INET_ADDRSTRLEN];
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(i->ifa_addr)->sin_addr, text, sizeof text);
    if (std::string(text).rfind("127.", 0) != 0) found.emplace_back(text);
  }
  freeifaddrs(all);
  return found;
}

}  // namespace mana::control
