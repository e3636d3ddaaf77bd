// Messages between coordinator, agents and clients: a frame is uint32 bytes of what follows, uint8 type, payload.
// Little endian; text: uint32 length, bytes; list: uint32 number, members.
#pragma once
#include <mana/clock/message.hpp>

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace mana::control {

enum class frame_type : std::uint8_t {
  // agent → coordinator
  hello_rank = 1,      // key, rank
  clock_up = 2,        // clock::upward
  parked = 3,          // all threads of this rank are parked
  written = 4,         // rank_written
  not_written = 5,     // text: why
  ending = 6,          // the rank waits in MPI_Finalize
  request = 7,         // a signal, or the program, asks for a checkpoint. uint8 stop
  // coordinator → agent
  clock_down = 16,     // clock::downward
  proceed = 17,        // all ranks are parked. text: directory of the generation
  verdict = 18,        // uint8 committed, uint8 stop
  end = 19,            // all ranks are in MPI_Finalize, and nothing is under way
  // client → coordinator
  hello_client = 32,   // key
  ask_checkpoint = 33, // uint8 stop
  ask_status = 34,
  // coordinator → client
  answer = 48,         // uint8 ok, text
  status = 50,         // text: JSON
};

inline constexpr std::size_t key_bytes = 32;
inline constexpr std::size_t max_frame = 64u << 20;
inline constexpr std::size_t max_hello = 64;         // of whoever has not shown the key yet
using bytes = std::vector<std::uint8_t>;

/// Builds one frame.
class frame_writer {
 public:
  explicit frame_writer(frame_type type) : frame_{0, 0, 0, 0, static_cast<std::uint8_t>(type)} {}
  template <class T>
    requires std::is_trivially_copyable_v<T>
  frame_writer& put(const T& value) { return raw(&value, sizeof value); }
  frame_writer& put(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    return raw(text.data(), text.size());
  }
  frame_writer& put(const std::vector<int>& list) {
    put(static_cast<std::uint32_t>(list.size()));
    return raw(list.data(), list.size() * sizeof(int));
  }
  frame_writer& put(const std::vector<std::string>& list) {
    put(static_cast<std::uint32_t>(list.size()));
    for (const std::string& text : list) put(text);
    return *this;
  }
  frame_writer& put(const std::vector<clock::group_count>& list) {
    put(static_cast<std::uint32_t>(list.size()));
    for (const clock::group_count& c : list) put(c);
    return *this;
  }
  frame_writer& put(const clock::group_count& c) { return put(c.name).put(c.count).put(c.members); }
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

/// Whoever sent this does not speak our language: the connection is closed.
struct wire_error : std::runtime_error {
  wire_error() : std::runtime_error("a message of the control connection is malformed") {}
};

/// Takes one frame apart (type and payload, without the length).     errors: wire_error
class frame_reader {
 public:
  explicit frame_reader(std::span<const std::uint8_t> frame) : left_(frame) { type_ = get<frame_type>(); }
  frame_type type() const noexcept { return type_; }
  template <class T>
    requires std::is_trivially_copyable_v<T>
  T get() {
    T value;
    raw(&value, sizeof value);
    return value;
  }
  std::string text() {
    std::string s(size(1), '\0');
    raw(s.data(), s.size());
    return s;
  }
  std::vector<int> ints() {
    std::vector<int> list(size(sizeof(int)));
    raw(list.data(), list.size() * sizeof(int));
    return list;
  }
  std::vector<std::string> texts() {
    std::vector<std::string> list(size(4));
    for (std::string& s : list) s = text();
    return list;
  }
  clock::group_count count() {
    clock::group_count c;
    c.name = get<clock::group_name>();
    c.count = get<std::uint64_t>();
    c.members = ints();
    return c;
  }
  std::vector<clock::group_count> counts() {
    std::vector<clock::group_count> list(size(28));
    for (clock::group_count& c : list) c = count();
    return list;
  }
  void raw(void* into, std::size_t n) {
    if (left_.size() < n) throw wire_error();
    if (n != 0) std::memcpy(into, left_.data(), n);
    left_ = left_.subspan(n);
  }

 private:
  /// A list's length, which its members of at least `each` bytes must have room for.
  std::size_t size(std::size_t each) {
    const std::size_t n = get<std::uint32_t>();
    if (n * each > left_.size()) throw wire_error();
    return n;
  }
  std::span<const std::uint8_t> left_;
  frame_type type_;
};

bytes encode(const clock::upward& message);
bytes encode(const clock::downward& message);
/// frame: after its type was read      errors: wire_error
clock::upward decode_upward(frame_reader& frame);
clock::downward decode_downward(frame_reader& frame);

}  // namespace mana::control
