// The descriptor of a communicator.
#pragma once
#include <mana/lower/inventory.hpp>
#include <mana/object/comm/topology.hpp>
#include <mana/object/comm/traffic.hpp>
#include <mana/vid/id_table.hpp>
#include <mana/vid/object_class.hpp>
#include <mana/vid/rank_map.hpp>

namespace mana {

template <>
struct class_facts<kind::comm> {
  static constexpr int error = neutral::err_comm;
  static constexpr lower::counted counted = lower::counted::communicators;
  static constexpr bool follows_thread_level = true;
};

}  // namespace mana

namespace mana::object {

struct attribute_list;          // object/attribute/store.hpp
struct lane_list;               // object/comm/lane.hpp

inline constexpr int max_name = 128;   // the greatest MPI_MAX_OBJECT_NAME: MPICH 128, Open MPI 64

}  // namespace mana::object

namespace mana {

template <>
struct descriptor<kind::comm> {
  const vid::rank_map* ranks = nullptr;  // this process's group
  // the group of messages' ranks and of roots: in an intercommunicator the other group
  const vid::rank_map* peers = nullptr;
  vid::group_clock* everyone = nullptr;  // of both groups: names the set of all members
  std::uint64_t context = 0;             // names this communicator in the inbox; never reused
  object::traffic* messages = nullptr;   // owned: counts of its messages; nullptr: it is kept only for its lanes
  vid::group_clock* clock = nullptr;     // counts its collectives; in a program without threads its blocking ones
  // counts its non-blocking ones; in a program without threads the first of them makes it
  vid::group_clock* started = nullptr;
  std::uint64_t lineage = 0;             // the same on all members; no other communicator over the same members has it
  std::uint64_t children = 0;            // communicators that were made from this one
  object::lane_list* lanes = nullptr;    // owned: of its persistent collectives; nullptr: there were none
  object::topology* topology = nullptr;  // owned
  object::attribute_list* attributes = nullptr;
  std::uint32_t errhandler = 0;  // neutral code, or bits of a virtual id; 0: never set
  std::uint32_t info = 0;        // bits of a virtual id, 0: none
  std::uint32_t session = 0;     // the session that it comes from: bits of a virtual id, 0: the world model
  bool freed = false;            // by the program here; requests may still name it (INV-67)
  bool is_freed_apart = false;   // other members have freed it: known at a restart
  bool is_hidden = false;        // of a window: the program does not know it
  bool has_no_live = false;      // hidden, and needs none: the same on all members
  char name[object::max_name] = {};

  bool is_inter() const noexcept { return peers != ranks; }
};

}  // namespace mana
