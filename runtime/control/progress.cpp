#include <runtime/control/progress.hpp>

#include <algorithm>
#include <iterator>

namespace mana::control {

progress::progress(std::span<const clock::rank_range> links) {
  for (const clock::rank_range& r : links) links_.push_back({r});
}

void progress::hear(int link, frame_reader& frame) {
  of_link& l = at(link);
  switch (frame.type()) {
    case frame_type::parked: l.parked = frame.get<clock::request_number>(); break;
    case frame_type::drained: l.drained = frame.get<clock::request_number>(); break;
    case frame_type::copied: l.copied = frame.get<clock::request_number>(); break;
    case frame_type::on_node: l.on_node = frame.get<clock::request_number>(); break;
    case frame_type::written: {
      const auto request = frame.get<clock::request_number>();
      auto results = frame.get<std::vector<rank_result>>();
      if (results.size() != static_cast<std::size_t>(l.ranks.size())) throw wire_error();
      for (int expected = l.ranks.first; const rank_result& r : results)
        if (r.image.rank != expected++) throw wire_error();
      l.written = request;
      l.results = std::move(results);
      break;
    }
    case frame_type::advanced:
      l.looked = frame.get<std::uint64_t>();
      l.advance = frame.get<write_advance>();
      break;
    case frame_type::ending: l.ending = true; break;
    default: throw wire_error();
  }
}

bool progress::all_ending() const {
  return std::all_of(links_.begin(), links_.end(), [](const of_link& l) { return l.ending; });
}

write_advance progress::advance() const {
  write_advance all;
  for (const of_link& l : links_) add(all, l.advance);
  return all;
}

std::vector<rank_result> progress::take_results() {
  std::vector<rank_result> all;
  for (of_link& l : links_) {
    std::move(l.results.begin(), l.results.end(), std::back_inserter(all));
    l.results.clear();
  }
  return all;
}

clock::request_number progress::common(clock::request_number of_link::* what) const {
  const clock::request_number first = links_.front().*what;
  const bool same = std::all_of(links_.begin(), links_.end(), [&](const of_link& l) { return l.*what == first; });
  return same ? first : 0;
}

}  // namespace mana::control
