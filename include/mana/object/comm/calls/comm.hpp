// Communicators. Constructors are collectives of the parent's group. The descriptor of the result has its ordered world
// ranks, which suffice for a restart to build it again.
#pragma once
#include <mana/app/argument.hpp>
#include <mana/call/library.hpp>
#include <mana/object/attribute/calls.hpp>
#include <mana/object/comm/collective.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/comm/topology_math.hpp>
#include <mana/object/errhandler/calls.hpp>
#include <mana/object/group/calls.hpp>
#include <mana/object/info/calls.hpp>
#include <mana/object/request/completion/detached.hpp>
#include <mana/object/request/form/collective/lanes.hpp>
#include <mana/object/request/form/message/buffered.hpp>
#include <mana/object/request/form/partitioned/partitioned.hpp>
#include <mana/vid/ggid.hpp>

#include <mana/gen/lower_slots.hpp>

namespace mana::object {

using comm_entry_t = vid::entry<kind::comm>;

/// Lineage of the next communicator that is made from `parent`. All members call the collective constructors on one
/// communicator in the same order. The communicators of one split have different members, so they may share a lineage.
inline std::uint64_t next_lineage(comm_entry_t& parent) noexcept {
  return vid::mix64(parent.what.lineage + vid::mix64(++parent.what.children));
}

/// The groups of a communicator: this process's group, and the group that its messages go to. They differ only in an
/// intercommunicator.
struct comm_groups {
  const vid::rank_map& ranks;
  const vid::rank_map& peers;
  explicit comm_groups(const vid::rank_map& r) noexcept : ranks(r), peers(r) {}
  comm_groups(const vid::rank_map& r, const vid::rank_map& p) noexcept : ranks(r), peers(p) {}
  explicit comm_groups(const descriptor<kind::comm>& d) noexcept : ranks(*d.ranks), peers(*d.peers) {}
};

/// Fills in the members that every communicator's descriptor has.
inline void describe_comm(descriptor<kind::comm>& d, const comm_groups& groups, std::uint64_t lineage) noexcept {
  d.ranks = &groups.ranks;
  d.peers = &groups.peers;
  d.everyone = d.is_inter() ? vid::clock_of_both(groups.ranks, groups.peers) : groups.ranks.clock;
  d.context = comms().next_context.fetch_add(1, std::memory_order_relaxed);
  d.lineage = lineage;
  const bool has_own = call::library().callers == turns::at_once;
  d.started = has_own ? vid::communicator_clock(*d.everyone, lineage) : nullptr;
  d.clock = has_own ? d.started : d.everyone;
  begin_traffic(d);
}

/// Members of a new communicator; asks the lower half once.
inline comm_groups members_of(real<kind::comm> real_comm) noexcept {
  const lower::services& s = *lower::the_bridge().service;
  const int world = static_cast<int>(lower::the_bridge().world_size);
  scratch<int, 64> ranks(world);
  int sizes[2] = {0, 0};
  lower::cross([&] { return s.comm_members(real_comm, sizes, ranks.data(), world); });
  const vid::rank_map& own = *vid::intern_ranks(ranks.data(), sizes[0]);
  return sizes[1] == 0 ? comm_groups(own) : comm_groups(own, *vid::intern_ranks(ranks.data() + sizes[0], sizes[1]));
}

/// Makes the virtual communicator for a constructor's result.
///
/// in: errhandler  the name of its handler, which is the parent's if it has one
///     groups  nullptr if they are not known
/// out: nullptr, and MPI_COMM_NULL, if this rank is no member
inline comm_entry_t* adopt_comm(reserved_comm& id, real<kind::comm> real_comm, std::uint32_t errhandler,
                                std::uint64_t lineage, MPI_Comm* out, const comm_groups* groups = nullptr) noexcept {
  *out = MPI_COMM_NULL;
  if (!real_comm || real_comm == lower::predefined(neutral::comm_null)) return nullptr;
  comm_entry_t& e = id.take();
  e.real = real_comm;
  describe_comm(e.what, groups != nullptr ? *groups : members_of(real_comm), lineage);
  keep_errhandler(errhandler);
  e.what.errhandler = errhandler;
  *out = app::from_virt<kind::comm>(vid::table<kind::comm>().id_of(e));
  return &e;
}

/// How the members of a new communicator are found: they are the parent's, or the live MPI is asked. Asking costs as
/// much as some constructors do.
enum class members { as_parent, asked };

/// The common frame of collective constructors.
///
/// in: make(real parent, real* result)  runs in the lower half
///     also(parent, new entry)  runs afterwards in the upper half, and returns a neutral error class
///     is_member  false: this rank will certainly get MPI_COMM_NULL, and needs no id
template <class Fn, members Who = members::asked, class Make, class Also>
inline int construct_comm(MPI_Comm parent, MPI_Comm* out, Make&& make, Also&& also, bool is_member = true) noexcept {
  *out = MPI_COMM_NULL;
  call::wrapper_scope scope(Fn::id);
  const resolved<kind::comm> from = resolve<kind::comm>(parent);
  if (!from.ok) return raise(MPI_COMM_NULL, Fn::id, neutral::err_comm, nullptr);
  real<kind::comm> made{};
  if (!start_constructor(scope, *from.e->what.clock, from.e))
    return raise(parent, Fn::id, neutral::err_unsupported_operation, refused_by_clock);
  reserved_comm id;
  if (is_member && !id.ok()) {
    retract_collective(*from.e->what.clock);
    return raise(parent, Fn::id, neutral::err_no_mem, no_comm_id);
  }
  const int rc = lower::cross([&] { return make(from.e->real, &made); });
  if (rc != neutral::success) {
    retract_if_refused(*from.e->what.clock, rc);
    return raise(parent, Fn::id, rc, nullptr);
  }
  const comm_groups groups(from.e->what);
  comm_entry_t* const e = adopt_comm(id, made, from.e->what.errhandler, next_lineage(*from.e), out,
                                     Who == members::as_parent ? &groups : nullptr);
  if (e != nullptr) e->what.session = from.e->what.session;
  const int after = e != nullptr ? also(*from.e, *e) : int{neutral::success};
  if (after == neutral::success) return MPI_SUCCESS;
  *out = MPI_COMM_NULL;        // the other members have it, so a restart still builds it
  return raise(parent, Fn::id, after, nullptr);
}

inline constexpr auto nothing_more = [](comm_entry_t&, comm_entry_t&) noexcept { return int{neutral::success}; };

/// A constructor that is collective over the new communicator's members only.
struct group_call {
  group_members members;
  std::uint64_t key;              // the same on all of them; different for calls that threads may make at once
  std::uint32_t errhandler;       // name of the new communicator's handler
};

/// A collective of the members' clock. make(real* result) runs in the lower half.
/// out: MPI_COMM_NULL if this process is no member. Returns a neutral error class
template <class Fn, class Make>
inline int construct_from_group(const group_call& call, MPI_Comm* out, Make&& make) noexcept {
  call::wrapper_scope scope(Fn::id);
  *out = MPI_COMM_NULL;
  if (call.members.size == 0) return neutral::success;
  const vid::rank_map& ranks = *vid::intern_ranks(call.members.world_ranks, call.members.size);
  if (ranks.own_rank == neutral::undefined) return neutral::success;
  const bool has_own = call::library().callers == turns::at_once;
  vid::group_clock& clock = has_own ? *vid::keyed_clock(*ranks.clock, call.key) : *ranks.clock;
  if (!start_constructor(scope, clock, nullptr)) return neutral::err_unsupported_operation;
  reserved_comm id;
  if (!id.ok()) {
    retract_collective(clock);
    return neutral::err_no_mem;
  }
  real<kind::comm> made{};
  if (const int rc = lower::cross([&] { return make(&made); }); rc != neutral::success) {
    retract_if_refused(clock, rc);
    return rc;
  }
  const std::uint64_t lineage = vid::mix64(call.key ^ vid::mix64(std::uint64_t{++clock.made} << 32));
  if (comm_entry_t* const e = adopt_comm(id, made, call.errhandler, lineage, out)) e->what.session = call.members.session;
  return neutral::success;
}

/// The detail of a constructor's error message, for the classes that need one.
inline const char* words_for(int neutral_class) noexcept {
  switch (neutral_class) {
    case neutral::err_unsupported_operation: return refused_by_clock;
    case neutral::err_no_mem: return no_comm_id;
    default: return nullptr;
  }
}

/// Copies all that MPI_Comm_dup copies besides the group: topology, attributes by their callbacks, info hints.
inline int copy_all(comm_entry_t& from, comm_entry_t& to, kept_hints& hints) noexcept {
  if (from.what.topology != nullptr) set_topology(to.what, *from.what.topology);
  hints.replace(to.what.info);
  return copy_attributes(from, to);
}

inline const info_store* hints_of_comm(MPI_Comm comm) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  return c.ok ? hints_named(c.e->what.info) : nullptr;
}

/// MPI_Comm_dup and its like. given: hints of the new communicator
template <class Fn>
inline int dup_call(MPI_Comm comm, const info_store* given, MPI_Comm* out) noexcept {
  kept_hints hints(given);
  if (!hints.ok()) return raise(comm, Fn::id, neutral::err_no_mem, no_info_id);
  return construct_comm<Fn, members::as_parent>(
      comm, out,
      [](real<kind::comm> parent, real<kind::comm>* made) noexcept {
        return lower::the_bridge().mpi->MPI_Comm_dup(parent, made);
      },
      [&hints](comm_entry_t& from, comm_entry_t& to) noexcept { return copy_all(from, to, hints); });
}

/// Ends all data that only the program's handle needs. Persistent collectives run on lanes: they need the entry, but
/// not its real communicator.
inline void end_handle(comm_entry_t& e, bool has_lanes) noexcept {
  forget_channels(e.what);
  release_errhandler(std::exchange(e.what.errhandler, 0u));
  free_info_name(std::exchange(e.what.info, 0u));
  vid::retire(std::exchange(e.what.started, nullptr));
  if (!has_lanes) delete std::exchange(e.what.topology, nullptr);      // no message needs it
  e.what.freed = e.what.messages->is_freed = true;
  vid::table<kind::comm>().make_stale(e);
  if (has_lanes) keep_lanes(e);
}

/// Local, as in every MPI: programs free on one rank before the other members' next collectives, and on others after them.
/// Only the end of lanes takes all members, who have the same lanes. The communicator ends when nothing names it (INV-67),
/// usually here.
inline int free_comm(MPI_Comm* comm) noexcept {
  call::wrapper_scope scope(fn::comm_free::id);
  const resolved<kind::comm> c = resolve<kind::comm>(*comm);
  if (!c.ok || c.predefined_code != 0) return raise(MPI_COMM_NULL, fn::comm_free::id, neutral::err_comm, nullptr);
  if (const int rc = delete_attributes(*c.e, *comm); rc != neutral::success)
    return raise(*comm, fn::comm_free::id, rc, nullptr);
  if (c.e->what.lanes != nullptr && !start_constructor(scope, clock_of_started(c.e->what), c.e))
    return raise(*comm, fn::comm_free::id, neutral::err_unsupported_operation, refused_by_clock);
  // operations may name it that have ended unnoticed
  if (__atomic_load_n(&c.e->references, __ATOMIC_RELAXED) != 1) {
    end_detached(c.e);
    end_buffered();
  }
  forget_buffer(place_of(c.e->what));
  end_handle(*c.e, end_lanes(*c.e));
  *comm = MPI_COMM_NULL;
  const int rc = drop_handle_of(*c.e);
  return rc == neutral::success ? MPI_SUCCESS : raise(MPI_COMM_NULL, fn::comm_free::id, rc, nullptr);
}

}  // namespace mana::object

namespace mana::manual {

inline int comm_size(MPI_Comm comm, int* size) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok || c.e->what.ranks == nullptr) return raise(MPI_COMM_NULL, fn::comm_size::id, neutral::err_comm, nullptr);
  *size = c.e->what.ranks->size;
  return MPI_SUCCESS;
}
inline int comm_rank(MPI_Comm comm, int* rank) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok || c.e->what.ranks == nullptr) return raise(MPI_COMM_NULL, fn::comm_rank::id, neutral::err_comm, nullptr);
  *rank = c.e->what.ranks->own_rank;
  return MPI_SUCCESS;
}
inline int comm_group(MPI_Comm comm, MPI_Group* group) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok) return raise(MPI_COMM_NULL, fn::comm_group::id, neutral::err_comm, nullptr);
  const int rc = object::make_group(*c.e->what.ranks, group, c.e->what.session);
  return rc == neutral::success ? MPI_SUCCESS : raise(comm, fn::comm_group::id, rc, object::no_group_id);
}
inline int comm_test_inter(MPI_Comm comm, int* flag) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok) return raise(MPI_COMM_NULL, fn::comm_test_inter::id, neutral::err_comm, nullptr);
  *flag = c.e->what.is_inter();
  return MPI_SUCCESS;
}
inline int comm_compare(MPI_Comm a, MPI_Comm b, int* result) noexcept {
  const resolved<kind::comm> x = resolve<kind::comm>(a), y = resolve<kind::comm>(b);
  if (!x.ok || !y.ok) return raise(MPI_COMM_NULL, fn::comm_compare::id, neutral::err_comm, nullptr);
  const descriptor<kind::comm>&c = x.e->what, &d = y.e->what;
  const auto same_sets = [&] { return c.ranks->clock == d.ranks->clock && c.peers->clock == d.peers->clock; };
  if (x.e == y.e) *result = MPI_IDENT;
  else if (c.is_inter() != d.is_inter()) *result = MPI_UNEQUAL;
  else if (c.ranks == d.ranks && c.peers == d.peers) *result = MPI_CONGRUENT;   // interned: members in the same order
  else *result = same_sets() ? MPI_SIMILAR : MPI_UNEQUAL;
  return MPI_SUCCESS;
}

inline int comm_dup(MPI_Comm comm, MPI_Comm* out) noexcept {
  return object::dup_call<fn::comm_dup>(comm, object::hints_of_comm(comm), out);
}
/// The hints are kept for MPI_Comm_get_info. The live MPI gets none of them.
inline int comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* out) noexcept {
  return object::dup_call<fn::comm_dup_with_info>(comm, object::hints_of(info), out);
}
inline int comm_split(MPI_Comm comm, int color, int key, MPI_Comm* out) noexcept {
  return object::construct_comm<fn::comm_split>(
      comm, out,
      [=](real<kind::comm> parent, real<kind::comm>* made) noexcept {
        return lower::the_bridge().mpi->MPI_Comm_split(parent, color == MPI_UNDEFINED ? neutral::undefined : color, key,
                                                       made);
      },
      object::nothing_more, color != MPI_UNDEFINED);
}
inline int comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* out) noexcept {
  const object::group_members members = object::members_of_group(group);
  if (!members.ok) return raise(comm, fn::comm_create::id, neutral::err_group, nullptr);
  return object::construct_comm<fn::comm_create>(
      comm, out,
      [&](real<kind::comm> parent, real<kind::comm>* made) noexcept {
        return lower::the_bridge().service->comm_create(parent, members.world_ranks, members.size, made);
      },
      object::nothing_more, object::has_this_process(members));
}

inline int comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* out) noexcept {
  using f = fn::comm_create_group;
  const resolved<kind::comm> from = resolve<kind::comm>(comm);
  const object::group_members members = object::members_of_group(group);
  if (!from.ok || from.e->what.is_inter())
    return raise(from.ok ? comm : MPI_COMM_NULL, f::id, neutral::err_comm, nullptr);
  if (!members.ok) return raise(comm, f::id, neutral::err_group, nullptr);
  // Not a collective of the parent: threads may make several at once, with different tags.
  const object::group_call call{members, vid::mix64(from.e->what.lineage) + vid::mix64(static_cast<std::uint64_t>(tag)),
                              from.e->what.errhandler};
  const int rc = object::construct_from_group<f>(call, out, [&](real<kind::comm>* made) noexcept {
    return lower::the_bridge().service->comm_create_group(from.e->real, members.world_ranks, members.size, tag, made); });
  return rc == neutral::success ? MPI_SUCCESS : raise(comm, f::id, rc, object::words_for(rc));
}

inline int comm_free(MPI_Comm* comm) noexcept { return object::free_comm(comm); }
/// Without dynamic processes this waits for nothing more than MPI_Comm_free does.
inline int comm_disconnect(MPI_Comm* comm) noexcept { return object::free_comm(comm); }

/// A program under mana cannot be spawned, so it has no parent.
inline int comm_get_parent(MPI_Comm* parent) noexcept {
  *parent = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

inline int comm_set_info(MPI_Comm comm, MPI_Info info) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok) return raise(MPI_COMM_NULL, fn::comm_set_info::id, neutral::err_comm, nullptr);
  object::kept_hints hints(object::hints_of(info));
  if (!hints.ok()) return raise(comm, fn::comm_set_info::id, neutral::err_no_mem, object::no_info_id);
  hints.replace(c.e->what.info);
  return MPI_SUCCESS;
}
inline int comm_get_info(MPI_Comm comm, MPI_Info* info) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok) return raise(MPI_COMM_NULL, fn::comm_get_info::id, neutral::err_comm, nullptr);
  const int rc = object::give_hints(object::hints_named(c.e->what.info), info);
  return rc == neutral::success ? MPI_SUCCESS : raise(comm, fn::comm_get_info::id, rc, object::no_info_id);
}

/// Ranks are never reordered (reordering is a hint at most): a restart on other nodes must find them in the same order.
inline int cart_create(MPI_Comm comm, int ndims, const int dims[], const int periods[], int, MPI_Comm* out) noexcept {
  return object::construct_comm<fn::cart_create>(comm, out, [=](auto parent, real<kind::comm>* made) noexcept {
    return lower::the_bridge().mpi->MPI_Cart_create(parent, ndims, dims, periods, 0, made); },
    [=](object::comm_entry_t&, object::comm_entry_t& to) noexcept {
      object::set_topology(to.what, object::make_cart(ndims, dims, periods, to.what.ranks->own_rank));
      return int{neutral::success}; });
}
inline int cart_sub(MPI_Comm comm, const int remain[], MPI_Comm* out) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok) return raise(MPI_COMM_NULL, fn::cart_sub::id, neutral::err_comm, nullptr);
  const object::cart* const grid = object::topology_as<object::cart>(c.e->what);
  if (grid == nullptr) return raise(comm, fn::cart_sub::id, neutral::err_topology, "no cartesian topology");
  return object::construct_comm<fn::cart_sub>(comm, out, [=](real<kind::comm> parent, real<kind::comm>* made) noexcept {
    return lower::the_bridge().mpi->MPI_Cart_sub(parent, remain, made); },
    [=](object::comm_entry_t&, object::comm_entry_t& to) noexcept {
      object::set_topology(to.what, object::sub_cart(*grid, remain));
      return int{neutral::success}; });
}
inline int graph_create(MPI_Comm comm, int nnodes, const int index[], const int edges[], int, MPI_Comm* out) noexcept {
  return object::construct_comm<fn::graph_create>(
      comm, out,
      [=](auto parent, real<kind::comm>* made) noexcept {
        return lower::the_bridge().mpi->MPI_Graph_create(parent, nnodes, index, edges, 0, made);
      },
      [=](object::comm_entry_t&, object::comm_entry_t& to) noexcept {
        object::set_topology(
            to.what, object::graph{{index, index + nnodes}, {edges, edges + (nnodes > 0 ? index[nnodes - 1] : 0)}});
        return int{neutral::success};
      });
}

}  // namespace mana::manual
