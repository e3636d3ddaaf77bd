#include "clock_parts.hpp"

#include <mana/clock/policies.hpp>

#include <stdexcept>

namespace mana::control {

namespace {

template <clock::policy P>
class rank_clock_of final : public rank_clock {
 public:
  rank_clock_of(int rank, std::function<void(const bytes&)> send)
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
  struct transport {
    std::function<void(const bytes&)> frame;
    void answer(clock::request_number number) { frame(frame_writer(frame_type::answered).put(number).take()); }
    void send(const typename P::up& message) { frame(frame_writer(frame_type::clock_up).put(message).take()); }
  };
  transport to_coordinator_;
  clock::rank_host<P, transport> host_;
};

template <clock::policy P>
class coordinator_clock_of final : public coordinator_clock {
 public:
  coordinator_clock_of(int ranks, std::function<void(int, const bytes&)> send)
      : to_ranks_{std::move(send)}, host_(to_ranks_, ranks) {}

  void request() override { host_.request(); }
  void end() override { host_.end(); }
  bool done() const noexcept override { return host_.done(); }
  bool answer(int rank, frame_reader& frame) override { return host_.answer(rank, frame.get<clock::request_number>()); }
  void receive(int rank, frame_reader& frame) override { host_.receive(rank, frame.get<typename P::up>()); }
  void settle() override { host_.settle(); }
  std::string describe() const override { return host_.describe(); }

 private:
  struct transport {
    std::function<void(int, const bytes&)> frame;
    void request(int rank, clock::request_number number) {
      frame(rank, frame_writer(frame_type::requested).put(number).take());
    }
    void send(int rank, const typename P::down& message) {
      frame(rank, frame_writer(frame_type::clock_down).put(message).take());
    }
    void line(int rank) { frame(rank, frame_writer(frame_type::line).take()); }
  };
  transport to_ranks_;
  clock::coordinator_host<P, transport> host_;
};

/// make: <Policy>() → the part for it
template <class Part, class Make>
std::unique_ptr<Part> of_policy(std::string_view name, Make&& make) {
  std::unique_ptr<Part> made;
  const bool known = clock::with_policy(name, [&]<class P>() { made = make.template operator()<P>(); });
  if (!known) throw std::invalid_argument("there is no clock policy " + std::string(name));
  return made;
}

}  // namespace

std::unique_ptr<rank_clock> make_rank_clock(std::string_view policy, int rank, std::function<void(const bytes&)> send) {
  return of_policy<rank_clock>(policy,
                               [&]<class P>() { return std::make_unique<rank_clock_of<P>>(rank, std::move(send)); });
}

std::unique_ptr<coordinator_clock> make_coordinator_clock(std::string_view policy, int ranks,
                                                          std::function<void(int, const bytes&)> send) {
  return of_policy<coordinator_clock>(
      policy, [&]<class P>() { return std::make_unique<coordinator_clock_of<P>>(ranks, std::move(send)); });
}

}  // namespace mana::control
