// Partitioned messages (object/request/partitioned_transfer.hpp). A start moves one message for all partitions. The
// first message of a send is a copy that carries the channel's name, so it completes without a receive. From it, the
// receive of that channel learns the number. When the receive is started again it knows the number, and is posted at
// once. So later messages are sent directly from the program's buffer. For drains and restarts each message is an
// ordinary request on the wrapper library's communicator.
#pragma once
#include <mana/call/narrow_call.hpp>
#include <mana/object/comm/receive_held.hpp>
#include <mana/object/attribute/calls.hpp>
#include <mana/object/comm/counting.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/datatype/predefined.hpp>
#include <mana/object/request/completion/detached.hpp>
#include <mana/object/request/form/message/point_to_point.hpp>
#include <mana/object/request/partitioned_transfer.hpp>
#include <mana/vid/ggid.hpp>

#include <cstring>
#include <map>
#include <mutex>
#include <tuple>

namespace mana::object {

/// First messages of partitioned operations, and the receives that wait for them.
struct pairing_state {
  // uint32[world_size]: how many numbers were given for each rank, from 1; nullptr: none yet
  std::uint32_t* channels = nullptr;
  vid::entry<kind::request>* first_unpaired = nullptr;   // receives, in the order of their initialisation
  held_message* firsts = nullptr;      // first messages whose receives are not initialised yet, oldest first
  std::atomic_flag pairing = ATOMIC_FLAG_INIT;           // held to change the two members above
};

inline pairing_state the_pairings;
inline pairing_state& pairings() noexcept { return the_pairings; }

/// Tag of first messages.
inline constexpr int first_message_tag = 0;

/// Collective; called when every rank is in MPI_Init or restarts. out: neutral error class
inline int make_partitioned_comm() noexcept {
  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  comm_state& all = comms();
  return lower::cross([&] { return mpi.MPI_Comm_dup(all.world.real, &all.partitioned.real); });
}

/// The key of a counter of initialisations: of sends to, or receives from, a rank with a tag on a communicator.
struct channel_key {
  std::uint64_t ggid, check;
  int peer, tag;
  bool is_send;
  auto tied() const noexcept { return std::tie(ggid, check, peer, tag, is_send); }
  friend bool operator<(const channel_key& a, const channel_key& b) noexcept { return a.tied() < b.tied(); }
};
inline std::map<channel_key, int>& channel_counts() noexcept {
  static std::map<channel_key, int> counts;
  return counts;
}

/// The communicator in a channel's name: the same on all members, and different for every other communicator.
inline partition_channel channel_on(const descriptor<kind::comm>& comm) noexcept {
  const vid::group_clock& members = *comm.everyone;
  return {members.ggid, members.check ^ vid::mix64(comm.lineage), 0, 0, 0, 0};
}

/// The channel of the next initialisation of this kind. peer: rank in comm
inline partition_channel next_channel(const descriptor<kind::comm>& comm, int peer, int tag,
                                           bool is_send) noexcept {
  partition_channel c = channel_on(comm);
  c.tag = tag;
  const std::lock_guard hold(app::cold_lock());
  c.ordinal = ++channel_counts()[{c.ggid, c.check, peer, tag, is_send}];
  return c;
}

/// Forgets the counters of a communicator that was freed: no initialisation can use them.
inline void forget_channels(const descriptor<kind::comm>& comm) noexcept {
  const std::lock_guard hold(app::cold_lock());
  auto& counts = channel_counts();
  if (counts.empty()) return;
  const partition_channel c = channel_on(comm);
  const auto first = counts.lower_bound({c.ggid, c.check, INT_MIN, INT_MIN, false});
  auto last = first;
  while (last != counts.end() && last->first.ggid == c.ggid && last->first.check == c.check) ++last;
  counts.erase(first, last);
}

/// A number for messages to a world rank. out: 0: no number is left
inline int take_channel_number(int world_rank) noexcept {
  pairing_state& all = pairings();
  {
    const std::lock_guard hold(app::cold_lock());
    if (all.channels == nullptr)
      all.channels =
          static_cast<std::uint32_t*>(std::calloc(lower::the_bridge().world_size, sizeof(std::uint32_t)));
    if (all.channels == nullptr) return 0;
  }
  const std::uint32_t number = __atomic_add_fetch(&all.channels[world_rank], 1, __ATOMIC_RELAXED);
  return number <= live_tag_bound() ? static_cast<int>(number) : 0;
}

class pairing_lock {
 public:
  pairing_lock() noexcept { while (pairings().pairing.test_and_set(std::memory_order_acquire)) {} }
  ~pairing_lock() { pairings().pairing.clear(std::memory_order_release); }
  pairing_lock(const pairing_lock&) = delete;
  pairing_lock& operator=(const pairing_lock&) = delete;
};

inline const partition_channel& channel_of(held_message& first) noexcept {
  return *static_cast<const partition_channel*>(first.data());
}

/// Unpacks a first message into the receive's buffer.
inline neutral::status unpack_first(descriptor<kind::request>& r) noexcept {
  held_message* const held = std::exchange(r.parts()->first, nullptr);
  const lower::services& s = *lower::the_bridge().service;
  const auto type = real_of<kind::datatype>(r.names.datatype);
  constexpr std::int64_t head = sizeof(partition_channel);
  neutral::status status{held->source, 0, neutral::success, 0, 0};
  neutral::status laid_out{};
  status.error = lower::cross([&] {
    const char* const packed = static_cast<char*>(held->data()) + head;
    return s.deliver(packed, held->bytes - head, r.message().buffer, r.message().count, type, &laid_out); });
  status.count_bytes = laid_out.count_bytes;
  inbox::destroy(held);
  r.parts()->name_in_comm(status);
  return status;
}

/// A receive has found its send. Caller holds the pairing_lock.
inline void pair_up(request_entry& e, held_message& first) noexcept {
  e.what.parts()->first = &first;
  e.what.parts()->channel.number = e.what.message().tag = channel_of(first).number;
  if (e.what.state != request_stage::unready) return;
  e.what.status = unpack_first(e.what);
  become(e, request_stage::done);
}

inline bool are_pair(const request_entry& e, held_message& first) noexcept {
  return e.what.message().peer == first.source && e.what.parts()->channel.pairs_with(channel_of(first));
}

/// The oldest first message; nullptr if none has come.
inline held_message* next_first() noexcept {
  vid::entry<kind::comm>& on = comms().partitioned;
  if (held_message* const held = take_held(on.what, neutral::any_source, first_message_tag)) return held;
  const lower::services& s = *lower::the_bridge().service;
  int there = 0;
  real<kind::message> message{};
  neutral::status status{};
  lower::cross([&] {
    return s.mprobe(neutral::any_source, first_message_tag, on.real, 0, &there, &message, &status); });
  if (there == 0) return nullptr;
  held_message* held = nullptr;
  if (receive_held(on.what.context, message, status, held) != neutral::success) return nullptr;
  count_received(*on.what.messages, status.source);
  return held;
}

/// The body of receive_firsts(). One thread at a time receives; the others return at once.
inline void receive_all_firsts() noexcept {
  if (!comms().partitioned.real) return;
  if (pairings().pairing.test_and_set(std::memory_order_acquire)) return;
  while (held_message* const first = next_first()) {
    request_entry** at = &pairings().first_unpaired;
    while (*at != nullptr && !are_pair(**at, *first)) at = &(*at)->what.parts()->next_unpaired;
    if (request_entry* const e = *at) {
      *at = std::exchange(e->what.parts()->next_unpaired, nullptr);
      pair_up(*e, *first);
    } else {
      held_message** end = &pairings().firsts;
      while (*end != nullptr) end = &(*end)->next;
      first->next = nullptr;
      *end = first;
    }
  }
  pairings().pairing.clear(std::memory_order_release);
}

/// Called when a receive is initialised: its first message may have come before.
inline void look_for_pair(request_entry& e) noexcept {
  pairing_state& all = pairings();
  const pairing_lock hold;
  for (held_message** at = &all.firsts; *at != nullptr; at = &(*at)->next) {
    if (!are_pair(e, **at)) continue;
    held_message& first = **at;
    *at = first.next;
    pair_up(e, first);
    return;
  }
  request_entry** end = &all.first_unpaired;
  while (*end != nullptr) end = &(*end)->what.parts()->next_unpaired;
  *end = &e;
}

/// Sends the copy of a send's first message, and completes the send. out: neutral error class
inline int send_first(request_entry& e) noexcept {
  descriptor<kind::request>& r = e.what;
  const message_part& m = r.message();
  comm_state& all = comms();
  const lower::bridge& b = lower::the_bridge();
  const lower::mpi_slots& mpi = *b.mpi;
  const auto type = real_of<kind::datatype>(r.names.datatype);
  const auto on = all.partitioned.real;
  constexpr std::int64_t head = sizeof(partition_channel);
  std::int64_t room = 0, bytes = 0;
  int rc =
      call::narrow_call(mpi.MPI_Pack_size_c, mpi.MPI_Pack_size, {m.parts->needs_large_counts ? INT64_MAX : m.count},
                        [&]<class N>(auto* slot, N size) noexcept {
                          const int error = slot(static_cast<N>(m.count), type, on, &size);
                          room = size;
                          return error;
                        });
  if (rc != neutral::success) return rc;
  auto* const copy = static_cast<char*>(std::malloc(static_cast<std::size_t>(head + room)));
  request_entry* const message = copy != nullptr ? new_message(request_form::send, all.partitioned) : nullptr;
  if (message == nullptr) { std::free(copy); return neutral::err_no_mem; }
  std::memcpy(copy, &m.parts->channel, head);
  own_memory(message->what, copy);
  message->what.message().peer = m.peer;
  message->what.message().tag = first_message_tag;
  rc = call::narrow_call(mpi.MPI_Pack_c, mpi.MPI_Pack, {m.count, room}, [&]<class N>(auto* slot, N position) noexcept {
    const int error = slot(m.buffer, static_cast<N>(m.count), type, copy + head, static_cast<N>(room), &position, on);
    bytes = position;
    if (error != neutral::success) return error;
    return b.service->isend(lower::send_mode::standard, copy, head + bytes, lower::predefined(neutral::packed), m.peer,
                            first_message_tag, on, &message->real);
  });
  if (rc != neutral::success) { free_request(*message); return rc; }
  count_sent(*r.messages, m.peer, first_message_tag);
  detach(*message);
  m.parts->is_first = false;
  return neutral::success;
}

/// Sends the message with all partitions of a send. out: neutral error class
inline int send_message(request_entry& e) noexcept {
  descriptor<kind::request>& r = e.what;
  const message_part& m = r.message();
  r.status = {};
  if (m.peer == neutral::proc_null) {
    become(e, request_stage::done);
    return neutral::success;
  }
  if (m.parts->is_first) {
    const int rc = send_first(e);
    if (rc == neutral::success) become(e, request_stage::done);
    return rc;
  }
  const lower::services& s = *lower::the_bridge().service;
  const auto type = real_of<kind::datatype>(r.names.datatype);
  const auto on = comms().partitioned.real;
  real<kind::request> started{};
  const int rc = lower::cross([&] { return s.isend(m.mode, m.buffer, m.count, type, m.peer, m.tag, on, &started); });
  if (rc != neutral::success) return rc;
  count_sent(*r.messages, m.peer, m.tag);
  become(e, request_stage::active);
  __atomic_store(&e.real, &started, __ATOMIC_RELEASE);       // from here on other threads may complete it
  return neutral::success;
}

/// All partitions of a send are ready. If its message cannot leave, the request becomes inactive: otherwise nobody
/// would end it.
/// out: neutral error class
inline int send_parts(request_entry& e) noexcept {
  const int rc = send_message(e);
  if (rc != neutral::success) become(e, request_stage::inactive);
  return rc;
}

/// Marks this many partitions as ready. out: neutral error class
inline int mark_ready(request_entry& e, int partitions) noexcept {
  const int before = e.what.parts()->missing.fetch_sub(partitions, std::memory_order_acq_rel);
  return before == partitions ? send_parts(e) : int{neutral::success};
}

/// MPI_Start. out: neutral error class
inline int start_partitioned(request_entry& e) noexcept {
  descriptor<kind::request>& r = e.what;
  partitioned_transfer& parts = *r.parts();
  if (r.form == request_form::send) {
    parts.missing.store(parts.partitions, std::memory_order_relaxed);
    become_unready(r);
    return parts.partitions == 0 ? send_parts(e) : int{neutral::success};
  }
  if (r.message().peer == neutral::proc_null) {
    r.status = {neutral::proc_null, neutral::any_tag, neutral::success, 0, 0};
    r.state = request_stage::done;
    return neutral::success;
  }
  {
    const pairing_lock hold;
    if (parts.first != nullptr) {
      r.status = unpack_first(r);
      r.state = request_stage::done;
      return neutral::success;
    }
    if (parts.channel.number == 0) {
      become_unready(r);
      return neutral::success;
    }
  }
  const int rc = start_persistent(e);
  if (r.state == request_stage::done) parts.name_in_comm(r.status);      // a drained message had come
  return rc;
}

/// MPI_Request_free of an inactive partitioned request: ends its additional data.
inline void end_partitioned(request_entry& e) noexcept {
  const pairing_lock hold;
  request_entry** at = &pairings().first_unpaired;
  while (*at != nullptr && *at != &e) at = &(*at)->what.parts()->next_unpaired;
  if (*at != nullptr) *at = e.what.parts()->next_unpaired;
  if (e.what.parts()->first != nullptr) inbox::destroy(e.what.parts()->first);
  delete std::exchange(e.what.message().parts, nullptr);
}

}  // namespace mana::object
