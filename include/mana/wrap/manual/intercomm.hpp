// Intercommunicators: how two groups find each other, and what tells them apart from other communicators. Messages and
// collectives on them go through the same templates as all others: a descriptor's peers are the other group.
#pragma once
#include <mana/wrap/interpose.hpp>
#include <mana/wrap/manual/comm.hpp>
#include <mana/wrap/manual/sendrecv.hpp>

#include <algorithm>
#include <vector>

namespace mana::wrap {

/// What a leader tells the other one of its group. Followed by int[size], the world ranks of its members in rank order.
struct group_card {
  std::uint64_t lineage;    // the next one of the group's communicator, the same on all its members
  std::int32_t size;
  std::int32_t error;       // neutral class: the leader could not ask the other one
};

/// A card and room for as many members as the world has.
class group_letter {
 public:
  group_letter() : bytes_(sizeof(group_card) + sizeof(int) * lower::the_bridge().world_size) {}
  group_card& card() noexcept { return *reinterpret_cast<group_card*>(bytes_.data()); }
  int* members() noexcept { return reinterpret_cast<int*>(bytes_.data() + sizeof(group_card)); }
  void* data() noexcept { return bytes_.data(); }
  int room() const noexcept { return static_cast<int>(bytes_.size()); }

 private:
  std::vector<char> bytes_;
};

/// Swaps letters with a rank that does the same with this one and this tag. May park.
/// in: rank: world rank; tag: at least 0, below the live MPI's limit      out: neutral error class
inline int swap_letters(wrapper_scope& scope, int rank, int tag, group_letter& own, group_letter& other) noexcept {
  neutral::status received{};
  return exchange_messages(scope, message_arguments(own.data(), own.room(), rank, tag),
                           message_arguments(other.data(), other.room(), rank, tag), received);
}

/// A tag for messages of the wrappers themselves. key: the same at both ends
inline int hidden_tag(std::uint64_t key) noexcept {
  const lower::services& s = *lower::the_bridge().service;
  int known = 0;
  std::int64_t limit = 0;
  lower::cross([&] { return s.world_attribute(0, &known, &limit); });
  return static_cast<int>(vid::mix64(key) % static_cast<std::uint64_t>(known != 0 ? limit : 32767));
}

/// The two groups of a new intercommunicator, and its lineage, known to all members.
struct introduction {
  const vid::rank_map* other = nullptr;
  std::uint64_t lineage = 0;
  int remote_leader = 0;              // world rank, known to the leader
  int error = neutral::success;
};

/// Overlapping groups make no intercommunicator. cost: O(n + m) and a look-up table of the world's size
inline bool overlap(const int* a, int n, const int* b, int m) {
  std::vector<bool> is_in(lower::the_bridge().world_size);
  for (int i = 0; i < n; ++i) is_in[static_cast<std::size_t>(a[i])] = true;
  return std::any_of(b, b + m, [&](int rank) { return is_in[static_cast<std::size_t>(rank)]; });
}

/// The leader's part, before it tells its group. out: other: the other group, or the error. Returns the world rank of
/// the other leader
inline int ask_other_group(const vid::descriptor<kind::comm>& local, std::uint64_t lineage, MPI_Comm peer_comm,
                           int remote_leader, int tag, group_letter& other) noexcept {
  wrapper_scope scope(fn::intercomm_create::id);
  const resolved<kind::comm> peer = resolve<kind::comm>(peer_comm);
  const bool is_rank = peer.ok && remote_leader >= 0 && remote_leader < peer.e->what.peers->size;
  other.card().error = !peer.ok ? neutral::err_comm : !is_rank ? neutral::err_rank : tag < 0 ? neutral::err_tag : 0;
  if (other.card().error != neutral::success) return 0;
  const vid::descriptor<kind::comm>& between = peer.e->what;
  group_letter own;
  own.card() = {lineage, local.ranks->size, neutral::success};
  std::copy(local.ranks->world_ranks, local.ranks->world_ranks + local.ranks->size, own.members());
  const int on = hidden_tag(between.lineage + vid::mix64(static_cast<std::uint64_t>(tag)));
  const int to = between.peers->world_ranks[remote_leader];
  const int rc = swap_letters(scope, to, on, own, other);
  if (rc != neutral::success) other.card().error = rc;
  else if (overlap(own.members(), own.card().size, other.members(), other.card().size))
    other.card().error = neutral::err_comm;
  return to;
}

/// Collective over the local group only: no clock can count for both groups before each knows the other.
/// Its messages are drained, its broadcast is counted as any other: a checkpoint may come at every step.
inline introduction introduce(MPI_Comm local_comm, const vid::descriptor<kind::comm>& local, std::uint64_t lineage,
                              int local_leader, MPI_Comm peer_comm, int remote_leader, int tag) noexcept {
  group_letter other;
  introduction result;
  if (local.ranks->own_rank == local_leader)
    result.remote_leader = ask_other_group(local, lineage, peer_comm, remote_leader, tag, other);
  const int told = call_collective<fn::bcast>(other.data(), other.room(), MPI_BYTE, local_leader, local_comm);
  result.error = told != MPI_SUCCESS ? int{neutral::err_other} : other.card().error;
  if (result.error != neutral::success) return result;
  result.other = vid::intern_ranks(other.members(), other.card().size);
  result.lineage = vid::mix64(lineage) + vid::mix64(other.card().lineage);     // a sum: the same on both sides
  return result;
}

}  // namespace mana::wrap

namespace mana::manual {

inline int comm_remote_size(MPI_Comm comm, int* size) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok || !c.e->what.is_inter())
    return raise(c.ok ? comm : MPI_COMM_NULL, fn::comm_remote_size::id, neutral::err_comm, "no intercommunicator");
  *size = c.e->what.peers->size;
  return MPI_SUCCESS;
}
inline int comm_remote_group(MPI_Comm comm, MPI_Group* group) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok || !c.e->what.is_inter())
    return raise(c.ok ? comm : MPI_COMM_NULL, fn::comm_remote_group::id, neutral::err_comm, "no intercommunicator");
  *group = wrap::make_group(c.e->what.peers->world_ranks, c.e->what.peers->size);
  return MPI_SUCCESS;
}

/// The clock of both groups counts it once each knows the other, so no line runs through the live MPI's own messages.
/// The error handler is the local communicator's.
inline int intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
                            MPI_Comm* out) noexcept {
  using f = fn::intercomm_create;
  const resolved<kind::comm> local = resolve<kind::comm>(local_comm);
  if (!local.ok || local.e->what.is_inter())
    return raise(local.ok ? local_comm : MPI_COMM_NULL, f::id, neutral::err_comm, "the local communicator");
  if (local_leader < 0 || local_leader >= local.e->what.ranks->size)
    return raise(local_comm, f::id, neutral::err_rank, "the local leader");
  const wrap::introduction met = wrap::introduce(local_comm, local.e->what, wrap::next_lineage(*local.e), local_leader,
                                                 peer_comm, remote_leader, tag);
  if (met.error != neutral::success) return raise(local_comm, f::id, met.error, "the other group");

  wrap::wrapper_scope scope(f::id);
  vid::descriptor<kind::comm> made;
  wrap::describe_comm(made, wrap::comm_groups(*local.e->what.ranks, *met.other), met.lineage);
  wrap::inherit_errhandler(local.e->what, made);
  if (!wrap::start_constructor(scope, *made.clock, nullptr))
    return raise(local_comm, f::id, neutral::err_unsupported_operation, wrap::refused_by_clock);
  const lower::services& s = *lower::the_bridge().service;
  const int live_tag = wrap::hidden_tag(met.lineage);
  std::uint64_t real = 0;
  const int rc = lower::cross([&] {
    return s.intercomm_create(local.e->real, local_leader, met.remote_leader, live_tag, &real); });
  if (rc != neutral::success) return raise(local_comm, f::id, rc, nullptr);
  wrap::comm_entry_t* const e = vid::table<kind::comm>().insert_entry();
  if (e == nullptr) return raise(local_comm, f::id, neutral::err_no_mem, "no free id");
  e->real = real;
  e->what = made;
  *out = app::from_virt<kind::comm>(vid::table<kind::comm>().id_of(*e));
  return MPI_SUCCESS;
}

inline int intercomm_merge(MPI_Comm comm, int high, MPI_Comm* out) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (c.ok && !c.e->what.is_inter())
    return raise(comm, fn::intercomm_merge::id, neutral::err_comm, "no intercommunicator");
  return wrap::construct_comm<fn::intercomm_merge>(
      comm, out,
      [=](std::uint64_t parent, std::uint64_t* made) noexcept {
        return lower::the_bridge().service->intercomm_merge(parent, high != 0, made);
      },
      wrap::nothing_more);
}

}  // namespace mana::manual
