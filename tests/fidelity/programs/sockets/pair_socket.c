// A connection between the ranks by a socket with a name: nothing is under way at the lines.
// ranks: 2
#include "pair.h"

#include <sys/socket.h>
#include <sys/un.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = ""};
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  OK(chdir(place));
  strcpy(name.sun_path, "socket");
  if (me == 0) OK(bind(fd, (struct sockaddr*)&name, sizeof name)), OK(listen(fd, 1));
  together();
  if (me == 1) OK(connect(fd, (struct sockaddr*)&name, sizeof name));
  if (me == 0) {
    const int accepted = accept(fd, NULL, NULL);
    close(fd);
    fd = accepted;
  }
  for (int round = 0; round < 3; ++round) {
    char text[32];
    snprintf(text, sizeof text, "message %d", round);
    if (me == round % 2) CHECK(send(fd, text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text), "%s",
                               strerror(errno));
    else CHECK(reads(fd, text));
    if (round < 2) line();
  }
  OK(chdir(".."));
  leave_common_place();
  return finish();
}
