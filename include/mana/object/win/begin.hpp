// How the live windows of a window begin, at its creation and at a restart. Collective over the window's communicator.
//
// Memory of MPI_Win_allocate is the live MPI's, if it shares it between processes, and is shown at an address of the upper
// half too. So ranks of a node reach each other's memory by loads and stores of the live MPI. If any member's memory cannot
// be shown, all have memory of their own and a live MPI_Win_create.
//
// INV-127 memory of MPI_Win_allocate keeps its address and its contents across a restart, whichever way it is made then.
// Because: an image has it as memory of the rank's own (INV-126). The program's address is the upper half's. The contents go into the
// new live memory before it is shown in their place, on all members before any of them operates.
#pragma once
#include <mana/object/win/memory.hpp>
#include <mana/object/win/words.hpp>

#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

namespace mana::object {

/// MPI_Win_allocate in the live MPI, and the epoch. The hint gives each member whole pages. So an image has no neighbour's
/// bytes, and MPICH 4.0.2 computes right places: it needs bases that are multiples of 16.
inline int allocate_live(win_entry& e, std::byte*& live) noexcept {
  const lower::bridge& b = lower::the_bridge();
  const lower::mpi_slots& mpi = *b.mpi;
  real<kind::info> apart{};
  int rc = lower::cross([&] {
    const int made = mpi.MPI_Info_create(&apart);
    return made != neutral::success ? made : mpi.MPI_Info_set(apart, "alloc_shared_noncontig", "true"); });
  if (rc != neutral::success) return rc;
  rc = call::narrow_call(mpi.MPI_Win_allocate_c, mpi.MPI_Win_allocate, {e.what.wide_unit}, [&]<class N>(auto* slot, N) noexcept {
    return slot(e.what.bytes, static_cast<N>(e.what.wide_unit), apart, e.what.on->real, &live, &e.real); });
  return lower::cross([&] {
    mpi.MPI_Info_free(&apart);
    return rc != neutral::success ? rc : b.service->win_enter(e.real); });
}

/// Shows live memory in place of what is mapped at `at`. out: false: it is no memory that processes share.
/// Without the split UCX's mremap is in the place of libc's, and forgets the address.
inline bool show_live(std::byte* live, std::int64_t bytes, std::byte* at) noexcept {
  const std::size_t lead = lead_in_page(live), all = whole_pages(lead + static_cast<std::size_t>(bytes));
  return syscall(SYS_mremap, live - lead, 0, all, MREMAP_MAYMOVE | MREMAP_FIXED, at - lead) != -1;
}

/// Tries it. A member without memory has nothing to show. The program's address, once it has one, must lie in its page as the
/// live one.
inline bool can_show(const win_entry& e, std::byte* live) noexcept {
  if (e.what.bytes == 0) return true;
  if (live == nullptr || (e.what.base != nullptr && lead_in_page(e.what.base) != lead_in_page(live))) return false;
  auto* const tried = static_cast<std::byte*>(map_memory(live, e.what.bytes));
  const bool can = tried != nullptr && show_live(live, e.what.bytes, tried);
  end_memory(tried, e.what.bytes);
  return can;
}

/// Shows the live memory at the program's address, with the contents of that address.
inline int show(win_entry& e, std::byte* live) noexcept {
  if (e.what.bytes == 0) return neutral::success;
  if (e.what.base == nullptr) e.what.base = map_memory(live, e.what.bytes);
  else std::memcpy(live, e.what.base, static_cast<std::size_t>(e.what.bytes));
  if (e.what.base == nullptr) return neutral::err_no_mem;
  e.what.is_shown = show_live(live, e.what.bytes, static_cast<std::byte*>(e.what.base));
  return e.what.is_shown ? int{neutral::success} : int{neutral::err_no_mem};
}

/// INV-134 an operation on a window reaches the place that the program names, whatever its base is a multiple of.
/// Because: the live windows of all members begin at a multiple of 16 (lead_of), or at their bases if each is one.
/// A live window over the memory at e.what.base.
inline int make_live_over_base(win_entry& e) noexcept {
  const auto on = e.what.on->real;
  const std::intptr_t lead = e.what.bytes > 0 ? static_cast<std::intptr_t>(reinterpret_cast<std::uintptr_t>(e.what.base) % 16) : 0;
  std::int64_t most = lead;
  find_most_within(on, 1, &most);
  if (most == 0) {
    e.what.is_in_bytes = false;
    return make_live(e.what.base, e.what.bytes, e.what.wide_unit, on, e.real);
  }
  e.what.is_in_bytes = true;
  const int rc = greatest_error(on, gather_parts(e, lead));
  if (rc != neutral::success) return rc;
  return make_live(static_cast<std::byte*>(e.what.base) - lead, e.what.bytes + lead, 1, on, e.real);
}

/// Memory of the process, if there is none yet, and a live window over it.
inline int make_live_over_own(win_entry& e) noexcept {
  if (e.what.base == nullptr && e.what.bytes > 0) e.what.base = map_memory(nullptr, e.what.bytes);
  const bool lacks = e.what.base == nullptr && e.what.bytes > 0;
  const int rc = greatest_error(e.what.on->real, lacks ? int{neutral::err_no_mem} : int{neutral::success});
  return rc != neutral::success ? rc : make_live_over_base(e);
}

inline int make_live_allocated(win_entry& e) noexcept {
  e.what.is_shown = e.what.is_in_bytes = false;
  std::byte* live = nullptr;
  const int rc = allocate_live(e, live);
  const bool made = rc == neutral::success;
  std::int64_t some[] = {made, !made, made && !can_show(e, live)};
  find_most_within(e.what.on->real, 3, some);
  const auto [is_made, is_refused, is_hidden] = some;                    // somewhere
  if (is_made != 0 && is_refused != 0) return made ? int{neutral::err_other} : rc;
  if (is_refused == 0 && is_hidden == 0) return greatest_error(e.what.on->real, show(e, live));
  end_live(e.real);
  return make_live_over_own(e);
}

/// The live window over the program's memory.
inline int make_live_over_memory(win_entry& e) noexcept {
  const auto on = e.what.on->real;
  switch (e.what.flavor) {
    case win_flavor::create: return make_live_over_base(e);
    case win_flavor::allocate: return make_live_allocated(e);
    case win_flavor::dynamic: return make_live_dynamic(e);
    case win_flavor::shared: break;
  }
  e.what.is_in_bytes = true;
  const win_segment& part = e.what.parts[ranks_of(e).own_rank];
  return make_live(e.what.shared.begin + part.offset - lead_of(part), part.bytes + lead_of(part), 1, on, e.real);
}

/// The live windows. out: neutral error class, the same on all members: one that fails alone is not waited for.
inline int make_both(win_entry& e) noexcept {
  const auto on = e.what.on->real;
  const int rc = greatest_error(on, make_live_over_memory(e));
  return rc != neutral::success ? rc : greatest_error(on, make_words(e));
}

/// After an error that all members have: ends the live windows that every member has. To end another would wait for the members
/// that lack it, so it stays. Collective over `on`, the live communicator of the program's.
inline void end_what_all_have(win_entry& e, real<kind::comm> on) noexcept {
  std::int64_t lacks[] = {!e.real, !e.what.words_below};
  find_most_within(on, 2, lacks);
  if (lacks[0] != 0) e.real = {};
  if (lacks[1] != 0) e.what.words_below = {};
  end_both(e);
}

}  // namespace mana::object
