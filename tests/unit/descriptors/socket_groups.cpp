// What of sockets no option lists: multicast groups, with their sources; and what a checkpoint says of errors that were not read.
#include "held_descriptors.hpp"

#include <arpa/inet.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstring>

namespace descriptors_socket_groups_tests {

using namespace mana::descriptors;
using namespace mana::descriptors::tests;

namespace {

sockaddr_storage group_named(const char* text) {
  sockaddr_storage all{};
  sockaddr_in four{AF_INET, 0, {}, {}};
  sockaddr_in6 six{AF_INET6, 0, 0, {}, 0};
  if (inet_pton(AF_INET, text, &four.sin_addr) == 1) std::memcpy(&all, &four, sizeof four);
  else if (inet_pton(AF_INET6, text, &six.sin6_addr) == 1) std::memcpy(&all, &six, sizeof six);
  return all;
}

group_req whole_group(const char* text) { return {if_nametoindex("lo"), group_named(text)}; }
group_source_req group_from(const char* text, const char* source) {
  return {if_nametoindex("lo"), group_named(text), group_named(source)};
}

template <class Request>
bool ask(int fd, int level, int option, const Request& request) {
  return setsockopt(fd, level, option, &request, sizeof request) == 0;
}

/// Leaving succeeds for who is in it.
bool was_in(int fd, int level, const char* text) { return ask(fd, level, MCAST_LEAVE_GROUP, whole_group(text)); }

std::vector<std::string> begin_anew(held_descriptors& held) {
  const captured image = held.taken();
  CHECK(image.sockets.empty());
  held.close_all();
  restoration all(image.bytes);
  all.fill();
  return all.finish();
}

}  // namespace

TEST_CASE("sockets are in the multicast groups again that they had joined, and in no others") {
  held_descriptors held;
  const int four = held.hold(socket(AF_INET, SOCK_DGRAM, 0)), other = held.hold(socket(AF_INET, SOCK_DGRAM, 0));
  const int six = held.hold(socket(AF_INET6, SOCK_DGRAM, 0));
  REQUIRE(ask(four, IPPROTO_IP, MCAST_JOIN_GROUP, whole_group("239.1.2.3")));
  REQUIRE(ask(other, IPPROTO_IP, MCAST_JOIN_GROUP, whole_group("239.1.2.4")));
  REQUIRE(ask(six, IPPROTO_IPV6, MCAST_JOIN_GROUP, whole_group("ff15::1234")));
  CHECK(begin_anew(held).empty());
  CHECK(begin_anew(held).empty());          // of what was restored too
  CHECK_FALSE(was_in(four, IPPROTO_IP, "239.1.2.4"));
  CHECK(was_in(four, IPPROTO_IP, "239.1.2.3"));
  CHECK(was_in(other, IPPROTO_IP, "239.1.2.4"));
  CHECK(was_in(six, IPPROTO_IPV6, "ff15::1234"));
}

TEST_CASE("groups that are joined for some sources only, or without some, stay so") {
  held_descriptors held;
  const int only = held.hold(socket(AF_INET, SOCK_DGRAM, 0)), without = held.hold(socket(AF_INET, SOCK_DGRAM, 0));
  REQUIRE(ask(only, IPPROTO_IP, MCAST_JOIN_SOURCE_GROUP, group_from("232.1.2.3", "10.0.0.1")));
  REQUIRE(ask(only, IPPROTO_IP, MCAST_JOIN_SOURCE_GROUP, group_from("232.1.2.3", "10.0.0.2")));
  REQUIRE(ask(without, IPPROTO_IP, MCAST_JOIN_GROUP, whole_group("239.1.2.3")));
  REQUIRE(ask(without, IPPROTO_IP, MCAST_BLOCK_SOURCE, group_from("239.1.2.3", "10.0.0.3")));
  CHECK(begin_anew(held).empty());
  CHECK(ask(only, IPPROTO_IP, MCAST_LEAVE_SOURCE_GROUP, group_from("232.1.2.3", "10.0.0.1")));
  CHECK(ask(only, IPPROTO_IP, MCAST_LEAVE_SOURCE_GROUP, group_from("232.1.2.3", "10.0.0.2")));
  CHECK_FALSE(was_in(only, IPPROTO_IP, "232.1.2.3"));
  CHECK(ask(without, IPPROTO_IP, MCAST_UNBLOCK_SOURCE, group_from("239.1.2.3", "10.0.0.3")));
}

TEST_CASE("a group at an interface that is not there is named when it cannot be joined again") {
  held_descriptors held;
  const int four = held.hold(socket(AF_INET, SOCK_DGRAM, 0));
  REQUIRE(ask(four, IPPROTO_IP, MCAST_JOIN_GROUP, whole_group("239.1.2.3")));
  captured image = held.taken();
  held.close_all();
  std::string bytes(image.bytes.begin(), image.bytes.end());
  const std::size_t at = bytes.find("\x62lo");          // the interface's name, a text of two letters
  REQUIRE(at != std::string::npos);
  image.bytes[at + 1] = '-';
  restoration all(image.bytes);
  all.fill();
  const std::vector<std::string> notes = all.finish();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("cannot be in the multicast group 239.1.2.3 at the interface -o again") != std::string::npos);
}

TEST_CASE("groups of netlink, also those that no name of a socket holds") {
  held_descriptors held;
  const int fd = held.hold(socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE));
  const int group = RTNLGRP_NEIGH, far = 33;
  REQUIRE(ask(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, group));
  const bool has_far = ask(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, far);
  const captured image = held.taken();
  held.close_all();
  restore(image.bytes);
  std::uint32_t bits[4] = {};
  socklen_t n = sizeof bits;
  REQUIRE(getsockopt(fd, SOL_NETLINK, NETLINK_LIST_MEMBERSHIPS, bits, &n) == 0);
  CHECK((bits[0] >> (group - 1) & 1) == 1);
  if (has_far) CHECK((bits[1] & 1) == 1);
}

TEST_CASE("an error that was not read is named") {
  held_descriptors held;
  const int fd = held.hold(socket(AF_INET, SOCK_DGRAM, 0));
  sockaddr_in nobody{AF_INET, htons(9), {htonl(INADDR_LOOPBACK)}, {}};
  const int on = 1;
  REQUIRE(setsockopt(fd, IPPROTO_IP, IP_RECVERR, &on, sizeof on) == 0);
  REQUIRE(connect(fd, reinterpret_cast<const sockaddr*>(&nobody), sizeof nobody) == 0);
  CHECK(held.taken().sockets.empty());
  send(fd, "x", 1, 0);
  pollfd told{fd, 0, 0};
  REQUIRE(poll(&told, 1, 5000) == 1);
  const captured image = held.taken();
  const auto names_it = [](const std::string& text) {
    return text.find("its error queue (MSG_ERRQUEUE): after a restart they are lost") != std::string::npos;
  };
  CHECK(std::ranges::count_if(image.sockets, names_it) == 1);
  CHECK(poll(&told, 1, 0) == 1);            // looking took nothing
}

}  // namespace descriptors_socket_groups_tests
