#include <runtime/redundancy/party.hpp>

#include <runtime/redundancy/parity_layout.hpp>

#include <algorithm>
#include <cstring>

namespace mana::redundancy {
namespace {

/// A member's report in agree().
struct verdict {
  std::uint32_t kind = 0;        // error_kind; 0: all is well
  char text[508] = {};           // truncated, with a zero at its end
};

}  // namespace

void membership::check() const {
  const unsigned n = of.members();
  if (n < 2 || n > most_members || of.parity < 1 || of.parity > most_parity || of.parity >= n || own >= n)
    throw redundancy_error(error_kind::usage, "redundancy: no member " + std::to_string(own) + " in a group of " +
                                                  std::to_string(n) + " with parity " + std::to_string(of.parity));
}

void party::gather_bytes(std::span<const std::byte> said, std::span<std::byte> all) {
  std::vector<outgoing> out;
  std::vector<incoming> in;
  for (unsigned member = 0; member < who_.of.members(); ++member) {
    const auto place = all.subspan(member * said.size(), said.size());
    if (member == who_.own) {
      std::copy(said.begin(), said.end(), place.begin());
      continue;
    }
    out.push_back({member, said});
    in.push_back({member, place});
  }
  exchange(out, in);
}

void party::spread(unsigned from, const std::vector<bool>& to, std::span<std::byte> bytes) {
  std::vector<outgoing> out;
  std::vector<incoming> in;
  if (who_.own == from)
    for (unsigned member = 0; member < to.size(); ++member)
      if (to[member]) out.push_back({member, bytes});
  if (to[who_.own]) in.push_back({from, bytes});
  exchange(out, in);
}

void party::agree() {
  verdict own;
  if (failed_) {
    own.kind = static_cast<std::uint32_t>(kind_);
    text_.copy(own.text, sizeof own.text - 1);
  }
  const std::vector<verdict> all = gather(std::vector{own});
  std::string text;
  std::uint32_t kind = 0;
  for (unsigned member = 0; member < all.size(); ++member) {
    if (all[member].kind == 0) continue;
    if (kind == 0) kind = all[member].kind;
    text += (text.empty() ? "" : "; ") + ("rank " + std::to_string(who_.of.ranks[member])) + ": " + all[member].text;
  }
  if (kind != 0) throw redundancy_error(static_cast<error_kind>(kind), text);
}

}  // namespace mana::redundancy
