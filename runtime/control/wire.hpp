// Messages between coordinator, relays, agents and clients. A frame is: uint32 number of bytes that follow, uint8 type,
// payload. All is little endian. Text: uint32 length, bytes. List: uint32 number, members. Variant: uint8 which, its
// members.
#pragma once
#include <mana/clock/fields.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace mana::control {

enum class frame_type : std::uint8_t {
  // Towards the coordinator. A relay reports for all ranks behind its links what an agent reports for its own.
  hello_rank = 1,   // key, rank: a relay gives its process's rank
  clock_up = 2,     // the clock policy's up
  parked = 3,       // uint64 request: all threads are parked
  written = 4,      // uint64 request, list of rank_result
  copied = 5,       // uint64 request: processes of their own hold the memory and write it; `written` follows
  ending = 6,       // the ranks wait in MPI_Finalize
  request = 7,      // a signal, or the program, asks for a checkpoint. uint8 stop
  answered = 8,     // uint64: the request whose quiesce begins there
  here = 9,         // a relay: all of its links have said hello
  lost = 10,        // a relay: int32 first, end: these ranks can no longer be reached
  of_rank = 11,     // a relay: int32 rank, its frame: clock_up or answered, of a policy that does not combine
  retracted = 12,   // uint64 request: a collective that the rank has counted was not started
  on_node = 13,     // uint64 request: the images are durable on the nodes
  advanced = 14,    // uint64 look, write_advance: the answer to the look
  drained = 15,     // uint64 request: nothing is in flight to these ranks
  waits = 24,       // uint64 request, int32 rank, text: why this rank does not park, or why its drain does not end
  undrained = 25,   // uint64 request, int32 rank, text: why this rank's drain failed
  told_to_end = 27, // text: a rank's program was told to end, by which signal: give up the checkpoint that holds it
  in_init = 29,     // the rank is in the live MPI's start, where it cannot be saved; from an agent that found the coordinator by the file
  word = 30,        // int32 rank, text: why the connection will end; empty: it will not
  hand_over = 31,   // to the coordinator or relay of its own process: uint8 ends. Another follows, or the process ends
  // From the coordinator to all ranks.
  clock_down = 16,  // the clock policy's down, to one link
  proceed = 17,     // all ranks are parked. commit_info; uint8 forked, uint8 local, uint8 copies
  verdict = 18,     // uint8 verdict_kind, uint8 stop, uint8 on_nodes: the ranks are released
  end = 19,         // all ranks are in MPI_Finalize, and nothing is under way
  requested = 20,   // uint64: number of the request
  line = 21,        // all ranks are at a recovery line
  welcome = 37,     // the listener has read its hello, and reads its frames
  stands = 36,      // uint8: all ranks are connected, none is in the live MPI's start: they wait in MPI_Init for each other
  stored = 23,      // uint8 committed, uint8 on_nodes, uint8 is_known, list of uint64 (stored_end): the end of a checkpoint whose verdict was `copied`
  look = 26,        // uint64, ascending: asks for the images' progress
  abandon = 28,     // gives up images that are not durable; ranks that have not written answer with `written`
  to_rank = 22,     // int32 rank, frame for it: requested, clock_down or line, of a policy that does not combine
  // client → coordinator
  hello_client = 32,    // key, uint32 protocol_version, text: version of mana. Its layout stays; before version 2: key
  ask_checkpoint = 33,  // uint8 stop, uint8 wait_for
  ask_status = 34,
  ask_progress = 35,    // of the checkpoint under way
  // coordinator → client
  answer = 48,  // uint8 ok, text
  status = 50,  // text: JSON
  progress = 51,        // text: JSON, see coordinator::progress_json
  other_protocol = 52,  // to a client of another version. uint32 protocol_version, text: version of mana, text: path of
                        // the command. Its layout stays
  again = 53,           // another coordinator follows, with a file of its own: ask that one
};

enum class verdict_kind : std::uint8_t { given_up = 0, committed = 1, copied = 2 };

/// The place where a requester waits for the checkpoint.
enum class wait_for : std::uint8_t { directory = 0, nodes = 1 };      // the directory, or the nodes' disks

/// Version of the frames between clients and coordinators. Raise it when a frame from hello_client on changes or gets
/// another meaning. A peer of another version is refused by name. Version 1 sent no version.
inline constexpr std::uint32_t protocol_version = 2;
inline constexpr std::uint32_t unsaid_protocol = 1;

inline constexpr std::size_t key_bytes = 32;
inline constexpr std::size_t max_frame = 64u << 20;
inline constexpr std::size_t max_hello = 256;         // from a peer that has not shown the key
inline constexpr std::size_t most_version_bytes = 20; // of mana's version: a hello has 64 at most, as version 1 reads
using bytes = std::vector<std::uint8_t>;

/// Builds one frame.
class frame_writer {
 public:
  explicit frame_writer(frame_type type) : frame_{0, 0, 0, 0, static_cast<std::uint8_t>(type)} {}
  template <class T>
  frame_writer& put(const T& value) {
    if constexpr (clock::with_fields<T>) {
      clock::for_each_field(value, [this](const auto& member) { this->put(member); });
      return *this;
    } else {
      static_assert(std::is_trivially_copyable_v<T>);
      return raw(&value, sizeof value);
    }
  }
  frame_writer& put(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    return raw(text.data(), text.size());
  }
  template <class T>
  frame_writer& put(const std::vector<T>& list) {
    put(static_cast<std::uint32_t>(list.size()));
    for (const T& member : list) put(member);
    return *this;
  }
  template <class... Kinds>
  frame_writer& put(const std::variant<Kinds...>& value) {
    static_assert(sizeof...(Kinds) < 256);
    put(static_cast<std::uint8_t>(value.index()));
    std::visit([this](const auto& kind) { this->put(kind); }, value);
    return *this;
  }
  frame_writer& raw(const void* data, std::size_t n) {
    const auto* const at = static_cast<const std::uint8_t*>(data);
    frame_.insert(frame_.end(), at, at + n);
    return *this;
  }
  /// The whole frame, with its length in front.
  bytes take() {
    const auto length = static_cast<std::uint32_t>(frame_.size() - 4);
    std::memcpy(frame_.data(), &length, sizeof length);
    return std::move(frame_);
  }

 private:
  bytes frame_;
};

/// The sender does not follow the protocol: the connection is closed.
struct wire_error : std::runtime_error {
  wire_error() : std::runtime_error("a message of the control connection is malformed") {}
};

/// Reads the fields of one frame (type and payload, without the length).     errors: wire_error
class frame_reader {
 public:
  explicit frame_reader(std::span<const std::uint8_t> frame) : left_(frame) { type_ = get<frame_type>(); }
  frame_type type() const noexcept { return type_; }
  /// The bytes that have not been read.
  std::span<const std::uint8_t> rest() const noexcept { return left_; }
  template <class T>
  T get() {
    T value{};
    fill(value);
    return value;
  }
  void raw(void* into, std::size_t n) {
    if (left_.size() < n) throw wire_error();
    if (n != 0) std::memcpy(into, left_.data(), n);
    left_ = left_.subspan(n);
  }

 private:
  void fill(bool& value) { value = get<std::uint8_t>() != 0; }
  template <class T>
  void fill(T& value) {
    if constexpr (clock::with_fields<T>) {
      clock::for_each_field(value, [this](auto& member) { this->fill(member); });
    } else {
      static_assert(std::is_trivially_copyable_v<T>);
      raw(&value, sizeof value);
    }
  }
  void fill(std::string& text) {
    text.resize(length(1));
    raw(text.data(), text.size());
  }
  template <class T>
  void fill(std::vector<T>& list) {
    list.resize(length(least_bytes<T>()));
    for (T& member : list) fill(member);
  }
  template <class... Kinds>
  void fill(std::variant<Kinds...>& value) {
    fill_kind(value, get<std::uint8_t>(), std::index_sequence_for<Kinds...>());
  }
  template <class Variant, std::size_t... I>
  void fill_kind(Variant& value, std::uint8_t which, std::index_sequence<I...>) {
    if (((which == I && (fill(value.template emplace<I>()), true)) || ...)) return;
    throw wire_error();
  }

  /// The fewest bytes that a member of a list takes in a frame.
  template <class T>
  static constexpr std::size_t least_bytes() {
    if constexpr (clock::with_fields<T>) {
      return std::apply(
          [](auto... member) {
            return (std::size_t{0} + ... + least_bytes<std::remove_cvref_t<decltype(std::declval<T>().*member)>>());
          },
          T::fields);
    } else if constexpr (std::is_trivially_copyable_v<T>) {
      return sizeof(T);
    } else {
      return sizeof(std::uint32_t);  // a text or list: its length
    }
  }
  /// The length of a text or list. The frame must have room for its members.
  std::size_t length(std::size_t each) {
    const std::size_t n = get<std::uint32_t>();
    if (n * each > left_.size()) throw wire_error();
    return n;
  }
  std::span<const std::uint8_t> left_;
  frame_type type_;
};

/// The whole frame. The reader must not have read from it.
inline bytes whole(const frame_reader& frame) {
  return frame_writer(frame.type()).raw(frame.rest().data(), frame.rest().size()).take();
}
/// A frame of type `by` that contains a rank, and the type and payload of `frame`.
inline bytes marked(frame_type by, int rank, const bytes& frame) {
  constexpr std::size_t length = sizeof(std::uint32_t);
  return frame_writer(by).put(rank).raw(frame.data() + length, frame.size() - length).take();
}

}  // namespace mana::control
