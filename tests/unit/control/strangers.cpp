// Hundreds connect and say nothing, while ranks join and while people ask.
#include "parts.hpp"

#include "../temporary_directory.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <list>

namespace control_strangers_tests {

using namespace mana;
using namespace mana::control_test;
using control::frame_type;
using control::frame_writer;

namespace {

constexpr int crowd = 80;              // more than any process of these jobs keeps

std::atomic<int> to_be_crowded_out;    // of the connections that are made: the next ones, each before its first word
std::atomic<int> crowded_out;
thread_local bool is_stranger;

/// The other end has closed it, or will not accept it.
void await_end(int fd) {
  pollfd wait{fd, POLLIN, 0};
  poll(&wait, 1, -1);
}

void crowd_out(int fd, std::uint16_t port) {
  is_stranger = true;
  std::list<control::handle> silent;
  for (int i = 0; i < crowd; ++i) silent.push_back(control::connect_to({"127.0.0.1"}, port));
  await_end(fd);
  is_stranger = false;
  ++crowded_out;
  tell_of_event();
}

}  // namespace

extern "C" int connect(int fd, const sockaddr* to, socklen_t length) {
  const int rc = static_cast<int>(syscall(SYS_connect, fd, to, length));
  const int why = errno;
  if (to->sa_family == AF_INET && !is_stranger && to_be_crowded_out > 0 && to_be_crowded_out-- > 0)
    crowd_out(fd, ntohs(reinterpret_cast<const sockaddr_in*>(to)->sin_port));
  errno = why;
  return rc;
}

TEST_CASE("ranks and relays that are cut off among strangers before they have said who they are come again") {
  job::options o;
  int joins = 0;
  SUBCASE("a flat job") { o.groups = {{0, 1, 2}}, joins = 3; }
  SUBCASE("relays for ranks 2 and 4") { o.groups = {{0, 1, 2, 3, 4}}, o.fan_out = 2, joins = 7; }
  o.limit_s = 20;
  temporary_directory place;
  crowded_out = 0;
  to_be_crowded_out = joins;
  job j(place.path(), o, barriers);
  await([&] { return crowded_out >= joins; });
  control::request_checkpoint(j.directory(), false, 60);
  j.finish();
  CHECK(j.commits == 1);
}

TEST_CASE("many that connect and say nothing do not keep others out") {
  temporary_directory place;
  job j(place.path(), {{{0, 1}}}, computing);
  const control::job_file file = started(j);
  std::list<control::handle> silent;
  for (int i = 0; i < 300; ++i) silent.push_back(control::connect_to({"127.0.0.1"}, file.where.port));
  control::request_checkpoint(j.directory(), false, 60);
  CHECK(j.commits == 1);
}

TEST_CASE("whoever has begun to say who it is stays, and those go who are silent") {
  temporary_directory place;
  job j(place.path(), {{{0, 1}}}, computing);
  const control::job_file file = started(j);
  control::request_checkpoint(j.directory(), false, 60);
  control::connection slow(control::connect_to({"127.0.0.1"}, file.where.port));
  const control::bytes hello = frame_writer(frame_type::hello_client).put(file.where.key).put(control::protocol_version)
                                   .put(std::string("0")).take();
  const auto half = hello.begin() + static_cast<std::ptrdiff_t>(hello.size() / 2);
  slow.send_all({hello.begin(), half});
  std::list<control::handle> silent;
  silent.push_back(control::connect_to({"127.0.0.1"}, file.where.port));
  for (int i = 0; i < crowd; ++i) silent.push_back(control::connect_to({"127.0.0.1"}, file.where.port));
  await_end(silent.front().get());
  slow.send_all({half, hello.end()});
  slow.send_all(frame_writer(frame_type::ask_status).take());
  await_frame(slow);
}

}  // namespace control_strangers_tests
