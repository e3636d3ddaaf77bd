// Descriptors under way in messages: of a pipe that no process has otherwise, of a file, of a socket and its own other
// end, and of an epoll set. That set watches the socket to which it is under way.
#include "place.h"

#include <sys/epoll.h>
#include <sys/socket.h>

static void send_file(int via, int file) {
  char byte = 'f', control[CMSG_SPACE(sizeof file)] = {0};
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct cmsghdr* const c = CMSG_FIRSTHDR(&message);
  c->cmsg_level = SOL_SOCKET, c->cmsg_type = SCM_RIGHTS, c->cmsg_len = CMSG_LEN(sizeof file);
  memcpy(CMSG_DATA(c), &file, sizeof file);
  CHECK(sendmsg(via, &message, 0) == 1, "%s", strerror(errno));
}

static int received_file(int via) {
  char byte, control[CMSG_SPACE(sizeof(int))];
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  int file = -1;
  CHECK(recvmsg(via, &message, MSG_DONTWAIT) == 1, "%s", strerror(errno));
  if (message.msg_controllen > 0 && CMSG_FIRSTHDR(&message))
    memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof file);
  CHECK(file >= 0);
  return file;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int stream[2], datagrams[2];
  OK(socketpair(AF_UNIX, SOCK_STREAM, 0, stream)), OK(socketpair(AF_UNIX, SOCK_DGRAM, 0, datagrams));
  for (int times = 0; times < 2; ++times) {
    int ends[2], inner[2];
    OK(pipe(ends)), OK(socketpair(AF_UNIX, SOCK_STREAM, 0, inner));
    CHECK(writes(ends[1], "in the pipe") && writes(inner[0], "in the socket") && writes(stream[0], "before"));
    const int set = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = 7};
    OK(epoll_ctl(set, EPOLL_CTL_ADD, datagrams[1], &event));
    send_file(stream[0], ends[0]), send_file(stream[0], inner[1]), send_file(stream[0], stream[0]);
    send_file(datagrams[0], set), send_file(datagrams[0], ends[1]);
    OK(close(ends[0])), OK(close(inner[1])), OK(close(set)), OK(close(ends[1]));
    line();
    CHECK(reads(stream[1], "before"), "%s", strerror(errno));
    const int pipe_end = received_file(stream[1]), socket_end = received_file(stream[1]),
              itself = received_file(stream[1]);
    const int watching = received_file(datagrams[1]);
    CHECK(reads(pipe_end, "in the pipe") && reads(socket_end, "in the socket"), "%s", strerror(errno));
    CHECK(epoll_wait(watching, &event, 1, 1000) == 1 && event.data.u64 == 7, "%s", strerror(errno));
    const int writer = received_file(datagrams[1]);
    CHECK(writes(writer, "more") && reads(pipe_end, "more") && writes(itself, "self") && reads(stream[1], "self"), "%s",
          strerror(errno));
    CHECK(writes(socket_end, "back") && reads(inner[0], "back"), "%s", strerror(errno));
    close(pipe_end), close(socket_end), close(itself), close(watching), close(writer), close(inner[0]);
  }
  return finish();
}
