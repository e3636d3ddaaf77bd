// The arithmetic of lock words (docs/design/rma.md). A word counts two classes of ranks that ask for something, or that
// are done with it. Words only grow, by Fetch-and-add. So a place in a queue is plain data, and an image has it.
//
// INV-120 a rank has a lock only if each rank that asked for it before, and that excludes it, is done with it.
// Because: counts of those who are done never pass those of who asked. A rank compares what had asked before it with
// what is done, in the classes that exclude it. An old count of what is done is too small, and so never equal too early.
// Checked: tests/unit/object/win/lock_queue.cpp "INV-120".
#pragma once
#include <cstdint>

namespace mana::object {

enum class lock_word : std::uint8_t { asked, done, all_asked, all_done };
inline constexpr int lock_words = 4;

/// The places in the two queues: of one rank's lock, and of the window's room, which keeps locks of all ranks and exclusive
/// locks apart.
enum class lock_place : std::uint8_t { reader, writer, room_all, room_writer };

constexpr bool is_in_room(lock_place p) noexcept { return p == lock_place::room_all || p == lock_place::room_writer; }
constexpr bool is_writer(lock_place p) noexcept { return p == lock_place::writer || p == lock_place::room_writer; }

constexpr std::int64_t unit_of(lock_place p) noexcept { return is_writer(p) ? std::int64_t{1} << 32 : 1; }
constexpr lock_word word_of_asked(lock_place p) noexcept { return is_in_room(p) ? lock_word::all_asked : lock_word::asked; }
constexpr lock_word word_of_done(lock_place p) noexcept { return is_in_room(p) ? lock_word::all_done : lock_word::done; }

/// Counts of a word: of readers or alls, and of writers.
constexpr std::uint32_t first_of(std::int64_t word) noexcept { return static_cast<std::uint32_t>(word); }
constexpr std::uint32_t writers_of(std::int64_t word) noexcept {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(word) >> 32);
}

/// before: the word of those who asked, without the own unit; done: the word of those who are done
constexpr bool is_granted(lock_place p, std::int64_t before, std::int64_t done) noexcept {
  switch (p) {
    case lock_place::reader:
    case lock_place::room_all: return writers_of(done) == writers_of(before);
    case lock_place::writer: return done == before;
    case lock_place::room_writer: return first_of(done) == first_of(before);
  }
  return false;
}

}  // namespace mana::object
