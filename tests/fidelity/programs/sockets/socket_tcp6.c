// TCP over IPv6 within the process: the same as socket_tcp.
#define FAMILY AF_INET6
#include "socket_tcp.c"
