// A list of descriptors that lacks something is refused by name: no member is read that is not there.
#include "../long_run.hpp"
#include "held_descriptors.hpp"

#include <nlohmann/json.hpp>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <vector>

namespace descriptors_damage_tests {

using namespace mana::descriptors;
using namespace mana::descriptors::tests;
using nlohmann::json;

namespace {

enum outcome { restored = 0, refused = 1, other_error = 2 };

/// In a process of its own, which a defect may kill.
/// out: an outcome; else 256 and the signal
int outcome_of(const json& document) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGABRT, SIG_DFL);                    // the test's own handlers would print
    signal(SIGSEGV, SIG_DFL);
    int ended = restored;
    try {
      restoration all(json::to_cbor(document), {});
      all.fill();
      all.finish();
    } catch (const descriptor_error&) {
      ended = refused;
    } catch (const std::exception&) {
      ended = other_error;
    }
    _exit(ended);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool is_well(int ended) { return ended == restored || ended == refused; }

/// go(document, path) with each member of `at`, and of what is in it, erased, and with each made an array.
void for_each_damage(const json& whole, const json::json_pointer& at,
                     const std::function<void(const json&, const std::string&)>& go) {
  const json& here = whole.at(at);
  if (!here.is_object() && !here.is_array()) return;
  for (const auto& [key, value] : here.items()) {
    const json::json_pointer member = here.is_array() ? at / static_cast<std::size_t>(std::stoul(key)) : at / key;
    json other = whole;
    other.at(member) = json::array();
    go(other, member.to_string() + ", another type");
    if (here.is_object()) {
      json without = whole;
      without.at(at).erase(key);
      go(without, member.to_string() + ", missing");
    }
    for_each_damage(whole, member, go);
  }
}

/// One descriptor of each kind that has members of its own.
void hold_all_kinds(held_descriptors& held) {
  int pipe_ends[2], sockets[2];
  REQUIRE(pipe(pipe_ends) == 0);
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  const int read_end = held.hold(pipe_ends[0]);
  CHECK(write(held.hold(pipe_ends[1]), "in it", 5) == 5);
  held.hold(sockets[0]);
  CHECK(write(held.hold(sockets[1]), "on its way", 10) == 10);
  held.hold(eventfd(3, EFD_NONBLOCK));
  held.hold(timerfd_create(CLOCK_MONOTONIC, 0));
  held.write("file", "text");
  held.hold(open("file", O_RDWR));
  const int gone = held.hold(open("gone", O_RDWR | O_CREAT, 0600));
  CHECK(write(gone, "deleted", 7) == 7);
  unlink("gone");
  const int watching = held.hold(inotify_init1(0));
  CHECK(inotify_add_watch(watching, ".", IN_CREATE) > 0);
  const int set = held.hold(epoll_create1(0));
  epoll_event event{};
  event.events = EPOLLIN;
  CHECK(epoll_ctl(set, EPOLL_CTL_ADD, read_end, &event) == 0);
}

}  // namespace

TEST_CASE("a damaged list of descriptors ends a restart with a sentence") {
  held_descriptors held;
  hold_all_kinds(held);
  const auto bytes = held.taken().bytes;
  held.close_all();
  const json whole = json::from_cbor(bytes);
  REQUIRE(outcome_of(whole) == restored);
  int seen = 0, cases = 0, refusals = 0;
  for_each_damage(whole, json::json_pointer(), [&](const json& document, const std::string& what) {
    if (seen++ % tried(4, 1) != 0) return;      // each is a process
    const int ended = outcome_of(document);
    CHECK_MESSAGE(is_well(ended), what, ": ", ended);
    ++cases;
    refusals += ended == refused;
  });
  CHECK(cases > 100);
  CHECK(refusals > cases / 2);
}

}  // namespace descriptors_damage_tests
