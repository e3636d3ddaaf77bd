// Descriptors of the objects whose wrappers live in manual/{comm,p2p,request,probe}.hpp. Those of datatypes, groups,
// operations, info objects and error handlers stand in headers of their own.
#pragma once
#include <mana/lower/abi.hpp>
#include <mana/vid/id_table.hpp>
#include <mana/object/request/operands.hpp>
#include <mana/vid/rank_map.hpp>
#include <mana/object/comm/topology.hpp>
#include <mana/object/comm/traffic.hpp>

namespace mana::vid {

struct attribute_list;          // attribute_store.hpp
struct collective_plan;         // lanes.hpp
struct lane_list;               // lanes.hpp
struct partitioned_transfer;    // partitioned.hpp

inline constexpr int max_name = 128;   // MPI_MAX_OBJECT_NAME of the smallest; MPICH 128, Open MPI 64

template <>
struct descriptor<kind::comm> {
  const rank_map* ranks = nullptr;     // this process's group
  const rank_map* peers = nullptr;     // what the ranks of messages and roots mean: of an intercommunicator the other group
  group_clock* everyone = nullptr;     // of both groups: names the set of all members
  std::uint64_t context = 0;           // names this communicator in the inbox; never reused
  traffic* messages = nullptr;         // owned: what it has carried; nullptr: it is kept for its lanes alone
  group_clock* clock = nullptr;        // counts its collectives; without threads, its blocking ones
  group_clock* started = nullptr;      // counts its non-blocking ones; without threads made by the first one
  std::uint64_t lineage = 0;           // the same on all members, no two communicators over the same members share it
  std::uint64_t children = 0;          // communicators that were made from this one
  lane_list* lanes = nullptr;          // owned: of its persistent collectives; nullptr: it never had one
  vid::topology* topology = nullptr;   // owned
  attribute_list* attributes = nullptr;
  std::uint32_t errhandler = 0;        // neutral code, or bits of a virtual id; 0: never set
  std::uint32_t info = 0;              // bits of a virtual id, 0: none
  bool freed = false;                  // by the program, on all members; requests may go on to name it (INV-67)
  char name[max_name] = {};

  bool is_inter() const noexcept { return peers != ranks; }
};

struct held_message;                   // object/comm/inbox.hpp

template <>
struct descriptor<kind::message> {
  held_message* held = nullptr;        // drained; else entry::real is the matched message
  entry<kind::comm>* on = nullptr;     // counted
  traffic* messages = nullptr;         // the communicator's
  std::uint64_t matched = 0;           // order of matching among this rank's messages and receives
  std::uint64_t passed = 0;            // messages of the same source and tag that were sent later and received meanwhile
  neutral::status status{};            // as probed
};

enum class request_form : std::uint8_t { send, recv, matched_recv, collective, buffered, generalized };
enum class request_state : std::uint8_t {
  inactive,   // persistent, not started
  unready,    // started, entry::real is 0. Partitioned: a send lacks partitions, or a receive's send is not known.
              // Synchronous: its message is in the receiver's inbox, and no receive has begun (`meeting`)
  active,     // entry::real is pending in the lower half
  done,       // completed and counted; the status waits for the application
};

/// Whether a receive has met a synchronous send whose message a drain may have taken. The live MPI cannot tell: to it the
/// drain was a receive.
enum class meeting : std::uint8_t {
  untouched,  // no drain has come: the live MPI tells
  asked,      // a drain is under way, and the receiver has been asked
  unmet,      // the receiver holds the message, and will say when a receive begins
};

template <>
struct descriptor<kind::request> {
  request_form form = request_form::send;
  request_state state = request_state::active;
  lower::send_mode mode = lower::send_mode::standard;
  bool persistent = false;
  bool buffered = false;               // persistent buffered send
  bool cancelling = false;             // MPI_Cancel was asked for; the live MPI has not answered yet
  meeting met = meeting::untouched;    // of a synchronous send
  bool detached = false;               // MPI_Request_free on an active request: ends with its completion
  bool is_exchange = false;            // MPI_Isendrecv, also when it goes on as its send
  bool keeps_more = false;             // than its communicator: counted operands, or memory; see keep_more()
  int peer = 0, tag = 0;               // neutral values, peer by rank in the communicator
  entry<kind::comm>* on = nullptr;     // counted
  operands names;
  void* buffer = nullptr;
  std::int64_t count = 0;
  std::uint64_t posted = 0;            // order of starting among this rank's receives; of a synchronous send that a drain
                                       // asks about: names it to its receiver
  traffic* messages = nullptr;         // the communicator's
  synchronous_envelope* envelope = nullptr;        // of a synchronous send that is not complete
  std::uint64_t number = 0;            // of its message in the envelope, from 1
  entry<kind::request>* send_part = nullptr;       // of MPI_Isendrecv, while its receive is pending
  collective_plan* plan = nullptr;     // owned: of a persistent collective
  partitioned_transfer* parts = nullptr;           // owned: of a partitioned send or receive
  entry<kind::request>* next_detached = nullptr;   // in the line of those that were freed while active
  void* owned[2];                      // from malloc: arguments that the operation reads until it is complete
  neutral::status status{};

  /// Before any of these is set: most requests have none, and are made and freed without a look at them.
  void keep_more() noexcept {
    if (keeps_more) return;
    keeps_more = true;
    names.begin();
    owned[0] = owned[1] = nullptr;
  }
};

}  // namespace mana::vid
