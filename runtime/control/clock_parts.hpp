// The parts of a clock policy behind one interface for all policies. Their messages travel in frames.
#pragma once
#include <runtime/control/wire.hpp>

#include <mana/clock/host.hpp>
#include <mana/clock/tree.hpp>

#include <functional>
#include <memory>
#include <string_view>

namespace mana::control {

/// See clock::rank_host.
class rank_clock {
 public:
  virtual ~rank_clock() = default;
  virtual void begin(clock::request_number number, std::vector<clock::group_count> counts) = 0;
  /// frame: clock_down      errors: wire_error
  virtual void receive(frame_reader& frame) = 0;
  virtual void line() = 0;
  virtual void end() = 0;
  virtual clock::verdict start(const clock::collective& next) = 0;
  virtual void wait_begins(std::uint64_t who, std::span<const int> peers) = 0;
  virtual void wait_ends(std::uint64_t who) = 0;
  virtual bool always_asks() const noexcept = 0;
  virtual bool quiescing() const noexcept = 0;
  virtual bool at_line() const noexcept = 0;
  virtual std::uint64_t changes() const noexcept = 0;
};

/// The place where messages come together. If the policy does not combine messages, each rank is a link.
class link_clock {
 public:
  virtual ~link_clock() = default;
  virtual void end() = 0;
  /// frame: answered       out: whether it answers the current request      errors: wire_error
  virtual bool answer(int link, frame_reader& frame) = 0;
  /// frame: clock_up       errors: wire_error
  virtual void receive(int link, frame_reader& frame) = 0;
  virtual void settle() = 0;
};

/// See clock::coordinator_host.
class coordinator_clock : public link_clock {
 public:
  virtual void request() = 0;
  virtual bool done() const noexcept = 0;
  virtual std::string describe() const = 0;
};

/// See clock::relay_host.
class relay_clock : public link_clock {
 public:
  /// frame: requested      errors: wire_error
  virtual void request(frame_reader& frame) = 0;
  /// frame: clock_down     errors: wire_error
  virtual void hear(frame_reader& frame) = 0;
  virtual void line() = 0;
};

using to_parent = std::function<void(const bytes& frame)>;
using to_link = std::function<void(int link, const bytes& frame)>;

/// Whether the policy combines messages on their way to the coordinator.
/// in:     policy  a name of clock::policies, empty: the default (here and below)
/// errors: std::invalid_argument if there is no such policy (here and below)
bool combines(std::string_view policy);

std::unique_ptr<rank_clock> make_rank_clock(std::string_view policy, int rank, to_parent send);
/// links: of the coordinator's process. send: to a link, or to a rank if the policy does not combine
std::unique_ptr<coordinator_clock> make_coordinator_clock(std::string_view policy,
                                                          const std::vector<clock::rank_range>& links, to_link send);
/// out: nullptr if the policy does not combine
std::unique_ptr<relay_clock> make_relay_clock(std::string_view policy, std::vector<clock::rank_range> links,
                                              to_link send, to_parent send_up);

}  // namespace mana::control
