// Sockets of kinds whose messages the kernel shows only from the front, with unread messages. They answer after the
// lines (netlink, and a raw socket where the program may have one).
#include "fidelity.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <poll.h>
#include <sys/socket.h>

static void ask(int fd, unsigned number) {
  struct {
    struct nlmsghdr head;
    struct ifinfomsg body;
  } request = {.head = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)), .nlmsg_type = RTM_GETLINK,
                        .nlmsg_flags = NLM_F_REQUEST, .nlmsg_seq = number},
               .body = {.ifi_family = AF_UNSPEC, .ifi_index = 1}};
  CHECK(send(fd, &request, request.head.nlmsg_len, 0) == (ssize_t)request.head.nlmsg_len, "%s", strerror(errno));
}

/// Reads up to the answer to this question.
static int answers(int fd, unsigned number) {
  static _Alignas(struct nlmsghdr) char bytes[1 << 16];
  struct pollfd asked = {fd, POLLIN, 0};
  while (poll(&asked, 1, 10000) == 1) {
    ssize_t left = recv(fd, bytes, sizeof bytes, 0);
    for (const struct nlmsghdr* m = (struct nlmsghdr*)bytes; NLMSG_OK(m, left); m = NLMSG_NEXT(m, left))
      if (m->nlmsg_seq == number) return 1;
  }
  return 0;
}

/// Of a protocol of nobody's.
static void send_raw(int fd, char byte) {
  const struct sockaddr_in self = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  CHECK(sendto(fd, &byte, 1, 0, (const struct sockaddr*)&self, sizeof self) == 1, "%s", strerror(errno));
}

static int gets_raw(int fd, char byte) {
  char packet[256];
  struct pollfd asked = {fd, POLLIN, 0};
  while (poll(&asked, 1, 10000) == 1) {
    const ssize_t length = recv(fd, packet, sizeof packet, 0);
    if (length == (ssize_t)sizeof(struct iphdr) + 1 && packet[sizeof(struct iphdr)] == byte) return 1;
  }
  return 0;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int link = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), raw = socket(AF_INET, SOCK_RAW, 253);
  OK(link);
  for (unsigned round = 0; round < 2; ++round) {
    ask(link, 2 * round + 1);
    if (raw >= 0) send_raw(raw, 'o');
    line();
    ask(link, 2 * round + 2);
    CHECK(answers(link, 2 * round + 2));
    if (raw < 0) continue;
    send_raw(raw, 'n');
    CHECK(gets_raw(raw, 'n'));
  }
  return finish();
}
