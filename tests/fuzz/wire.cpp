// What comes over a control connection: bytes in any pieces become frames, and frames what the parts of a job make of them.
#include <runtime/control/clock_parts.hpp>
#include <runtime/control/connection.hpp>
#include <runtime/control/endpoint.hpp>
#include <runtime/control/progress.hpp>
#include <runtime/control/surroundings.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <span>
#include <vector>

namespace {

using namespace mana;
using control::frame_reader;

constexpr const char* policies[] = {"needs", "needs_gated", "collective_clock", "hybrid_two_phase", "two_phase_commit"};

template <class Use>
void attempt(std::span<const std::uint8_t> frame, Use&& use) {
  try {
    frame_reader reader(frame);
    use(reader);
  } catch (const control::wire_error&) {
  }
}

/// What each kind of process takes out of a frame.
void take_apart(std::span<const std::uint8_t> frame, const std::string& policy) {
  static const std::vector<clock::rank_range> links{{0, 1}, {1, 3}};
  attempt(frame, [](frame_reader& f) {
    const control::bytes whole = control::whole(f);
    if (whole.size() != f.rest().size() + 5) __builtin_trap();
    control::marked(control::frame_type::of_rank, 1, whole);
  });
  attempt(frame, [](frame_reader& f) {
    control::progress all(links);
    all.hear(static_cast<int>(f.rest().size() % 2), f);
    all.all_written();
    all.take_results();
  });
  attempt(frame, [](frame_reader& f) {
    f.get<control::job_key>();
    f.get<int>();
  });
  attempt(frame, [](frame_reader& f) {
    f.get<std::string>();
    f.get<std::uint64_t>();
    f.get<std::uint8_t>();
  });
  attempt(frame, [](frame_reader& f) { f.get<clock::rank_range>(); });
  attempt(frame, [&](frame_reader& f) {
    const auto clock = control::make_coordinator_clock(policy, links, [](int, const control::bytes&) {});
    clock->request();
    clock->receive(0, f);
  });
  attempt(frame, [&](frame_reader& f) {
    const auto clock = control::make_rank_clock(policy, 0, [](const control::bytes&) {});
    clock->receive(f);
  });
  attempt(frame, [](frame_reader& f) { control::decode_endpoint(f.rest()); });
}

/// The bytes in pieces of this size.
void receive_all(std::span<const std::uint8_t> sent, std::size_t piece, const std::string& policy) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) __builtin_trap();
  control::handle ours(ends[0]);
  control::connection theirs{control::handle(ends[1])};
  try {
    while (!sent.empty()) {
      const std::size_t n = std::min(piece, sent.size());
      if (send(ours.get(), sent.data(), n, MSG_NOSIGNAL) != static_cast<ssize_t>(n)) __builtin_trap();
      sent = sent.subspan(n);
      theirs.receive();
      while (const auto frame = theirs.next(control::max_hello * 64)) take_apart(*frame, policy);
    }
  } catch (const control::wire_error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string policy = policies[data[0] % std::size(policies)];
  receive_all({data + 2, size - 2}, 1 + data[1], policy);
  return 0;
}
