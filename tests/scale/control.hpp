// The hosts and policy parts of all processes, over the simulated network: what runtime/control does with sockets.
//
// A relay takes turns: what has arrived when it is free it takes together, then it settles. A rank takes messages one
// by one. The time of the policy's own code is not simulated; its messages and their bytes are.
#pragma once
#include "clock_port.hpp"
#include "measure.hpp"
#include "mpi.hpp"
#include "network.hpp"

#include <mana/clock/host.hpp>

#include <cstdlib>
#include <memory>

namespace clock_scale {

template <mana::clock::policy P>
class control final : public clock_port, public event_handler {
  static constexpr bool combines = mana::clock::combines<P>;

 public:
  control(event_queue& queue, int ranks, const network_options& options)
      : queue_(queue), options_(options), tree_(ranks, options.fan_out), traffic_(ranks) {
    for (int r = 0; r < ranks; ++r) processes_.emplace_back(*this, r);
    relays_.resize(static_cast<std::size_t>(ranks));
    tree::for_each_relay({0, ranks}, options.fan_out, [this](int process, auto& links) {
      relays_[static_cast<std::size_t>(process)] = std::make_unique<relay>(*this, process, links);
    });
  }
  void serve(mpi& program) { program_ = &program; }

  /// In process 0, now.
  void request() {
    relay& root = *relays_.front();
    root.leaves_at = queue_.now();
    root.coordinator->request();
  }
  bool line_is_known() const noexcept { return at_line_ == processes_.size(); }
  nanoseconds declared_at() const noexcept { return declared_at_; }
  nanoseconds requested_everywhere_at() const noexcept { return requested_everywhere_at_; }
  const traffic& messages() const noexcept { return traffic_; }
  std::string describe() const { return relays_.front()->coordinator->describe(); }
  std::uint64_t held() const noexcept { return held_; }

  /// Bytes of the hosts and parts in a process.
  std::size_t memory(int process) const {
    std::size_t sum = memory_of(processes_[static_cast<std::size_t>(process)].host);
    const std::unique_ptr<relay>& r = relays_[static_cast<std::size_t>(process)];
    if (r == nullptr) return sum;
    if (r->coordinator) sum += memory_of(*r->coordinator);
    if constexpr (combines)
      if (r->between) sum += memory_of(*r->between);
    return sum;
  }

  // clock_port
  mana::clock::verdict start(int rank, const mana::clock::collective& next) override {
    const mana::clock::verdict v = at(rank).host.start(next);
    if (v == mana::clock::verdict::hold) ++held_;
    return v;
  }
  void started(int, std::uint32_t, std::uint32_t) override {}
  void wait_begins(int rank, const std::vector<int>& peers) override { at(rank).host.wait_begins(0, peers); }
  void wait_ends(int rank) override { at(rank).host.wait_ends(0); }

 private:
  using number = mana::clock::request_number;
  enum class letter_kind : std::uint8_t { answer, news, request, orders, line };

  struct letter {
    letter_kind kind;
    bool to_relay;
    int from, to;  // processes
    int link;      // of the relay that it came over
    std::uint32_t round;
    number request;
    std::variant<std::monostate, typename P::up, typename P::down> content;
    std::size_t bytes() const {
      constexpr std::size_t header = 8;  // length, type
      return header + sizeof(number) + (content.index() == 0 ? 0 : wire_bytes(content));
    }
  };
  using letter_pointer = std::unique_ptr<letter>;

  /// A rank's surroundings.
  struct rank_port {
    control& in;
    int rank;
    void answer(number n) { in.say(rank, {letter_kind::answer, true, rank, 0, 0, 0, n, {}}); }
    void send(const typename P::up& m) { in.say(rank, {letter_kind::news, true, rank, 0, 0, 0, 0, m}); }
  };
  struct process {
    process(control& in, int rank) : port{in, rank}, host(port, rank) {}
    rank_port port;
    mana::clock::rank_host<P, rank_port> host;
    nanoseconds speaks_at = 0, hears_at = 0, arrives_at = 0;  // its last message leaves; was taken; arrives above
    std::uint64_t changes = 0;
    std::uint32_t heard = 0;  // round
  };

  struct relay;
  struct relay_port {
    control& in;
    relay& self;
    void answer(number n) { up({letter_kind::answer, true, self.process, 0, 0, 0, n, {}}); }
    void send_up(const typename P::up& m) { up({letter_kind::news, true, self.process, 0, 0, 0, 0, m}); }
    void request(int link, number n) { down(link, {letter_kind::request, false, self.process, 0, 0, 0, n, {}}); }
    void send(int link, const typename P::down& m) {
      down(link, {letter_kind::orders, false, self.process, 0, 0, 0, 0, m});
    }
    void line(int link) { down(link, {letter_kind::line, false, self.process, 0, 0, 0, 0, {}}); }

   private:
    void up(letter l) { in.pass_up(self, std::move(l)); }
    void down(int link, letter l) { in.pass_down(self, link, std::move(l)); }
  };
  struct nothing {};
  static auto relay_type() {
    if constexpr (combines) return std::type_identity<mana::clock::relay_host<P, relay_port>>{};
    else return std::type_identity<nothing>{};
  }
  struct relay {
    relay(control& in, int number, const std::vector<mana::clock::rank_range>& to)
        : port{in, *this}, process(number), links(to) {
      if (process == 0) coordinator.emplace(port, links);
      if constexpr (combines)
        if (process != 0) between.emplace(port, links);
    }
    relay_port port;
    const int process;
    const std::vector<mana::clock::rank_range> links;
    std::optional<mana::clock::coordinator_host<P, relay_port>> coordinator;
    std::optional<typename decltype(relay_type())::type> between;
    std::vector<letter_pointer> arrived;  // and not taken
    bool has_turn = false;                // its next turn is in the queue
    nanoseconds leaves_at = 0;            // its last message; it is busy until then
    nanoseconds may_begin_at = 0;         // its next turn
    nanoseconds arrives_at = 0;           // its last message to above
    std::vector<nanoseconds> arrives_below = std::vector<nanoseconds>(links.size());  // by link: the last message
    std::uint32_t heard = 0;              // round
  };

  process& at(int rank) { return processes_[static_cast<std::size_t>(rank)]; }
  const process& at(int rank) const { return processes_[static_cast<std::size_t>(rank)]; }

  template <class Host>
  static std::size_t memory_of(const Host& host) {
    return sizeof host + heap_bytes(host) + (host.state() == nullptr ? 0 : heap_bytes(*host.state()));
  }

  // ---- messages leave

  nanoseconds bytes_time(const letter& l) const {
    return static_cast<nanoseconds>(static_cast<double>(l.bytes()) * options_.ns_per_byte);
  }
  nanoseconds under_way(const letter& l) {
    if (l.from == l.to) return options_.local();
    if (options_.jitter == 0) return options_.link;
    const double share = random_fraction(options_.seed, 2, ++sent_);
    return options_.link + static_cast<nanoseconds>(share * static_cast<double>(options_.jitter));
  }

  /// A rank speaks with the relay of its process, or with that of its parent.
  void say(int rank, letter l) {
    process& p = at(rank);
    const tree_place& place = tree_.at(rank);
    l.to = place.has_relay ? rank : place.parent;
    l.link = place.has_relay ? 0 : place.link;
    l.round = p.heard + 1;
    p.speaks_at = std::max(p.speaks_at, queue_.now()) + options_.handling + bytes_time(l);
    post(std::move(l), p.speaks_at, p.arrives_at);
  }
  void pass_up(relay& r, letter l) {
    const tree_place& place = tree_.at(r.process);
    l.to = place.parent;
    l.link = place.link;
    leave(r, std::move(l), r.arrives_at);
  }
  void pass_down(relay& r, int link, letter l) {
    l.to = r.links[static_cast<std::size_t>(link)].first;
    l.to_relay = link != 0 && tree_.at(l.to).has_relay;
    if (l.kind == letter_kind::line && r.process == 0) declared_at_ = queue_.now();
    leave(r, std::move(l), r.arrives_below[static_cast<std::size_t>(link)]);
  }
  void leave(relay& r, letter l, nanoseconds& last_arrival) {
    l.round = r.heard;
    r.leaves_at += options_.handling + bytes_time(l);
    post(std::move(l), r.leaves_at, last_arrival);
  }
  /// last_arrival: of this pair, in this direction
  void post(letter l, nanoseconds leaves_at, nanoseconds& last_arrival) {
    traffic_.count(l.from, l.to, l.round, l.bytes());
    last_arrival = std::max(last_arrival, leaves_at + under_way(l));
    nanoseconds when = last_arrival;
    if (!l.to_relay) when = at(l.to).hears_at = std::max(at(l.to).hears_at, when) + options_.handling;
    queue_.push(when, *this, reinterpret_cast<std::uint64_t>(new letter(std::move(l))) | is_letter);
  }

  // ---- messages arrive

  /// Set in an event's word that is the address of a letter; else it is a process whose relay has its turn.
  static constexpr std::uint64_t is_letter = 1ull << 63;

  void on_event(std::uint64_t what) override {
    if ((what & is_letter) == 0) return take_turn(*relays_[what]);
    letter_pointer l(reinterpret_cast<letter*>(what & ~is_letter));
    if (!l->to_relay) return hear(*l);
    relay& r = *relays_[static_cast<std::size_t>(l->to)];
    r.arrived.push_back(std::move(l));
    if (!std::exchange(r.has_turn, true))
      queue_.push(std::max({queue_.now(), r.leaves_at, r.may_begin_at}), *this, static_cast<std::uint64_t>(r.process));
  }

  void take_turn(relay& r) {
    const std::vector<letter_pointer> taken = std::exchange(r.arrived, {});
    r.has_turn = false;
    r.may_begin_at = queue_.now() + options_.pace;
    r.leaves_at = std::max(r.leaves_at, queue_.now());
    for (const letter_pointer& l : taken) {
      r.heard = std::max(r.heard, l->round);
      r.leaves_at += options_.handling + bytes_time(*l);
    }
    for (const letter_pointer& l : taken) deliver(r, *l);
    if (r.coordinator) r.coordinator->settle();
    if constexpr (combines)
      if (r.between) r.between->settle();
  }
  void deliver(relay& r, const letter& l) {
    if (r.coordinator) return deliver_from_below(*r.coordinator, l);
    if constexpr (combines) {
      switch (l.kind) {
        case letter_kind::answer:
        case letter_kind::news: deliver_from_below(*r.between, l); break;
        case letter_kind::request: r.between->request(l.request); break;
        case letter_kind::orders: r.between->hear(std::get<typename P::down>(l.content)); break;
        case letter_kind::line: r.between->line(); break;
      }
    }
  }
  template <class Host>
  void deliver_from_below(Host& host, const letter& l) {
    if (l.kind == letter_kind::answer) host.answer(l.link, l.request);
    else host.receive(l.link, std::get<typename P::up>(l.content));
  }

  void hear(const letter& l) {
    process& p = at(l.to);
    p.heard = std::max(p.heard, l.round);
    switch (l.kind) {
      case letter_kind::request:
        p.host.begin(l.request, counts_of(l.to));
        program_->begin_quiesce(l.to);
        if (++asked_ == processes_.size()) requested_everywhere_at_ = queue_.now();
        break;
      case letter_kind::orders: p.host.receive(std::get<typename P::down>(l.content)); break;
      case letter_kind::line:
        p.host.line();
        ++at_line_;
        return;
      default: std::abort();  // these go to relays
    }
    if (std::exchange(p.changes, p.host.changes()) != p.host.changes()) program_->ask_again(l.to);
  }

  std::vector<mana::clock::group_count> counts_of(int rank) const {
    std::vector<mana::clock::group_count> counts;
    for (const counted_group& c : program_->counts(rank)) {
      const group& g = program_->groups().at(c.group);
      counts.push_back({g.name, c.count, g.members});
    }
    return counts;
  }

  event_queue& queue_;
  const network_options options_;
  const tree tree_;
  traffic traffic_;
  mpi* program_ = nullptr;
  std::deque<process> processes_;  // by rank; they do not move
  std::vector<std::unique_ptr<relay>> relays_;  // by process
  std::uint64_t sent_ = 0, held_ = 0;
  std::size_t at_line_ = 0, asked_ = 0;
  nanoseconds declared_at_ = -1, requested_everywhere_at_ = -1;
};

}  // namespace clock_scale
