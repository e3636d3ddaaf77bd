// What mana knows of a request.
#pragma once
#include <mana/lower/abi.hpp>
#include <mana/lower/inventory.hpp>
#include <mana/object/comm/descriptor.hpp>
#include <mana/object/request/operands.hpp>
#include <mana/vid/object_class.hpp>

namespace mana {

template <>
struct class_facts<kind::request> {
  static constexpr int error = neutral::err_request;
  static constexpr lower::counted counted = lower::counted::requests;
  static constexpr bool follows_thread_level = true;
};

}  // namespace mana

namespace mana::object {

struct collective_plan;         // object/comm/lane.hpp
struct partitioned_transfer;    // object/request/partitioned_transfer.hpp

enum class request_form : std::uint8_t { send, recv, matched_recv, collective, buffered, generalized };
enum class request_stage : std::uint8_t {
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

}  // namespace mana::object

namespace mana {

template <>
struct descriptor<kind::request> {
  object::request_form form = object::request_form::send;
  object::request_stage state = object::request_stage::active;
  lower::send_mode mode = lower::send_mode::standard;
  bool persistent = false;
  bool buffered = false;               // persistent buffered send
  bool cancelling = false;             // MPI_Cancel was asked for; the live MPI has not answered yet
  object::meeting met = object::meeting::untouched;    // of a synchronous send
  bool detached = false;               // MPI_Request_free on an active request: ends with its completion
  bool is_exchange = false;            // MPI_Isendrecv, also when it goes on as its send
  bool keeps_more = false;             // than its communicator: counted operands, or memory; see keep_more()
  int peer = 0, tag = 0;               // neutral values, peer by rank in the communicator
  vid::entry<kind::comm>* on = nullptr;     // counted
  object::operands names;
  void* buffer = nullptr;
  std::int64_t count = 0;
  std::uint64_t posted = 0;            // order of starting among this rank's receives; of a synchronous send that a drain
                                       // asks about: names it to its receiver
  object::traffic* messages = nullptr;         // the communicator's
  object::synchronous_envelope* envelope = nullptr;        // of a synchronous send that is not complete
  std::uint64_t number = 0;            // of its message in the envelope, from 1
  vid::entry<kind::request>* send_part = nullptr;       // of MPI_Isendrecv, while its receive is pending
  object::collective_plan* plan = nullptr;     // owned: of a persistent collective
  object::partitioned_transfer* parts = nullptr;           // owned: of a partitioned send or receive
  vid::entry<kind::request>* next_detached = nullptr;   // in the line of those that were freed while active
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

}  // namespace mana
