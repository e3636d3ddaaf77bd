#include <runtime/control/clock_parts.hpp>

#include <mana/clock/policies.hpp>

#include <stdexcept>

namespace mana::control {

namespace {

// Transports of the hosts.

template <class P>
struct sender_up {
  to_parent frame;
  void answer(clock::request_number number) { frame(frame_writer(frame_type::answered).put(number).take()); }
  void send(const typename P::up& message) { frame(frame_writer(frame_type::clock_up).put(message).take()); }
};

template <class P>
struct sender_to_links {
  to_link frame;
  void request(int link, clock::request_number number) {
    frame(link, frame_writer(frame_type::requested).put(number).take());
  }
  void send(int link, const typename P::down& message) {
    frame(link, frame_writer(frame_type::clock_down).put(message).take());
  }
  void line(int link) { frame(link, frame_writer(frame_type::line).take()); }
};

/// A link for each rank in `ranges`.
std::vector<clock::rank_range> one_by_one(const std::vector<clock::rank_range>& links) {
  std::vector<clock::rank_range> ranks;
  for (int r = links.front().first; r < links.back().end; ++r) ranks.push_back({r, r + 1});
  return ranks;
}

template <clock::policy P>
class rank_clock_of final : public rank_clock {
 public:
  rank_clock_of(int rank, to_parent send)
      : to_coordinator_{std::move(send)}, host_(to_coordinator_, rank) {}

  void begin(clock::request_number number, std::vector<clock::group_count> counts) override {
    host_.begin(number, std::move(counts));
  }
  void receive(frame_reader& frame) override { host_.receive(frame.get<typename P::down>()); }
  void line() override { host_.line(); }
  void end() override { host_.end(); }
  clock::verdict start(const clock::collective& next) override { return host_.start(next); }
  void wait_begins(std::uint64_t who, std::span<const int> peers) override { host_.wait_begins(who, peers); }
  void wait_ends(std::uint64_t who) override { host_.wait_ends(who); }
  bool always_asks() const noexcept override { return clock::always_asks<P>; }
  bool quiescing() const noexcept override { return host_.quiescing(); }
  bool at_line() const noexcept override { return host_.at_line(); }
  std::uint64_t changes() const noexcept override { return host_.changes(); }

 private:
  using transport = sender_up<P>;
  transport to_coordinator_;
  clock::rank_host<P, transport> host_;
};

template <clock::policy P>
class coordinator_clock_of final : public coordinator_clock {
 public:
  coordinator_clock_of(const std::vector<clock::rank_range>& links, to_link send)
      : to_links_{std::move(send)}, host_(to_links_, clock::combines<P> ? links : one_by_one(links)) {}

  void request() override { host_.request(); }
  void end() override { host_.end(); }
  bool done() const noexcept override { return host_.done(); }
  bool answer(int link, frame_reader& frame) override {
    return host_.answer(link, frame.get<clock::request_number>());
  }
  void receive(int link, frame_reader& frame) override { host_.receive(link, frame.get<typename P::up>()); }
  void settle() override { host_.settle(); }
  std::string describe() const override { return host_.describe(); }

 private:
  using transport = sender_to_links<P>;
  transport to_links_;
  clock::coordinator_host<P, transport> host_;
};

template <clock::policy P>
  requires clock::combines<P>
class relay_clock_of final : public relay_clock {
 public:
  relay_clock_of(std::vector<clock::rank_range> links, to_link send, to_parent send_up)
      : around_{{std::move(send)}, {std::move(send_up)}}, host_(around_, std::move(links)) {}

  void request(frame_reader& frame) override { host_.request(frame.get<clock::request_number>()); }
  void hear(frame_reader& frame) override { host_.hear(frame.get<typename P::down>()); }
  void line() override { host_.line(); }
  void end() override { host_.end(); }
  bool answer(int link, frame_reader& frame) override {
    return host_.answer(link, frame.get<clock::request_number>());
  }
  void receive(int link, frame_reader& frame) override { host_.receive(link, frame.get<typename P::up>()); }
  void settle() override { host_.settle(); }

 private:
  struct transport : sender_to_links<P> {
    sender_up<P> up;
    void answer(clock::request_number number) { up.answer(number); }
    void send_up(const typename P::up& message) { up.send(message); }
  };
  transport around_;
  clock::relay_host<P, transport> host_;
};

/// make: <Policy>() → the part of that policy
template <class Part, class Make>
std::unique_ptr<Part> of_policy(std::string_view name, Make&& make) {
  std::unique_ptr<Part> made;
  const bool known = clock::with_policy(name, [&]<class P>() { made = make.template operator()<P>(); });
  if (!known) throw std::invalid_argument("there is no clock policy " + std::string(name));
  return made;
}

}  // namespace

std::unique_ptr<rank_clock> make_rank_clock(std::string_view policy, int rank, to_parent send) {
  return of_policy<rank_clock>(policy,
                               [&]<class P>() { return std::make_unique<rank_clock_of<P>>(rank, std::move(send)); });
}

bool combines(std::string_view policy) {
  bool found = false;
  const bool known = clock::with_policy(policy, [&]<class P>() { found = clock::combines<P>; });
  if (!known) throw std::invalid_argument("there is no clock policy " + std::string(policy));
  return found;
}

std::unique_ptr<coordinator_clock> make_coordinator_clock(std::string_view policy,
                                                          const std::vector<clock::rank_range>& links, to_link send) {
  return of_policy<coordinator_clock>(
      policy, [&]<class P>() { return std::make_unique<coordinator_clock_of<P>>(links, std::move(send)); });
}

std::unique_ptr<relay_clock> make_relay_clock(std::string_view policy, std::vector<clock::rank_range> links,
                                              to_link send, to_parent send_up) {
  return of_policy<relay_clock>(policy, [&]<class P>() -> std::unique_ptr<relay_clock> {
    if constexpr (clock::combines<P>)
      return std::make_unique<relay_clock_of<P>>(std::move(links), std::move(send), std::move(send_up));
    else return nullptr;
  });
}

}  // namespace mana::control
