// A policy that breaks its contract is stopped, with the rule's name. And what hosts keep from a policy.
#include <mana/clock/host.hpp>
#include <mana/clock/policies.hpp>

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

namespace clock_contract_tests {

using namespace mana::clock;

namespace {

enum class fault { none, second_line, message_after_line, unheard_rank };

/// A rank says a word when it is asked; the coordinator declares the line at once, and does what it must not.
template <fault Fault>
struct hasty {
  static constexpr std::string_view name = "hasty";
  struct word {
    static constexpr std::tuple<> fields{};
  };
  using up = std::variant<word>;
  using down = std::variant<word>;

  template <class Transport>
  struct rank {
    rank(Transport& t, int) : transport(t) {}
    void begin(const std::vector<group_count>&) { transport.send(word{}); }
    void waits(const wait_set& peers) { told = peers; }
    void receive(const down&) {}
    verdict start(const collective&) { return verdict::hold; }
    Transport& transport;
    wait_set told;
    static constexpr std::tuple fields{&rank::told};
  };
  template <class Transport>
  struct coordinator {
    coordinator(Transport& t, int) : transport(t) {}
    void receive(int, const up&) {
      if (Fault == fault::unheard_rank) transport.send(1, word{});
      transport.declare_line();
      if (Fault == fault::second_line) transport.declare_line();
      if (Fault == fault::message_after_line) transport.send(0, word{});
    }
    std::string describe() const { return {}; }
    Transport& transport;
    static constexpr std::tuple<> fields{};
  };
};

struct nowhere {
  int lines = 0;
  void request(int, request_number) {}
  template <class Message>
  void send(int, const Message&) {}
  void line(int) { ++lines; }
  void answer(request_number) {}
  template <class Message>
  void send(const Message&) {}
};

template <fault Fault>
int one_request() {
  nowhere network;
  coordinator_host<hasty<Fault>, nowhere> host(network, 2);
  host.request();
  host.answer(0, 1);
  host.receive(0, {});
  return network.lines;
}

/// Says what it is made to, of a start in a request.
template <verdict Says, bool AlwaysAsks>
struct stubborn : hasty<fault::none> {
  static constexpr bool always_asks = AlwaysAsks;
  template <class Transport>
  struct rank : hasty<fault::none>::rank<Transport> {
    using hasty<fault::none>::rank<Transport>::rank;
    using hasty<fault::none>::rank<Transport>::begin;
    void begin(const std::vector<group_count>&, const std::vector<group_count>&) {}
    verdict start(const collective&) { return Says; }
  };
};
using always_hold = stubborn<verdict::hold, true>;
using barrier_by_surprise = stubborn<verdict::synchronize, false>;

template <policy P>
void ask_after_barrier() {
  nowhere network;
  rank_host<P, nowhere> host(network, 0);
  host.begin(1, {});
  host.start({.name = {1, 1}, .count = 1, .members = {}, .synchronized = true});
}

/// out: what was said on standard error by a process that did this, and "; killed by signal N"
template <class Body>
std::string last_words(Body body) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 2);
    close(ends[0]);
    body();
    _exit(0);
  }
  close(ends[1]);
  std::string said;
  char part[256];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;) said.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? said + "; killed by signal " + std::to_string(WTERMSIG(status)) : said;
}

bool names(const std::string& said, const char* rule) {
  return said.find("the clock policy hasty breaks its contract: " + std::string(rule)) != std::string::npos &&
         said.find("killed by signal 6") != std::string::npos;
}

/// Keeps what a rank's part was told last.
wait_set told(const rank_host<hasty<fault::none>, nowhere>& host) { return host.state()->told; }

}  // namespace

TEST_CASE("a policy that breaks its contract is stopped, and the rule is named") {
  CHECK(one_request<fault::none>() == 2);
  CHECK(names(last_words([] { one_request<fault::second_line>(); }), "rule 2: a second line"));
  CHECK(names(last_words([] { one_request<fault::message_after_line>(); }), "rule 2: a message after the line"));
  CHECK(names(last_words([] { ask_after_barrier<always_hold>(); }), "rule 4: a collective is held after"));
  CHECK(names(last_words([] { ask_after_barrier<barrier_by_surprise>(); }), "rule 4: it does not always ask"));
  CHECK(names(last_words([] { one_request<fault::unheard_rank>(); }),
              "rule 3: a message to a rank that has not been heard"));
}

TEST_CASE("INV-17 a coordinator hears nothing of a rank that has not answered this request") {
  nowhere network;
  coordinator_host<hasty<fault::none>, nowhere> host(network, 2);
  host.request();
  host.request();
  CHECK_FALSE(host.answer(0, 1));
  host.receive(0, {});
  CHECK_FALSE(host.done());
  CHECK(host.describe().find("rank 0 has not answered") != std::string::npos);
  CHECK(host.answer(0, 2));
  host.receive(0, {});
  CHECK(host.done());
  host.end();
  CHECK_FALSE(host.answer(0, 2));
}

TEST_CASE("INV-18 a start that is in the counts goes, even if it asks after the line") {
  nowhere network;
  rank_host<hasty<fault::none>, nowhere> host(network, 0);
  host.begin(1, {{{1, 1}, 5, {0, 1}}});
  host.line();
  CHECK(host.start({{1, 1}, 5, {}}) == verdict::go);
  CHECK(host.start({{1, 1}, 6, {}}) == verdict::hold);
  CHECK(host.start({{2, 2}, 1, {}}) == verdict::hold);
}

TEST_CASE("who always asks: a barrier before each blocking collective, and no other ones") {
  nowhere network;
  using host = rank_host<two_phase_commit, nowhere>;
  host h(network, 0);
  const rank_set both{0, 1};
  const collective next{.name = {1, 1}, .count = 70, .members = both};
  collective synchronized = next, at_once = next;
  synchronized.synchronized = true;
  at_once.blocking = false;
  CHECK(h.start(at_once) == verdict::refuse);
  CHECK(h.start(next) == verdict::synchronize);
  CHECK(h.start(synchronized) == verdict::go);
  CHECK(h.start(next) == verdict::synchronize);
  h.begin(1, {{{1, 1}, 71, both}});  // its host counts by itself
  CHECK(h.start(next) == verdict::synchronize);  // the barrier that is under way
  CHECK(h.start(synchronized) == verdict::go);
  CHECK(h.start(next) == verdict::hold);
  h.end();
  CHECK(h.start(next) == verdict::synchronize);
  h.begin(2, {});
  h.line();
  CHECK(h.start(next) == verdict::hold);
  h.end();
  CHECK(h.start(next) == verdict::synchronize);
}

TEST_CASE("waits of all threads are one set, which outlasts requests") {
  nowhere network;
  rank_host<hasty<fault::none>, nowhere> host(network, 3);
  const std::vector<int> two{5, 3}, other{4};
  host.wait_begins(1, two);
  host.begin(1, {});
  CHECK(told(host) == std::vector<int>{5});  // not of itself
  host.wait_begins(2, other);
  CHECK(told(host) == std::vector<int>{4, 5});
  host.wait_begins(7, {});
  CHECK(told(host) == std::vector<int>{});  // anyone
  host.wait_ends(7);
  host.end();
  CHECK(host.state() == nullptr);
  host.wait_ends(2);
  host.begin(2, {});
  CHECK(told(host) == std::vector<int>{5});
  host.wait_ends(1);
  CHECK(told(host) == std::nullopt);
  CHECK(host.start({{1, 1}, 1, {}}) == verdict::hold);
  host.end();
  CHECK(host.start({{1, 1}, 1, {}}) == verdict::go);
}

TEST_CASE("the policies meet the contract") {
  static_assert(policy<needs> && policy<collective_clock> && policy<hasty<fault::none>> && !policy<nowhere>);
}

}  // namespace clock_contract_tests
