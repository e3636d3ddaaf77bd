// Sockets that nobody is connected to: one that listens, one bound to a port of this machine, with their options.
#include "fidelity.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof here;
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), datagram = socket(AF_INET, SOCK_DGRAM, 0);
  const int yes = 1;
  OK(setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes));
  OK(bind(listener, (struct sockaddr*)&here, sizeof here)), OK(listen(listener, 5));
  OK(getsockname(listener, (struct sockaddr*)&here, &size));
  const in_port_t port = here.sin_port;
  for (int times = 0; times < 2; ++times) {
    line();
    const int caller = socket(AF_INET, SOCK_STREAM, 0);
    here.sin_port = port;
    OK(connect(caller, (struct sockaddr*)&here, sizeof here));
    OK(fcntl(listener, F_SETFL, O_NONBLOCK));
    const int met = accept(listener, NULL, NULL);
    OK(met);
    close(met), close(caller);
    OK(sendto(datagram, "x", 1, 0, (struct sockaddr*)&here, sizeof here));
  }
  return finish();
}
