#include <runtime/job/memory/reserved_memory.hpp>

#include <runtime/split/window/reservations.hpp>

namespace mana::job {

void reserved_memory::listen(image::memory_visitor& visitor) {
  visitor.is_unreserved = [](const image::region& r) { return split::is_unreserved(r.begin); };
  visitor.not_reserved = [this](const image::region& r) { note_refused(r); };
}

/// A lazy restart may map parts of a refused region separately. The region counts once.
void reserved_memory::note_refused(const image::region& r) noexcept {
  refused_bytes_ += r.end - r.begin;
  split::note_reservation({r.begin, r.end}, true);
}

std::vector<std::string> reserved_memory::warnings() const {
  if (refused_bytes_ == 0) return {};
  const std::uint64_t mib = (refused_bytes_ + (1u << 20) - 1) >> 20;
  return {std::to_string(mib) + " MiB of memory are mapped without a reservation, because the kernel does not promise "
                                "so much here (vm.overcommit_memory): the kernel may kill the program when it uses "
                                "them"};
}

}  // namespace mana::job
