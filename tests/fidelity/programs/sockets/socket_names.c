// Unix sockets with names: a path, a relative one, an abstract one. Listeners with clients that wait there, datagrams
// with their senders, of which one no longer exists, and a name that was removed.
#include "place.h"

#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

static socklen_t named(struct sockaddr_un* name, const char* text, size_t size) {
  memset(name, 0, sizeof *name);
  name->sun_family = AF_UNIX;
  memcpy(name->sun_path, text, size);
  return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
}

static int bound(int type, const char* text, size_t size) {
  struct sockaddr_un name;
  const socklen_t n = named(&name, text, size);
  const int fd = socket(AF_UNIX, type, 0);
  OK(bind(fd, (struct sockaddr*)&name, n));
  return fd;
}

static int caller(int type, const char* text, size_t size) {
  struct sockaddr_un name;
  const socklen_t n = named(&name, text, size);
  const int fd = socket(AF_UNIX, type, 0);
  CHECK(connect(fd, (struct sockaddr*)&name, n) == 0, "%s", strerror(errno));
  return fd;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  OK(chdir(place));
  static const char abstract[] = "\0mana's test of names", server[] = "\0mana's server", client[] = "\0mana's client";
  const int by_path = bound(SOCK_STREAM, "listener", 8), by_name = bound(SOCK_SEQPACKET, abstract, sizeof abstract);
  OK(chmod("listener", 0620)), OK(listen(by_path, 3)), OK(listen(by_name, 3));
  const int talker = caller(SOCK_STREAM, "listener", 8), met = accept(by_path, NULL, NULL);
  const int packets = caller(SOCK_SEQPACKET, abstract, sizeof abstract), packets_met = accept(by_name, NULL, NULL);
  const int waits = caller(SOCK_STREAM, "listener", 8);
  const int receiver = bound(SOCK_DGRAM, server, sizeof server), gone = bound(SOCK_DGRAM, "gone", 4);
  const int to_gone = caller(SOCK_DGRAM, "gone", 4);
  OK(unlink("gone"));
  struct sockaddr_un to, from;
  const socklen_t to_size = named(&to, server, sizeof server);
  for (int times = 0; times < 2; ++times) {
    const int sender = bound(SOCK_DGRAM, client, sizeof client);
    CHECK(sendto(sender, "one", 3, 0, (struct sockaddr*)&to, to_size) == 3);
    CHECK(sendto(sender, "second", 6, 0, (struct sockaddr*)&to, to_size) == 6), OK(close(sender));
    CHECK(writes(talker, "there") && writes(met, "back") && writes(packets, "packet") && writes(to_gone, "lives"));
    line();
    char found[16];
    socklen_t n = sizeof from;
    CHECK(recvfrom(receiver, found, sizeof found, MSG_DONTWAIT, (struct sockaddr*)&from, &n) == 3, "%s",
          strerror(errno));
    CHECK(n > 2 && memcmp(from.sun_path, client, sizeof client) == 0);
    CHECK(recv(receiver, found, sizeof found, MSG_DONTWAIT) == 6, "%s", strerror(errno));
    CHECK(reads(met, "there") && reads(talker, "back"), "%s", strerror(errno));
    CHECK(read(packets_met, found, sizeof found) == 6 && reads(gone, "lives"), "%s", strerror(errno));
    n = sizeof from;
    CHECK(getpeername(talker, (struct sockaddr*)&from, &n) == 0 && strncmp(from.sun_path, "listener", 8) == 0);
    struct stat s;
    CHECK(stat("listener", &s) == 0 && S_ISSOCK(s.st_mode) && (s.st_mode & 0777) == 0620, "%s", strerror(errno));
    CHECK(access("gone", F_OK) != 0);
    close(caller(SOCK_STREAM, "listener", 8));
  }
  const int late = accept(by_path, NULL, NULL);
  CHECK(writes(waits, "hello") && reads(late, "hello"), "%s", strerror(errno));
  OK(unlink("listener")), OK(chdir("..")), leave_place();
  return finish();
}
