// The descriptor of a request.
#pragma once
#include <mana/lower/abi.hpp>
#include <mana/lower/inventory.hpp>
#include <mana/object/comm/descriptor.hpp>
#include <mana/object/request/operands.hpp>
#include <mana/vid/object_class.hpp>

#include <new>

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
struct generalized_operation;   // object/request/form/generalized
struct partitioned_transfer;    // object/request/partitioned_transfer.hpp

/// Which part a descriptor has. The forms of messages come first.
enum class request_form : std::uint8_t { none, send, recv, matched_recv, buffered, collective, generalized, one_sided };
inline constexpr bool is_message(request_form form) noexcept {
  return form >= request_form::send && form <= request_form::buffered;
}
enum class request_stage : std::uint8_t {
  inactive,   // persistent, not started
  unready,    // started, entry::real is 0. Partitioned: a send lacks partitions, or a receive does not know its send.
              // Synchronous: its message is in the receiver's inbox, and no receive has begun (`meeting`)
  active,     // entry::real is pending in the lower half
  done,       // completed and counted; the status waits for the program
};

/// Whether a receive has met a synchronous send whose message a drain may have taken. The live MPI cannot tell: it sees
/// the drain as a receive.
enum class meeting : std::uint8_t {
  untouched,  // no drain has come: the live MPI knows
  asked,      // a drain is under way, and the receiver has been asked
  unmet,      // the receiver holds the message, and will report when a receive begins
};

/// Part of a message: a send, also a buffered one, or a receive, also of a matched message. Partitioned ones have
/// `parts`.
struct message_part {
  lower::send_mode mode = lower::send_mode::standard;
  bool buffered = false;               // persistent buffered send
  meeting met = meeting::untouched;    // of a synchronous send
  bool is_exchange = false;            // MPI_Isendrecv, even after it has become its send
  int peer = 0, tag = 0;               // neutral values, peer by rank in the communicator
  void* buffer = nullptr;
  std::int64_t count = 0;
  std::uint64_t posted = 0;            // order of starting among this rank's receives; of a synchronous send that a drain
                                       // asks about: names it to its receiver
  synchronous_envelope* envelope = nullptr;        // of a synchronous send that is not complete
  std::uint64_t number = 0;            // position of its message in the envelope, from 1
  vid::entry<kind::request>* send_part = nullptr;       // of MPI_Isendrecv, while its receive is pending
  partitioned_transfer* parts = nullptr;           // owned: of a partitioned send or receive
};

/// Part of a collective.
struct collective_part {
  collective_plan* plan = nullptr;     // owned: of a persistent one
};

/// Part of a generalized request.
struct program_part {
  generalized_operation* operation = nullptr;      // in the request's own memory
};

}  // namespace mana::object

namespace mana {

/// A head, and the part of its form. A part is read only through its accessor, and only if the form has it.
/// Because: new_message() and its like set the form once, with the part. A request that becomes its send stays a
/// message.
/// Checked: builds in one process end if this is violated (tests/unit/object/request/forms.cpp).
template <>
struct descriptor<kind::request> {
  object::request_form form = object::request_form::none;
  object::request_stage state = object::request_stage::active;
  bool persistent = false;
  bool cancelling = false;               // MPI_Cancel was called; the live MPI has not answered yet
  bool detached = false;                 // MPI_Request_free was called on an active request: it ends with its operation
  bool keeps_more = false;               // more than its communicator: counted operands, or memory; see keep_more()
  vid::entry<kind::comm>* on = nullptr;  // the communicator; a counted reference
  object::operands names;
  object::traffic* messages = nullptr;                 // the communicator's
  vid::entry<kind::request>* next_detached = nullptr;  // in the line of requests that were freed while active
  void* owned[2];  // from malloc: arguments that the operation reads until it is complete
  neutral::status status{};

  descriptor() noexcept {}             // without a part: call one of the next three first
  [[gnu::always_inline]] void begin_message(object::request_form f) noexcept {
    ::new (&message_) object::message_part;
    form = f;
  }
  [[gnu::always_inline]] void begin_collective() noexcept {
    ::new (&collective_) object::collective_part;
    form = object::request_form::collective;
  }
  void begin_generalized() noexcept {
    ::new (&program_) object::program_part;
    form = object::request_form::generalized;
  }

  /// MPI_Rput and its relatives have no part: only their completion is asked for.
  void begin_one_sided() noexcept { form = object::request_form::one_sided; }

  bool is_message() const noexcept { return object::is_message(form); }
  bool is_collective() const noexcept { return form == object::request_form::collective; }
  bool is_one_sided() const noexcept { return form == object::request_form::one_sided; }
  bool is_generalized() const noexcept { return form == object::request_form::generalized; }
  object::message_part& message() noexcept { return expect(is_message()), message_; }
  const object::message_part& message() const noexcept { return expect(is_message()), message_; }
  object::collective_part& collective() noexcept { return expect(is_collective()), collective_; }
  const object::collective_part& collective() const noexcept { return expect(is_collective()), collective_; }
  object::program_part& program() noexcept { return expect(is_generalized()), program_; }
  const object::program_part& program() const noexcept { return expect(is_generalized()), program_; }
  /// The transfer of a partitioned message; nullptr for any other request.
  object::partitioned_transfer* parts() const noexcept { return is_message() ? message_.parts : nullptr; }
  /// The plan of a persistent collective; nullptr for any other request.
  object::collective_plan* plan() const noexcept { return is_collective() ? collective_.plan : nullptr; }

  /// Must be called before any of the members above is set. Most requests have none of them, and are made and freed
  /// without looking at them.
  void keep_more() noexcept {
    if (keeps_more) return;
    keeps_more = true;
    names.begin();
    owned[0] = owned[1] = nullptr;
  }

 private:
  static void expect([[maybe_unused]] bool has_part) noexcept {
#if defined(MANA_ONE_PROCESS)
    if (!has_part) [[unlikely]] __builtin_trap();
#endif
  }
  union {
    object::message_part message_;
    object::collective_part collective_;
    object::program_part program_;
  };
};

}  // namespace mana

namespace mana::object {
static_assert(sizeof(descriptor<kind::request>) <= 168, "images have one for each request");

}  // namespace mana::object
