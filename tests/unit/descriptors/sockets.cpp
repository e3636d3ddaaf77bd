// Sockets: with names, connections within the process, what is in their queues, and what ends them.
#include "held_descriptors.hpp"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>

namespace descriptors_sockets_tests {

using namespace mana::descriptors;
using namespace mana::descriptors::tests;

namespace {

sockaddr_in loopback(in_port_t port = 0) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  name.sin_port = port;
  return name;
}
const sockaddr* as_name(const sockaddr_in& name) { return reinterpret_cast<const sockaddr*>(&name); }

sockaddr_in name_of(int fd) {
  sockaddr_in name{};
  socklen_t n = sizeof name;
  CHECK(getsockname(fd, reinterpret_cast<sockaddr*>(&name), &n) == 0);
  return name;
}

struct unix_name {
  explicit unix_name(const std::string& text) {
    at.sun_family = AF_UNIX;
    std::memcpy(at.sun_path, text.data(), text.size());
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + text.size());
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&at); }
  sockaddr_un at{};
  socklen_t size;
};

int listener_at(held_descriptors& held, int backlog = 5) {
  const int fd = held.hold(socket(AF_INET, SOCK_STREAM, 0));
  const sockaddr_in here = loopback();
  CHECK(bind(fd, as_name(here), sizeof here) == 0);
  CHECK(listen(fd, backlog) == 0);
  return fd;
}

struct connection {
  int client, server;
};

connection connect_to(held_descriptors& held, int listener) {
  const sockaddr_in there = name_of(listener);
  const int client = held.hold(socket(AF_INET, SOCK_STREAM, 0));
  CHECK(connect(client, as_name(there), sizeof there) == 0);
  return {client, held.hold(accept(listener, nullptr, nullptr))};
}

void send_text(int fd, const std::string& text, int flags = 0) {
  CHECK(send(fd, text.data(), text.size(), flags | MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
}

std::string received(int fd, int flags = 0, std::size_t most = 256) {
  char text[256];
  const ssize_t n = recv(fd, text, most, flags | MSG_DONTWAIT);
  return n < 0 ? std::string("error ") + strerrorname_np(errno) : std::string(text, static_cast<std::size_t>(n));
}

int option_of(int fd, int level, int name) {
  int value = -1;
  socklen_t n = sizeof value;
  CHECK(getsockopt(fd, level, name, &value, &n) == 0);
  return value;
}
void set(int fd, int level, int name, int value) { CHECK(setsockopt(fd, level, name, &value, sizeof value) == 0); }

void send_file(int via, int file) {
  char byte = 'f', control[CMSG_SPACE(sizeof(int))] = {};
  iovec part{&byte, 1};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const c = CMSG_FIRSTHDR(&message);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(c), &file, sizeof file);
  CHECK(sendmsg(via, &message, 0) == 1);
}

int received_file(int via) {
  char byte, control[CMSG_SPACE(sizeof(int))] = {};
  iovec part{&byte, 1};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (recvmsg(via, &message, MSG_DONTWAIT) != 1 || CMSG_FIRSTHDR(&message) == nullptr) return -1;
  int file;
  std::memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof file);
  return file;
}

/// As after a checkpoint and a restart. None is warned of.
void begin_anew(held_descriptors& held) {
  const captured image = held.taken();
  for (const std::string& text : image.sockets) CHECK_MESSAGE(false, text);
  held.close_all();
  restore(image.bytes);
}

}  // namespace

TEST_CASE("a listener has its address and options again, and those who call it find it") {
  held_descriptors held;
  const int listener = listener_at(held, 3);
  set(listener, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(listener, IPPROTO_TCP, TCP_KEEPIDLE, 77);
  const sockaddr_in before = name_of(listener);
  begin_anew(held);
  CHECK(name_of(listener).sin_port == before.sin_port);
  CHECK(option_of(listener, SOL_SOCKET, SO_KEEPALIVE) == 1);
  CHECK(option_of(listener, IPPROTO_TCP, TCP_KEEPIDLE) == 77);
  tcp_info info{};
  socklen_t n = sizeof info;
  getsockopt(listener, IPPROTO_TCP, TCP_INFO, &info, &n);
  CHECK(info.tcpi_sacked == 3);
  const connection c = connect_to(held, listener);
  send_text(c.client, "hello");
  CHECK(received(c.server) == "hello");
}

TEST_CASE("INV-76 a look at a connection leaves bytes, urgent ones, and the reader's place where they are") {
  held_descriptors held;
  const connection c = connect_to(held, listener_at(held));
  set(c.server, SOL_SOCKET, SO_PEEK_OFF, 2);
  send_text(c.client, "first ");
  send_text(c.client, "!", MSG_OOB);
  send_text(c.client, "second");
  held.taken();
  CHECK(option_of(c.server, SOL_SOCKET, SO_PEEK_OFF) == 2);
  CHECK(received(c.server, MSG_PEEK) == "rst ");
  set(c.server, SOL_SOCKET, SO_PEEK_OFF, -1);
  begin_anew(held);
  CHECK(received(c.server, MSG_OOB) == "!");
  CHECK(received(c.server) == "first ");
  CHECK(received(c.server) == "second");
  CHECK(received(c.server) == "error EAGAIN");
}

TEST_CASE("an urgent byte between Unix sockets") {
  held_descriptors held;
  int pair[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  const int one = held.hold(pair[0]), other = held.hold(pair[1]);
  send_text(one, "first");
  if (send(one, "!", 1, MSG_OOB) != 1) return;  // a kernel that has none
  send_text(one, "second");
  begin_anew(held);
  CHECK(received(other, MSG_OOB) == "!");
  std::string all;
  for (std::string part = received(other); part.find("error") == std::string::npos; part = received(other)) all += part;
  CHECK(all == "firstsecond");
}

TEST_CASE("both directions of a connection have what was sent, and one is closed") {
  held_descriptors held;
  const int listener = listener_at(held);
  const connection c = connect_to(held, listener);
  send_text(c.client, "to the server");
  send_text(c.server, "to the client");
  shutdown(c.client, SHUT_WR);
  held.forget(listener);
  begin_anew(held);
  CHECK(received(c.server) == "to the server");
  CHECK(received(c.server).empty());
  CHECK(received(c.client) == "to the client");
  CHECK(send(c.client, "x", 1, MSG_NOSIGNAL) == -1);
  send_text(c.server, "more");
  CHECK(received(c.client) == "more");
}

TEST_CASE("what the sender could not send yet comes too") {
  held_descriptors held;
  const connection c = connect_to(held, listener_at(held));
  fcntl(c.client, F_SETFL, O_NONBLOCK);
  const std::string much(100000, 'm');
  std::size_t sent = 0, got = 0;
  for (ssize_t n; (n = write(c.client, much.data(), much.size())) > 0;) sent += static_cast<std::size_t>(n);
  begin_anew(held);
  for (std::string part = received(c.server); part[0] == 'm'; part = received(c.server)) got += part.size();
  CHECK(got == sent);
}

TEST_CASE("connections that nobody has accepted are accepted after a restart") {
  held_descriptors held;
  const int listener = listener_at(held), caller = held.hold(socket(AF_INET, SOCK_STREAM, 0));
  const sockaddr_in there = name_of(listener);
  CHECK(connect(caller, as_name(there), sizeof there) == 0);
  const int local = held.hold(socket(AF_UNIX, SOCK_STREAM, 0)),
            unix_caller = held.hold(socket(AF_UNIX, SOCK_STREAM, 0));
  const unix_name path("socket");
  CHECK((bind(local, path.get(), path.size) == 0 && listen(local, 2) == 0));
  CHECK(chmod("socket", 0640) == 0);
  CHECK(connect(unix_caller, path.get(), path.size) == 0);
  begin_anew(held);
  const int met = accept(listener, nullptr, nullptr), unix_met = accept(local, nullptr, nullptr);
  send_text(caller, "tcp");
  send_text(unix_caller, "unix");
  CHECK(received(met) == "tcp");
  CHECK(received(unix_met) == "unix");
  struct stat s {};
  CHECK((stat("socket", &s) == 0 && (s.st_mode & 0777) == 0640));
  close(met), close(unix_met);
}

TEST_CASE("a connection to another process is one that it has reset, and is named") {
  held_descriptors held;
  const int listener = listener_at(held);
  const sockaddr_in there = name_of(listener);
  const int client = held.hold(socket(AF_INET, SOCK_STREAM, 0));
  CHECK(connect(client, as_name(there), sizeof there) == 0);
  const int outside = accept(listener, nullptr, nullptr);
  int pair[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  const int half = held.hold(pair[0]);
  send_text(outside, "last");
  const captured image = held.taken();
  REQUIRE(image.sockets.size() == 2);
  CHECK(image.sockets[0].find("descriptor " + std::to_string(client) + " (socket:") != std::string::npos);
  CHECK(image.sockets[0].find("another process (127.0.0.1:") != std::string::npos);
  close(outside), close(pair[1]);
  held.close_all();
  restore(image.bytes);
  CHECK(received(client) == "last");
  CHECK(received(client) == "error ECONNRESET");
  CHECK(send(client, "x", 1, MSG_NOSIGNAL) == -1);
  pollfd asked{half, 0, 0};
  CHECK((poll(&asked, 1, 0) == 1 && (asked.revents & (POLLHUP | POLLERR)) == (POLLHUP | POLLERR)));
  CHECK(received(half) == "error ECONNRESET");
}

TEST_CASE("a connection that another process has not accepted yet is one to another process, too") {
  held_descriptors held;
  const int outside = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in there{};
  there.sin_family = AF_INET, there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(bind(outside, as_name(there), sizeof there) == 0);
  CHECK(listen(outside, 1) == 0);
  there = name_of(outside);
  const int client = held.hold(socket(AF_INET, SOCK_STREAM, 0));
  CHECK(connect(client, as_name(there), sizeof there) == 0);
  const captured image = held.taken();
  REQUIRE(image.sockets.size() == 1);
  CHECK(image.sockets[0].find("descriptor " + std::to_string(client) + " (socket:") != std::string::npos);
  close(outside);
  held.close_all();
  restore(image.bytes);
  CHECK(received(client) == "error ECONNRESET");
}

TEST_CASE("datagrams have their senders' addresses, though these are gone") {
  held_descriptors held;
  const int server = held.hold(socket(AF_UNIX, SOCK_DGRAM, 0)), udp = held.hold(socket(AF_INET, SOCK_DGRAM, 0));
  const unix_name to(std::string("\0server of the test", 19)), from(std::string("\0client of the test", 19));
  sockaddr_in here = loopback();
  CHECK(bind(server, to.get(), to.size) == 0);
  CHECK(bind(udp, as_name(here), sizeof here) == 0);
  here = name_of(udp);
  const int client = socket(AF_UNIX, SOCK_DGRAM, 0), caller = socket(AF_INET, SOCK_DGRAM, 0);
  CHECK(bind(client, from.get(), from.size) == 0);
  for (const char* text : {"one", "", "three"}) {
    CHECK(sendto(client, text, strlen(text), 0, to.get(), to.size) == static_cast<ssize_t>(strlen(text)));
    CHECK(sendto(caller, text, strlen(text), 0, as_name(here), sizeof here) == static_cast<ssize_t>(strlen(text)));
  }
  const in_port_t port = name_of(caller).sin_port;
  close(client), close(caller);
  begin_anew(held);
  for (const std::string text : {"one", "", "three"}) {
    char bytes[16];
    sockaddr_un sender{};
    sockaddr_in caller_name{};
    socklen_t n = sizeof sender, m = sizeof caller_name;
    CHECK(recvfrom(server, bytes, sizeof bytes, MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&sender), &n) ==
          static_cast<ssize_t>(text.size()));
    CHECK((n == from.size && std::memcmp(&sender, from.get(), n) == 0));
    CHECK(recvfrom(udp, bytes, sizeof bytes, MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&caller_name), &m) ==
          static_cast<ssize_t>(text.size()));
    CHECK(caller_name.sin_port == port);
  }
}

TEST_CASE("descriptors that are on their way arrive, also of the pair itself") {
  held_descriptors held;
  int pair[2], ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  CHECK(pipe(ends) == 0);
  const int one = held.hold(pair[0]), other = held.hold(pair[1]);
  CHECK(write(ends[1], "in the pipe", 11) == 11);
  send_text(one, "before ");
  send_file(one, ends[0]);
  send_file(one, one);
  close(ends[0]);
  const int writer = held.hold(ends[1]);
  begin_anew(held);
  CHECK(received(other, 0, 7) == "before ");
  const int reader = received_file(other), itself = received_file(other);
  REQUIRE(reader >= 0);
  REQUIRE(itself >= 0);
  CHECK(read_some(reader) == "in the pipe");
  send_text(itself, "itself");
  CHECK(received(other) == "itself");
  CHECK(write(writer, "x", 1) == 1);
  close(reader), close(itself);
}

TEST_CASE("an end of a pair of datagram sockets that is shut down is no matter of the other end") {
  held_descriptors held;
  int pair[2];
  CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
  const int one = held.hold(pair[0]), other = held.hold(pair[1]);
  send_text(one, "early");
  shutdown(one, SHUT_WR);
  begin_anew(held);
  CHECK(received(other) == "early");
  CHECK(received(other) == "error EAGAIN");
  CHECK(send(one, "x", 1, MSG_NOSIGNAL) == -1);
  send_text(other, "back");
  CHECK(received(one) == "back");
}

TEST_CASE("an end whose other one was closed finds what that had sent, and its end") {
  held_descriptors held;
  int stream[2], packets[2];
  CHECK((socketpair(AF_UNIX, SOCK_STREAM, 0, stream) == 0 && socketpair(AF_UNIX, SOCK_SEQPACKET, 0, packets) == 0));
  const connection c = connect_to(held, listener_at(held));
  const int ends[] = {held.hold(stream[0]), held.hold(packets[0]), c.server};
  send_text(stream[1], "last"), send_text(packets[1], "last"), send_text(c.client, "last");
  close(stream[1]), close(packets[1]), held.forget(c.client);
  begin_anew(held);
  for (const int end : ends) {
    CHECK(received(end) == "last");
    CHECK(received(end).empty());
  }
}

TEST_CASE("a connection that is closed in both directions has its addresses") {
  held_descriptors held;
  const connection c = connect_to(held, listener_at(held));
  send_text(c.client, "last");
  shutdown(c.client, SHUT_WR), shutdown(c.server, SHUT_WR);
  const in_port_t port = name_of(c.client).sin_port;
  begin_anew(held);
  CHECK(received(c.server) == "last");
  CHECK(received(c.server).empty());
  CHECK(received(c.client).empty());
  CHECK(name_of(c.client).sin_port == port);               // though the kernel keeps the old one for a minute
}

TEST_CASE("a packet filter lets pass what it let pass") {
  held_descriptors held;
  int pair[2];
  CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
  const int one = held.hold(pair[0]), other = held.hold(pair[1]);
  send_text(one, "before the filter");
  sock_filter nothing[] = {{BPF_RET | BPF_K, 0, 0, 0}};
  const sock_fprog program{1, nothing};
  CHECK(setsockopt(other, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) == 0);
  begin_anew(held);
  CHECK(received(other) == "before the filter");
  (void)!send(one, "x", 1, MSG_DONTWAIT);
  CHECK(received(other) == "error EAGAIN");
}

TEST_CASE("a socket of a name that was taken away, and one that has it now") {
  held_descriptors held;
  const unix_name path("name");
  const int first = held.hold(socket(AF_UNIX, SOCK_DGRAM, 0)), second = held.hold(socket(AF_UNIX, SOCK_DGRAM, 0));
  const int sender = held.hold(socket(AF_UNIX, SOCK_DGRAM, 0));
  CHECK(bind(first, path.get(), path.size) == 0);
  CHECK(connect(sender, path.get(), path.size) == 0);
  unlink("name");
  CHECK(bind(second, path.get(), path.size) == 0);
  begin_anew(held);
  send_text(sender, "to the first");
  CHECK(received(first) == "to the first");
  CHECK(sendto(sender, "x", 1, 0, path.get(), path.size) == 1);
  CHECK(received(second) == "x");
}

TEST_CASE("an address that somebody has by now is another one, with a word") {
  held_descriptors held;
  const int listener = listener_at(held);
  const sockaddr_in before = name_of(listener);
  const captured image = held.taken();
  held.close_all();
  const int taken = socket(AF_INET, SOCK_STREAM, 0);
  CHECK((bind(taken, as_name(before), sizeof before) == 0 && listen(taken, 1) == 0));
  restoration all(image.bytes);
  all.fill();
  const std::vector<std::string> notes = all.finish();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("cannot have the address 127.0.0.1:") != std::string::npos);
  CHECK(name_of(listener).sin_port != before.sin_port);
  close(taken);
}

}  // namespace descriptors_sockets_tests
