// A relay between a parent and links that the test plays, frame by frame.
#include <runtime/control/relay.hpp>

#include <doctest/doctest.h>
#include <poll.h>

#include <thread>

namespace control_relay_tests {

using namespace mana;
using namespace mana::control;

namespace {

void await_input(connection& c) {
  pollfd wait{c.fd(), POLLIN, 0};
  poll(&wait, 1, -1);
}

/// The next frame, whole.
bytes next(connection& c) {
  for (;;) {
    if (const auto frame = c.next()) return whole(frame_reader(*frame));
    await_input(c);
    REQUIRE(c.receive());
  }
}

/// The relay closes the connection, and says nothing before.
bool is_cut_off(connection& c) {
  await_input(c);
  return !c.receive() && !c.next();
}

bytes frame(frame_type type) { return frame_writer(type).take(); }
template <class... Fields>
bytes frame(frame_type type, const Fields&... fields) {
  frame_writer made(type);
  (made.put(fields), ...);
  return made.take();
}

rank_result result_of(int rank, const std::string& failure = {}) {
  return {{rank, 1000, 2000, 3, 100, {1, 2}, "plain", {"a warning"}, 0.5}, failure};
}

std::string text_of(const std::vector<rank_result>& results) {
  std::string text;
  for (const rank_result& r : results) text += std::to_string(r.image.rank) + r.failure + r.image.warnings.at(0) + ";";
  return text;
}

constexpr clock::request_number first = 1, second = 2;

/// The relay of process 1, for ranks 1 to 5 of 11 with two children each: links to rank 1, to 2 and 3, to 4 and 5.
struct fixture {
  explicit fixture(std::string policy = "needs_gated") {
    const listener above = listen_on_any_port();
    listener own = listen_on_any_port();
    port = own.port;
    const traced_job job{{}, key, 11, 2, policy};
    tested = std::make_unique<relay>(job, clock::rank_range{1, 6}, std::move(own), [port = above.port] { return call(port); });
    runs = std::thread([this] { tested->run(); });
    parent = std::make_unique<connection>(accept(above));
    CHECK(next(*parent) == frame(frame_type::hello_rank, key, 1));
    parent->send_all(frame(frame_type::welcome));
  }
  ~fixture() {
    parent.reset();
    runs.join();
  }
  static handle accept(const listener& l) {
    pollfd wait{l.socket.get(), POLLIN, 0};
    poll(&wait, 1, -1);
    return accept_from(l);
  }
  static std::unique_ptr<connection> call(std::uint16_t port) {
    return std::make_unique<connection>(connect_to({"127.0.0.1"}, port));
  }
  std::unique_ptr<connection> stranger() const { return call(port); }
  std::unique_ptr<connection> link(int rank) const {
    auto made = stranger();
    made->send_all(frame(frame_type::hello_rank, key, rank));
    CHECK(next(*made) == frame(frame_type::welcome));
    return made;
  }
  /// All links, and `here` upwards.
  void connect() {
    for (const int rank : {1, 2, 4}) links.push_back(link(rank));
    for (const std::size_t relay : {1u, 2u}) links[relay]->send_all(frame(frame_type::here));
    CHECK(next(*parent) == frame(frame_type::here));
  }
  void say(std::size_t link, const bytes& what) { links[link]->send_all(what); }

  job_key key{1, 2, 3};
  std::uint16_t port = 0;
  std::unique_ptr<relay> tested;
  std::thread runs;
  std::unique_ptr<connection> parent;
  std::vector<std::unique_ptr<connection>> links;
};

}  // namespace

TEST_CASE("a relay is here when all that are behind its links are") {
  fixture f;
  for (const int rank : {4, 1, 2}) f.links.push_back(f.link(rank));
  f.links[0]->send_all(frame(frame_type::here));
  f.links[1]->send_all(frame(frame_type::request, std::uint8_t{1}));
  CHECK(next(*f.parent) == frame(frame_type::request, std::uint8_t{1}));    // and no `here` before
  f.links[2]->send_all(frame(frame_type::here));
  CHECK(next(*f.parent) == frame(frame_type::here));
}

TEST_CASE("what all have said is said once") {
  fixture f;
  f.connect();
  for (const std::size_t l : {2u, 0u, 1u}) f.say(l, frame(frame_type::parked, first));
  CHECK(next(*f.parent) == frame(frame_type::parked, first));
  f.say(2, frame(frame_type::written, first, std::vector{result_of(4), result_of(5, "full")}));
  f.say(0, frame(frame_type::written, first, std::vector{result_of(1)}));
  f.say(1, frame(frame_type::written, first, std::vector{result_of(2), result_of(3)}));
  const bytes said = next(*f.parent);
  frame_reader written(std::span<const std::uint8_t>(said).subspan(4));
  CHECK(written.type() == frame_type::written);
  CHECK(written.get<clock::request_number>() == first);
  CHECK(text_of(written.get<std::vector<rank_result>>()) ==
        "1a warning;2a warning;3a warning;4a warning;5fulla warning;");
  for (const std::size_t l : {0u, 1u, 2u}) f.say(l, frame(frame_type::ending));
  CHECK(next(*f.parent) == frame(frame_type::ending));
}

TEST_CASE("INV-23 what is said of a request that was given up counts in no other") {
  fixture f;
  f.connect();
  for (const std::size_t l : {0u, 1u}) {
    f.say(l, frame(frame_type::parked, first));
    f.say(l, frame(frame_type::parked, second));
  }
  f.say(2, frame(frame_type::parked, first));      // too late
  f.say(2, frame(frame_type::written, first, std::vector{result_of(4), result_of(5)}));
  f.say(2, frame(frame_type::parked, second));
  CHECK(next(*f.parent) == frame(frame_type::parked, second));
  f.say(0, frame(frame_type::written, second, std::vector{result_of(1)}));
  f.say(1, frame(frame_type::written, second, std::vector{result_of(2), result_of(3)}));
  f.say(0, frame(frame_type::request, std::uint8_t{0}));
  CHECK(next(*f.parent) == frame(frame_type::request, std::uint8_t{0}));
  f.say(2, frame(frame_type::written, second, std::vector{result_of(4, "no"), result_of(5)}));
  const bytes said = next(*f.parent);
  frame_reader written(std::span<const std::uint8_t>(said).subspan(4));
  CHECK(written.get<clock::request_number>() == second);
  CHECK(written.get<std::vector<rank_result>>().size() == 5);
}

TEST_CASE("orders go to all links, in order") {
  fixture f;
  f.connect();
  const std::vector<bytes> orders{frame(frame_type::proceed, std::string("gen-1")),
                                  frame(frame_type::verdict, std::uint8_t{0}, std::uint8_t{1}),
                                  frame(frame_type::verdict, std::uint8_t{1}, std::uint8_t{0}),
                                  frame(frame_type::stored, std::uint8_t{1}),
                                  frame(frame_type::end)};
  for (const bytes& order : orders) f.parent->send_all(order);
  for (const auto& link : f.links)
    for (const bytes& order : orders) CHECK(next(*link) == order);
}

TEST_CASE("a relay ends with the job that a checkpoint stops") {
  fixture f;
  f.connect();
  const bytes verdict = frame(frame_type::verdict, std::uint8_t{1}, std::uint8_t{1});
  f.parent->send_all(verdict);
  for (const auto& link : f.links) CHECK(next(*link) == verdict);
  f.runs.join();
  f.runs = std::thread([] {});
}

TEST_CASE("messages of a policy that does not combine pass through, marked with their ranks") {
  fixture f;
  f.connect();
  const bytes answered = frame(frame_type::answered, first), requested = frame(frame_type::requested, first);
  f.say(0, answered);
  CHECK(next(*f.parent) == marked(frame_type::of_rank, 1, answered));
  f.say(1, marked(frame_type::of_rank, 3, answered));
  CHECK(next(*f.parent) == marked(frame_type::of_rank, 3, answered));
  for (const int rank : {1, 3, 5}) f.parent->send_all(marked(frame_type::to_rank, rank, requested));
  CHECK(next(*f.links[0]) == requested);
  CHECK(next(*f.links[1]) == marked(frame_type::to_rank, 3, requested));
  CHECK(next(*f.links[2]) == marked(frame_type::to_rank, 5, requested));
}

TEST_CASE("those of one that combines are the relay's own") {
  fixture f("needs");
  f.connect();
  f.parent->send_all(frame(frame_type::requested, first));
  CHECK(next(*f.parent) == frame(frame_type::answered, first));
  for (const auto& link : f.links) CHECK(next(*link) == frame(frame_type::requested, first));
  f.parent->send_all(frame(frame_type::line));
  for (const auto& link : f.links) CHECK(next(*link) == frame(frame_type::line));
}

TEST_CASE("who is lost is told by ranges, and may come again") {
  fixture f;
  f.connect();
  f.links[1].reset();
  CHECK(next(*f.parent) == frame(frame_type::lost, clock::rank_range{2, 4}));
  f.say(2, frame(frame_type::lost, clock::rank_range{5, 6}));
  CHECK(next(*f.parent) == frame(frame_type::lost, clock::rank_range{5, 6}));
  f.links[1] = f.link(2);
  for (const std::size_t l : {1u, 0u, 2u}) f.say(l, frame(frame_type::ending));
  CHECK(next(*f.parent) == frame(frame_type::ending));
}

TEST_CASE("frames that are malformed cut off their link only") {
  fixture f;
  f.connect();
  SUBCASE("of no type") { f.say(1, {1, 0, 0, 0, 99}); }
  SUBCASE("of the wrong direction") { f.say(1, frame(frame_type::end)); }
  SUBCASE("too long") { f.say(1, {0xff, 0xff, 0xff, 0xff}); }
  SUBCASE("cut off") { f.say(1, frame(frame_type::parked, std::uint8_t{1})); }
  SUBCASE("too few results") { f.say(1, frame(frame_type::written, first, std::vector{result_of(2)})); }
  SUBCASE("another's results") {
    f.say(1, frame(frame_type::written, first, std::vector{result_of(4), result_of(5)}));
  }
  SUBCASE("of a rank that is not there") {
    f.say(1, marked(frame_type::of_rank, 4, frame(frame_type::answered, first)));
  }
  SUBCASE("a relay that speaks as a rank") { f.say(1, frame(frame_type::answered, first)); }
  CHECK(next(*f.parent) == frame(frame_type::lost, clock::rank_range{2, 4}));
  CHECK(is_cut_off(*f.links[1]));
  f.say(0, frame(frame_type::request, std::uint8_t{0}));
  CHECK(next(*f.parent) == frame(frame_type::request, std::uint8_t{0}));
}

TEST_CASE("a relay without parent closes its links and tells nobody anything") {
  std::string policy;
  fixture f;
  f.connect();
  SUBCASE("it has gone") { f.parent.reset(); }
  SUBCASE("it says what nobody says") { f.parent->send_all(frame(frame_type::written)); }
  SUBCASE("it has orders for ranks elsewhere") {
    f.parent->send_all(marked(frame_type::to_rank, 6, frame(frame_type::requested, first)));
  }
  SUBCASE("it speaks to a clock that is not there") { f.parent->send_all(frame(frame_type::requested, first)); }
  for (const auto& link : f.links) CHECK(is_cut_off(*link));
  CHECK_THROWS(f.stranger());
}

TEST_CASE("strangers do not get into a tree") {
  fixture f;
  job_key wrong = f.key;
  wrong[31] ^= 1;
  const std::vector<bytes> hellos{frame(frame_type::hello_rank, wrong, 1), frame(frame_type::hello_client, f.key),
                                  frame(frame_type::hello_rank, f.key, 3), frame(frame_type::hello_rank, f.key, -1),
                                  {0xff, 0xff, 0xff, 0x03}};
  for (const bytes& hello : hellos) {
    const auto caller = f.stranger();
    caller->send_all(hello);
    CHECK(is_cut_off(*caller));
  }
  std::vector<std::unique_ptr<connection>> silent;
  for (int i = 0; i < 200; ++i) silent.push_back(f.stranger());
  f.connect();
  const auto second_one = f.stranger();
  second_one->send_all(frame(frame_type::hello_rank, f.key, 2));
  CHECK(is_cut_off(*second_one));
  f.say(1, frame(frame_type::request, std::uint8_t{0}));
  CHECK(next(*f.parent) == frame(frame_type::request, std::uint8_t{0}));
}

}  // namespace control_relay_tests
