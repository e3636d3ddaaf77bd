// The descriptor of a window.
#pragma once
#include <mana/lower/inventory.hpp>
#include <mana/object/comm/descriptor.hpp>
#include <mana/object/win/epoch.hpp>
#include <mana/object/win/rank_bits.hpp>
#include <mana/vid/id_table.hpp>
#include <mana/vid/object_class.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mana {

template <>
struct class_facts<kind::win> {
  static constexpr int error = neutral::err_win;
  static constexpr lower::counted counted = lower::counted::windows;
  static constexpr bool follows_thread_level = true;
};

}  // namespace mana

namespace mana::object {

enum class win_flavor : std::uint8_t { create, allocate, dynamic, shared };

/// A member's memory.
struct win_segment {
  std::int64_t bytes, unit;
  std::int64_t offset;                 // in a shared window: from the beginning of its memory; in others: in a block of 16 bytes
};

/// Memory of a shared window: the same on all members, at addresses of each one's own.
struct shared_memory {
  std::byte* begin = nullptr;
  std::size_t bytes = 0;
};

/// Memory that is attached to a dynamic window, in the order of the calls.
struct attached_region {
  void* base;
  std::int64_t bytes;
  attached_region* next;
};

}  // namespace mana::object

namespace mana {

/// entry::real is the live window over the program's memory.
template <>
struct descriptor<kind::win> {
  object::win_flavor flavor = object::win_flavor::create;
  vid::entry<kind::comm>* from = nullptr;        // the program's communicator; kept
  vid::entry<kind::comm>* on = nullptr;          // a duplicate of it; owned (meeting.hpp)
  std::int64_t* words = nullptr;                 // of all members (words.hpp); owned, from mmap
  int words_of_rank = 0;                         // so many of each
  bool words_are_shared = false;                 // all members map them; else each uses its own ones
  mana::real<kind::win> words_below{};           // the live window over the own ones, if they are not shared

  // Values of predefined attributes; the program may keep their addresses.
  void* base = nullptr;
  std::intptr_t bytes = 0;
  int unit = 1;
  int flavor_code = 0, model_code = 0;           // of the program's mpi.h
  std::intptr_t wide_unit = 1;                   // `unit` may not fit an int

  object::win_epochs epochs;
  std::atomic_flag epoch_lock = ATOMIC_FLAG_INIT;     // held to change `epochs` and bits of `targets`
  std::uint8_t* targets = nullptr;               // target_bit[members]; owned
  bool is_dirty = false;                         // some target may be
  bool tokens_are_counts = false;                // from the creation on
  std::int64_t fences = 0;                       // that the ranks have met in by words
  object::rank_bits origins;                     // of an exposure epoch, if tokens are counts
  std::int64_t* taken = nullptr;                 // tokens of each kind and sender, if they are counts; owned
  vid::entry<kind::request>** awaited = nullptr;      // of an exposure epoch: receives of the origins' tokens; owned
  int awaited_size = 0;

  object::win_segment* parts = nullptr;          // win_segment[members], not of a dynamic window; owned
  bool is_in_bytes = false;                      // the live window, which begins at lead_of(part) before the memory
  bool is_shown = false;                         // of MPI_Win_allocate: the memory is the live MPI's, and shown here
  object::shared_memory shared;                  // of that flavor alone
  object::attached_region* attached = nullptr;   // of a dynamic window

  object::attribute_list* attributes = nullptr;
  std::uint32_t errhandler = 0;                  // neutral code, or bits of a virtual id; 0: never set
  std::uint32_t info = 0;                        // bits of a virtual id
  char name[object::max_name] = {};
};

}  // namespace mana

namespace mana::object {

using win_entry = vid::entry<kind::win>;

/// Ranks of the window, in order.
inline const vid::rank_map& ranks_of(const win_entry& e) noexcept { return *e.what.on->what.ranks; }

}  // namespace mana::object
