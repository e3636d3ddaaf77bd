// How a window begins and ends. Both are collectives of its communicator.
#pragma once
#include <mana/object/comm/calls/comm.hpp>
#include <mana/object/info/calls.hpp>
#include <mana/object/win/begin.hpp>
#include <mana/object/win/error.hpp>
#include <mana/object/win/meeting.hpp>
#include <mana/object/win/token.hpp>
#include <mana/object/win/token_counts.hpp>

#include <cstdlib>
#include <utility>

namespace mana::object {

inline constexpr const char* no_win_id = "no free window, communicator or info id, or no memory";

/// The arguments of a constructor.
struct wanted_win {
  win_flavor flavor;
  void* base;
  std::int64_t bytes, unit;
};

/// The program's constants for MPI_WIN_CREATE_FLAVOR.
inline int flavor_code(win_flavor f) noexcept {
  switch (f) {
    case win_flavor::create: return MPI_WIN_FLAVOR_CREATE;
    case win_flavor::allocate: return MPI_WIN_FLAVOR_ALLOCATE;
    case win_flavor::dynamic: return MPI_WIN_FLAVOR_DYNAMIC;
    case win_flavor::shared: return MPI_WIN_FLAVOR_SHARED;
  }
  return 0;
}

/// out: neutral error class of the first wrong argument
inline int check_wanted(const wanted_win& w, const resolved<kind::comm>& comm, MPI_Info info) noexcept {
  if (!comm.ok || comm.e->what.is_inter()) return neutral::err_comm;
  if (info != MPI_INFO_NULL && hints_of(info) == nullptr) return neutral::err_info;
  if (w.bytes < 0) return neutral::err_size;
  if (w.unit <= 0) return neutral::err_disp;
  if (w.flavor == win_flavor::create && !is_of_host(w.base, w.bytes)) return neutral::err_base;
  return neutral::success;
}

/// Takes over the hints that a window has, and no others.
inline void take_hints(info_store& own, const info_store& given) {
  for (int n = 0; n < given.size(); ++n)
    if (own.find(given.key(n)) != nullptr) own.set(given.key(n), *given.find(given.key(n)));
}

/// Hints as MPI_Win_get_info shows them: the standard's, with their defaults or the program's values. The live MPI gets
/// none of them: with no_locks its windows would not have the epoch that mana needs.
inline info_store hints_of_win(const wanted_win& w, const info_store* given) {
  info_store all;
  for (const auto& [key, value] : {std::pair("no_locks", "false"), {"accumulate_ordering", "rar,raw,war,waw"},
                                   {"accumulate_ops", "same_op_no_op"}, {"same_size", "false"}, {"same_disp_unit", "false"}})
    all.set(key, value);
  if (w.flavor == win_flavor::shared) all.set("alloc_shared_noncontig", "false");
  if (given != nullptr) take_hints(all, *given);
  return all;
}

/// Memory of a window that is being made, before anything collective. out: false: there is none
inline bool begin_memory(win_entry& e, int members) noexcept {
  e.what.words = static_cast<std::int64_t*>(map_memory(bytes_of_words(members)));
  e.what.words_of_rank = words_of_rank(members);
  e.what.targets = static_cast<std::uint8_t*>(std::calloc(static_cast<std::size_t>(members), 1));
  const bool counts_tokens = has_few_ranks(members);
  if (counts_tokens)
    e.what.taken = static_cast<std::int64_t*>(
        std::calloc(static_cast<std::size_t>(kinds_of_tokens * members), sizeof(std::int64_t)));
  const bool has_parts = e.what.flavor != win_flavor::dynamic;
  if (has_parts)
    e.what.parts = static_cast<win_segment*>(std::calloc(static_cast<std::size_t>(members), sizeof(win_segment)));
  return e.what.words != nullptr && e.what.targets != nullptr && (!counts_tokens || e.what.taken != nullptr) &&
         (!has_parts || e.what.parts != nullptr);
}

/// Ends all memory of the window, and its entry.
inline void end_entry(win_entry& e, int members) noexcept {
  if (e.what.flavor == win_flavor::allocate) end_memory(e.what.base, e.what.bytes);
  end_shared(e.what.shared);
  unmap_memory(e.what.words, bytes_of_words(members));
  std::free(e.what.parts);
  std::free(e.what.targets);
  std::free(e.what.taken);
  std::free(e.what.awaited);
  while (attached_region* const r = e.what.attached) {
    e.what.attached = r->next;
    std::free(r);
  }
  free_info_name(e.what.info);
  release_errhandler(e.what.errhandler);
  vid::table<kind::win>().erase(e);
}

/// The memory of a shared window. Collective over the hidden communicator.      out: neutral error class
inline int make_memory(win_entry& e, bool contiguous) noexcept {
  const auto on = e.what.on->real;
  const vid::rank_map& ranks = ranks_of(e);
  if (e.what.flavor != win_flavor::shared) return neutral::success;
  const int rc = gather_parts(e, 0);
  if (rc != neutral::success) return rc;
  e.what.shared.bytes = place_segments(e.what.parts, ranks.size, contiguous);
  const int made = make_shared(on, ranks.own_rank == 0, for_window, e.what.shared);
  if (made == neutral::success) e.what.base = e.what.shared.begin + e.what.parts[ranks.own_rank].offset;
  return made;
}

/// A duplicate that the program does not know. It has no attributes, hints or topology.
inline void begin_hidden(reserved_comm& id, comm_entry_t& from, win_entry& e) noexcept {
  comm_entry_t& hidden = id.take();
  describe_comm(hidden.what, comm_groups(from.what), next_lineage(from));
  hidden.what.is_hidden = hidden.what.has_no_live = true;
  hidden.what.errhandler = neutral::errors_return;
  e.what.on = &hidden;
  keep_comm(*(e.what.from = &from));
}
inline int end_hidden(win_entry& e) noexcept {
  let_go_of_comm(*std::exchange(e.what.from, nullptr));
  comm_entry_t& hidden = *std::exchange(e.what.on, nullptr);
  if (__atomic_load_n(&hidden.references, __ATOMIC_RELAXED) != 1) end_detached(&hidden);
  end_handle(hidden, false);
  return drop_handle_of(hidden);
}

/// The part of a constructor that is collective. in: from: the program's communicator; the clock has counted the call
/// out: neutral error class
inline int construct_win(win_entry& e, comm_entry_t& from, reserved_comm& id, bool contiguous) noexcept {
  begin_hidden(id, from, e);
  const int rc = with_channel(e, [&] {
    int made = make_memory(e, contiguous);
    if (made == neutral::success) made = make_both(e);
    e.what.tokens_are_counts = has_token_counts(e);
    return made; });
  if (rc == neutral::success) return rc;
  end_what_all_have(e, from.real);
  end_hidden(e);
  return rc;
}

inline void describe_win(win_entry& e, const wanted_win& wanted) noexcept {
  e.what.flavor = wanted.flavor;
  e.what.flavor_code = flavor_code(wanted.flavor);
  e.what.model_code = MPI_WIN_UNIFIED;
  e.what.base = wanted.base;
  e.what.bytes = wanted.bytes;
  e.what.wide_unit = wanted.unit;
  e.what.unit = static_cast<int>(wanted.unit);
}

/// MPI_Win_create and its relatives. base_out: where the address of memory goes that mana makes
template <class Fn>
inline int make_win(const wanted_win& wanted, MPI_Info info, MPI_Comm comm, void* base_out, MPI_Win* out) noexcept {
  call::wrapper_scope scope(Fn::id);
  const resolved<kind::comm> from = resolve<kind::comm>(comm);
  if (const int bad = check_wanted(wanted, from, info); bad != neutral::success)
    return raise(from.ok ? comm : MPI_COMM_NULL, Fn::id, bad, words_for_win(bad));
  const info_store all = hints_of_win(wanted, hints_of(info));
  kept_hints hints(&all);
  win_entry* const e = vid::table<kind::win>().insert_entry();
  const auto give_up = [&](int error, const char* words) {
    if (e != nullptr) end_entry(*e, from.e->what.ranks->size);
    return raise(comm, Fn::id, error, words);
  };
  if (e == nullptr || !hints.ok()) return give_up(neutral::err_no_mem, no_win_id);
  describe_win(*e, wanted);
  if (!begin_memory(*e, from.e->what.ranks->size)) return give_up(neutral::err_no_mem, no_win_id);
  if (!start_constructor(scope, *from.e->what.clock, from.e))
    return give_up(neutral::err_unsupported_operation, refused_by_clock);
  reserved_comm id;
  if (!id.ok()) {
    retract_collective(*from.e->what.clock);
    return give_up(neutral::err_no_mem, no_win_id);
  }
  const std::string* const apart = all.find("alloc_shared_noncontig");
  const int rc = construct_win(*e, *from.e, id, apart == nullptr || *apart != "true");
  if (rc != neutral::success) return give_up(rc, nullptr);
  hints.replace(e->what.info);
  if (base_out != nullptr) std::memcpy(base_out, &e->what.base, sizeof e->what.base);
  *out = app::from_virt<kind::win>(vid::table<kind::win>().id_of(*e));
  return MPI_SUCCESS;
}

/// MPI_Win_free after its attributes are deleted. May park.      out: neutral error class
inline int end_win(call::wrapper_scope& scope, win_entry& e) noexcept {
  comm_entry_t& on = *e.what.on;
  if (!start_constructor(scope, *on.what.clock, &on)) return neutral::err_unsupported_operation;
  const int members = ranks_of(e).size;
  int rc = complete_all(e);
  const int ended = end_both(e);
  if (rc == neutral::success) rc = ended;
  const int hidden = end_hidden(e);
  if (rc == neutral::success) rc = hidden;
  end_entry(e, members);
  return rc;
}

}  // namespace mana::object
