// Intercommunicators: the exchange between two groups, and the functions that tell intercommunicators from others.
// Their messages and collectives use the same templates as all others: a descriptor's peers are the other group.
#pragma once
#include <mana/interpose/interpose.hpp>
#include <mana/object/comm/calls/comm.hpp>
#include <mana/object/request/form/message/exchange.hpp>

#include <algorithm>
#include <vector>

namespace mana::object {

/// A leader's message to the other leader about its group. The world ranks of the members follow it, int[size], in rank
/// order.
struct group_card {
  std::uint64_t lineage;    // the next lineage of the group's communicator, the same on all its members
  std::int32_t size;
  std::int32_t error;       // neutral class: the leader could not reach the other one
};

/// A card, with room for all ranks of the world.
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

/// Swaps letters with a rank that calls this with this rank and the same tag. May park.
inline int swap_letters(call::wrapper_scope& scope, int rank, int tag, group_letter& own,
                        group_letter& other) noexcept {
  neutral::status received{};
  return exchange_messages(scope, message_arguments(own.data(), own.room(), rank, tag),
                           message_arguments(other.data(), other.room(), rank, tag), received);
}

/// A tag for messages of the wrappers themselves, not handshake_tag. key: the same at both ends.
///
/// INV-125 a hidden tag depends on nothing of the live MPI: two ranks find the same one, one before and one after a restart
/// over another live MPI.
constexpr int hidden_tag(std::uint64_t key) noexcept {
  return 1 + static_cast<int>(vid::mix64(key) % std::uint64_t{least_tag_bound});
}

/// Overlapping groups cannot form an intercommunicator. cost: O(n + m) and a look-up table of the world's size
inline bool overlap(const int* a, int n, const int* b, int m) {
  std::vector<bool> is_in(lower::the_bridge().world_size);
  for (int i = 0; i < n; ++i) is_in[static_cast<std::size_t>(a[i])] = true;
  return std::any_of(b, b + m, [&](int rank) { return is_in[static_cast<std::size_t>(rank)]; });
}

/// How a leader reaches the other one. Only the values at the leaders count.
struct contact {
  int error = neutral::success;      // neutral class: the other leader cannot be reached
  int rank = 0;                      // world rank
  std::uint64_t key = 0;             // the same for both; different for calls that threads may make at once
};

/// The leader's exchange, before it tells its group. out: the other group, or the error
inline void ask_other_group(function_id f, const vid::rank_map& group, std::uint64_t lineage, const contact& to,
                            group_letter& other) noexcept {
  call::wrapper_scope scope(f);
  other.card().error = to.error;
  if (to.error != neutral::success) return;
  group_letter own;
  own.card() = {lineage, group.size, neutral::success};
  std::copy(group.world_ranks, group.world_ranks + group.size, own.members());
  const int rc = swap_letters(scope, to.rank, hidden_tag(to.key), own, other);
  if (rc != neutral::success) other.card().error = rc;
  else if (overlap(own.members(), own.card().size, other.members(), other.card().size))
    other.card().error = neutral::err_comm;
}

/// Makes an intercommunicator of a local communicator's group and another one: a collective of both.
/// First the groups learn of each other, in a step that is collective over the local one only: no clock can count for
/// both before each knows the other. The messages of this step are drained, and its broadcast is counted as any other,
/// so a checkpoint may come at any moment. Then the clock of both groups counts, so no recovery line crosses the live
/// MPI's own messages.
/// errors: neutral class; all members get their leader's
template <class Fn>
inline int join_groups(MPI_Comm local_comm, int local_leader, const contact& to, MPI_Comm* out) noexcept {
  comm_entry_t& local = *resolve<kind::comm>(local_comm).e;
  const vid::rank_map& group = *local.what.ranks;
  const std::uint64_t lineage = next_lineage(local);
  group_letter other;
  if (group.own_rank == local_leader) ask_other_group(Fn::id, group, lineage, to, other);
  if (call_collective<fn::bcast>(other.data(), other.room(), MPI_BYTE, local_leader, local_comm) != MPI_SUCCESS)
    return neutral::err_other;
  if (other.card().error != neutral::success) return other.card().error;

  call::wrapper_scope scope(Fn::id);
  descriptor<kind::comm> made;
  const comm_groups groups(group, *vid::intern_ranks(other.members(), other.card().size));
  // a sum, so that both sides compute the same
  describe_comm(made, groups, vid::mix64(lineage) + vid::mix64(other.card().lineage));
  inherit_errhandler(local.what, made);
  made.session = local.what.session;
  const auto give_up = [&](int error) {
    release_errhandler(made.errhandler);
    end_traffic(*made.messages);
    return error;
  };
  if (!start_constructor(scope, *made.clock, nullptr)) return give_up(neutral::err_unsupported_operation);
  reserved_comm id;
  if (!id.ok()) {
    retract_collective(*made.clock);
    return give_up(neutral::err_no_mem);
  }
  const lower::services& s = *lower::the_bridge().service;
  const int tag = hidden_tag(made.lineage);
  real<kind::comm> real{};
  const int rc = lower::cross([&] { return s.intercomm_create(local.real, local_leader, to.rank, tag, &real); });
  if (rc != neutral::success) {
    retract_if_refused(*made.clock, rc);
    return give_up(rc);
  }
  comm_entry_t& e = id.take();
  e.real = real;
  e.what = made;
  *out = app::from_virt<kind::comm>(vid::table<kind::comm>().id_of(e));
  return neutral::success;
}

}  // namespace mana::object

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
  const int rc = object::make_group(*c.e->what.peers, group, c.e->what.session);
  return rc == neutral::success ? MPI_SUCCESS : raise(comm, fn::comm_remote_group::id, rc, object::no_group_id);
}

/// The error handler is the local communicator's.
inline int intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
                            MPI_Comm* out) noexcept {
  using f = fn::intercomm_create;
  const resolved<kind::comm> local = resolve<kind::comm>(local_comm), peer = resolve<kind::comm>(peer_comm);
  if (!local.ok || local.e->what.is_inter())
    return raise(local.ok ? local_comm : MPI_COMM_NULL, f::id, neutral::err_comm, "the local communicator");
  if (local_leader < 0 || local_leader >= local.e->what.ranks->size)
    return raise(local_comm, f::id, neutral::err_rank, "the local leader");
  object::contact to;
  if (!peer.ok) to.error = neutral::err_comm;
  else if (remote_leader < 0 || remote_leader >= peer.e->what.peers->size) to.error = neutral::err_rank;
  else if (tag < 0) to.error = neutral::err_tag;
  else to = {neutral::success, peer.e->what.peers->world_ranks[remote_leader],
             peer.e->what.lineage + vid::mix64(static_cast<std::uint64_t>(tag))};
  const int rc = object::join_groups<f>(local_comm, local_leader, to, out);
  return rc == neutral::success ? MPI_SUCCESS : raise(local_comm, f::id, rc, object::words_for(rc));
}

inline int intercomm_merge(MPI_Comm comm, int high, MPI_Comm* out) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (c.ok && !c.e->what.is_inter())
    return raise(comm, fn::intercomm_merge::id, neutral::err_comm, "no intercommunicator");
  return object::construct_comm<fn::intercomm_merge>(
      comm, out,
      [=](real<kind::comm> parent, real<kind::comm>* made) noexcept {
        return lower::the_bridge().service->intercomm_merge(parent, high != 0, made);
      },
      object::nothing_more);
}

}  // namespace mana::manual
