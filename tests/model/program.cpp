#include "program.hpp"

#include <algorithm>

namespace clock_model {

bool script::is_given(int g) const {
  for (const rank_ops& ops : ranks)
    for (const op& o : ops)
      if (o.what == act::make && o.slot == g) return false;
  return true;
}

std::size_t script::locks() const {
  int most = -1;
  for (const rank_ops& ops : ranks)
    for (const op& o : ops)
      if (is_lock(o.what)) most = std::max(most, o.with);
  return static_cast<std::size_t>(most + 1);
}

std::string name_of_group(int g) { return std::string(1, static_cast<char>('A' + g)); }

std::string describe(const op& o) {
  const std::string peer = std::to_string(o.with), slot = " #" + std::to_string(o.slot), group = name_of_group(o.with);
  switch (o.what) {
    case act::compute: return "compute";
    case act::send: return "send(" + peer + ")";
    case act::ssend: return "ssend(" + peer + ")";
    case act::recv: return "recv(" + peer + ")";
    case act::recv_any: return "recv(any)";
    case act::isend: return "issend(" + peer + ")" + slot;
    case act::irecv: return "irecv(" + peer + ")" + slot;
    case act::wait: return "wait" + slot;
    case act::lock: return "lock(" + peer + ")";
    case act::share: return "share(" + peer + ")";
    case act::unlock: return "unlock(" + peer + ")";
    case act::sync: return "barrier(" + group + ")";
    case act::rooted: return "bcast(" + group + ")";
    case act::reduce: return "reduce(" + group + ")";
    case act::icoll: return "ibarrier(" + group + ")" + slot;
    case act::fence: return "fence(" + group + ")";
    case act::free: return "free(" + group + ")";
    case act::make: return "make(" + group + ": " + name_of_group(o.slot) + ")";
  }
  return "?";
}

std::string describe(const script& s) {
  std::string text;
  for (int r = 0; r < s.size(); ++r) {
    text += "  rank " + std::to_string(r) + ":";
    const char* separator = " ";
    for (const op& o : s.ranks[static_cast<std::size_t>(r)]) {
      text += separator + describe(o);
      separator = "; ";
    }
    text += "\n";
  }
  for (std::size_t g = 0; g < s.groups.size(); ++g) {
    text += (g == 0 ? "  " : ", ") + name_of_group(static_cast<int>(g)) + " = {";
    for (const int m : s.groups[g]) text.append(m == s.groups[g][0] ? "" : " ").append(std::to_string(m));
    text += "}";
  }
  return text + "\n";
}

}  // namespace clock_model
