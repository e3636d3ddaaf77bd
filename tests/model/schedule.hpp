// A schedule, step by step, as a list that can be printed and drawn.
#pragma once
#include "text.hpp"
#include "world.hpp"

namespace clock_model {

struct happening {
  enum kind { enters, leaves, sends, receives, up, down, request, line, end, other } what = other;
  int rank = 0, peer = -1;                     // of sends, receives: the k-th message between them
                                               // of up, down, request: rank or relay, and its relay; -1: the
                                               // coordinator
  int group = -1;
  std::uint64_t k = 0;
  std::string text;
  bool at_once = false;                        // enters, and does not stay: a non-blocking collective
};

struct story {
  std::vector<happening> all;
  std::vector<std::string> stands;             // by rank: where it is at the end
  std::vector<std::string> relays;             // their names; they are numbered after the ranks
};

/// For people, one per line.
std::string to_text(const story& told);
/// A time-line: ranks as lines, collectives as boxes on their members', messages as arrows.
std::string to_svg(const story& told, const script& s, const std::string& title);

template <mana::clock::policy P>
class narrator {
 public:
  narrator(const script& s, const rules& how) : at_(s, how) {}

  story tell(const std::vector<step>& steps) {
    for (const step& s : steps) {
      const world<P> before = at_;
      at_.take(s);
      tell(before, s);
      if (at_.at_new_line()) say({happening::line, s.rank, -1, -1, 0, "the recovery line is declared: " + counts()});
      if (at_.what_broke() != fault::none) say({happening::other, s.rank, -1, -1, 0, why(at_.what_broke())});
    }
    std::vector<std::string> stands;
    for (int r = 0; r < at_.what().size(); ++r) stands.push_back(where(r));
    std::vector<std::string> relays;
    for (int c = at_.what().size(); c < at_.links().children(); ++c) relays.push_back(name_of_child(c));
    return {std::move(all_), std::move(stands), std::move(relays)};
  }

 private:
  static std::string rank_name(int r) { return "rank " + std::to_string(r); }
  std::string name_of_child(int c) const {
    const network& n = at_.links();
    return n.is_relay(c) ? "relay " + std::to_string(n.hubs[index(n.hub_at(c))].process) : rank_name(c);
  }
  std::string name_of_hub(int h) const { return h == 0 ? "coordinator" : name_of_child(at_.what().size() + h - 1); }
  /// As in happening::peer.
  int above(int child) const {
    const int h = at_.links().hub_of[index(child)];
    return h == 0 ? -1 : at_.what().size() + h - 1;
  }
  static std::string why(fault f) {
    if (f == fault::refused) return "the policy refuses this collective";
    return f == fault::unequal_line ? "UNSAFE: counts differ at the line"
                                    : "UNSAFE: a count changes between the line and the checkpoint's end";
  }
  std::string where(int r) const {
    const op* o = at_.next_op(r);
    if (o == nullptr) return "has ended";
    const char* const how[] = {"before ", "in the trivial barrier before ", "counted: ", "in "};
    return (at_.is_held(r) ? "held before " : how[static_cast<std::size_t>(at_.doing(r).where)]) + describe(*o);
  }
  void say(happening h) { all_.push_back(std::move(h)); }

  std::string counts() const {
    std::string text;
    for (std::size_t g = 0; g < at_.what().groups.size(); ++g) {
      text += (g == 0 ? "" : ", ") + name_of_group(static_cast<int>(g)) + ":";
      for (const int m : at_.what().groups[g]) text.append(" ").append(std::to_string(at_.doing(m).counts[g]));
    }
    return text;
  }

  void tell(const world<P>& before, const step& s) {
    const std::string who = s.what == step::settle ? name_of_hub(s.rank) : name_of_child(s.rank);
    switch (s.what) {
      case step::run: tell_run(before, s); break;
      case step::waits:
        say({happening::other, s.rank, -1, -1, 0, who + " waits in " + describe(*before.next_op(s.rank))});
        break;
      case step::up: {
        std::string text;
        for (const auto& m : before.going_up(s.rank)) {
          if (!std::holds_alternative<answered>(m)) {
            text += text_of(std::get<typename P::up>(m));
            break;
          }
          text += text_of(m) + ", ";
        }
        const std::string hub = name_of_hub(at_.links().hub_of[index(s.rank)]);
        say({happening::up, s.rank, above(s.rank), -1, 0, hub + " gets of " + who + ": " + text});
        break;
      }
      case step::down: tell_down(before, s); break;
      case step::settle: {
        const int hub = s.rank == 0 ? -1 : at_.what().size() + s.rank - 1;
        say({happening::other, hub, -1, -1, 0, who + " says what there is to say"});
        break;
      }
      case step::release: say({happening::other, s.rank, -1, -1, 0, who + " goes on after the checkpoint"}); break;
      case step::give_up: say({happening::end, 0, -1, -1, 0, "the coordinator gives the request up"}); break;
    }
  }

  void tell_down(const world<P>& before, const step& s) {
    const auto& m = before.coming_down(s.rank).front();
    const std::string who = name_of_child(s.rank);
    if (std::holds_alternative<requested>(m)) {
      const bool later = !at_.links().is_relay(s.rank) && at_.doing(s.rank).pending_later != 0;
      say({happening::request, s.rank, above(s.rank), -1, 0, who + " hears the request" + (later ? ", and keeps it" : "")});
    } else {
      say({happening::down, s.rank, above(s.rank), -1, 0, who + " hears: " + text_of(m)});
    }
  }

  void tell_run(const world<P>& before, const step& s) {
    const op& o = *before.next_op(s.rank);
    const task &was = before.doing(s.rank), &is = at_.doing(s.rank);
    const std::string who = rank_name(s.rank), what = describe(o);
    happening h{happening::other, s.rank, -1, is_collective(o.what) ? o.with : -1, 0, "", false};
    if (is_collective(o.what)) {
      h.k = std::max(is.counts[index(o.with)], was.counts[index(o.with)]);
      const bool ends = was.where == stage::inside;
      if (ends) h.what = happening::leaves, h.text = who + " leaves " + what;
      else if (is.where == stage::counted) h.text = who + " counts its start of " + what + ", and has yet to ask";
      else if (is.where == stage::before && is.next == was.next) h.text = who + " is held before " + what;
      else if (is.where == stage::synchronizing) h.text = who + " begins the trivial barrier before " + what;
      else h.what = happening::enters, h.at_once = o.what == act::icoll, h.text = who + " enters " + what;
      if (!ends && !h.text.empty() && is.where == stage::before && was.where == stage::counted && is.next == was.next)
        h.text += ", takes its start back";
      return say(h);
    }
    const bool ends = is.next != was.next;
    h.text = who + (was.where == stage::before ? (ends ? " does " : " begins ") : " ends ") + what;
    for (int peer = 0; peer < at_.what().size(); ++peer) {
      const bool sent = is.sent[index(peer)] != was.sent[index(peer)];
      if (sent) h.what = happening::sends, h.peer = peer, h.k = is.sent[index(peer)];
    }
    if (const int from = s.sender >= 0 ? s.sender : was.current.with; ends && was.where == stage::inside) {
      const act a = was.current.what;
      if (a == act::recv || a == act::irecv || a == act::recv_any) {
        h.what = happening::receives, h.peer = from;
        h.k = a == act::recv_any ? is.posted[index(from)] : was.current.index;
        if (a == act::recv_any) h.text += ": of rank " + std::to_string(from);
      }
    }
    say(h);
  }

  world<P> at_;
  std::vector<happening> all_;
};

}  // namespace clock_model
