// What the scripted lower half has of its own, and how its answers in stock are laid down. For its own sources only.
#pragma once
#include "scripted.hpp"

#include <algorithm>
#include <map>

namespace mana::scripted {

struct object {
  kind_code kind;
  std::vector<int> group;                        // of a communicator
  bool at_drain = false;                         // of a request: a drain completes it
  std::optional<neutral::status> completed;      // of a request
};

struct lower_half {
  std::map<std::uint64_t, object> objects;
  std::uint64_t next = 1;
  std::uint64_t generation = 0;                  // of the process: every restart has another lower half
  std::deque<message> network;
  std::map<std::uint64_t, message> matched;
  std::vector<std::pair<int, std::string>> mails;
  std::vector<std::string> notes;
  std::optional<int> aborted;
  outcome next_checkpoint = outcome::resumes;
  std::function<void()> after_checkpoint;
  int parks = 0, turns = 0;
  void (*run)() = nullptr;                       // a checkpoint; nullptr: of a program with MPI's classes of objects
};
lower_half& half();

/// Handles tell their process and their kind, and are wider than 32 bits.
inline constexpr std::uint64_t predefined_bit = 1ull << 60;

/// What answers a function where the test expects nothing. answer: takes the call's arguments, or none
template <auto Member, class F>
void stock(F answer) {
  using action = typename script<Member>::action;
  if constexpr (std::is_constructible_v<action, F>) script<Member>::instance().set_stock(answer);
  else script<Member>::instance().set_stock([answer](auto...) { return answer(); });
}

/// Objects' handles that go in. gives: positions at which an address is of one that does
using positions = std::vector<std::size_t>;

template <class T>
void check_argument(std::size_t, const T&, const positions&) {}
template <class K>
  requires requires { K::code; }
void check_argument(std::size_t, const real<K>& given, const positions&) { check_live(given); }
template <class K>
  requires requires { K::code; }
void check_argument(std::size_t at, real<K>* const& given, const positions& gives) {
  if (std::find(gives.begin(), gives.end(), at) != gives.end()) check_live(*given);
}
template <auto Member>
void check_handles(positions gives = {}) {
  script<Member>::instance().set_check([gives](const auto& arguments) {
    std::apply([&](const auto&... a) {
      std::size_t at = 0;
      (check_argument(at++, a, gives), ...);
    }, arguments);
  });
}

/// The table of services, of which each is a script.
services& own_services();
/// Answers in stock: for services and slots that have one.
void stock_all();

}  // namespace mana::scripted
