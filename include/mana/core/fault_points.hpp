// The points at which a test can make a process die, to show what a crash there costs. One table, one row for each
// point.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mana::fault {

/// Roughly in the order in which a checkpoint, and then a restart, passes them.
enum class point : std::uint8_t {
  request_heard, requested, counted, line_found, at_line, parked, all_parked, collectives_completed, drained,
  before_write, copied, half_written, before_sync, written, encoding, on_node, copying, all_written, manifest_written, manifest_named, committed_unsaid,
  before_prune, half_removed, verdict_sent, committed, resuming, given_up,
  moving, rebuilding, generation_chosen, image_opened, descriptors_known, descriptors_shared, memory_mapped, memory_filled, registers_fitted,
  memory_restored, control_joined, threads_restarted, objects_rebuilt, lazy_check,
};

enum class phase : std::uint8_t {
  request, counters, quiesce, park, drain, write, sync, copy, manifest, prune, resume, give_up,
  choose, image, descriptors, map, fill, registers, join, threads, rebuild, check,
};

enum class who : std::uint8_t { each_rank, coordinator };     // the coordinator runs in the process of rank 0

struct row {
  point at;
  const char* name;
  phase during;
  who comes_there;
  const char* where;      // a description for the reader of a test's output
};

/// tests/fault/matrix.py reads these rows.
inline constexpr std::array table{
    row{point::request_heard, "request_heard", phase::request, who::coordinator, "before the ranks are asked"},
    row{point::requested, "requested", phase::request, who::each_rank, "asked, and nothing done yet"},
    row{point::counted, "counted", phase::counters, who::each_rank, "counters are read, and not told yet"},
    row{point::line_found, "line_found", phase::quiesce, who::coordinator, "the recovery line is known to the coordinator"},
    row{point::at_line, "at_line", phase::quiesce, who::each_rank, "the line is known, no thread is signalled yet"},
    row{point::parked, "parked", phase::park, who::each_rank, "threads are parked, and it is told"},
    row{point::all_parked, "all_parked", phase::park, who::coordinator, "before there is a directory for the images"},
    row{point::collectives_completed, "collectives_completed", phase::drain, who::each_rank, "before messages are drained"},
    row{point::drained, "drained", phase::drain, who::each_rank, "nothing is in flight"},
    row{point::before_write, "before_write", phase::write, who::each_rank, "before the image's file is made"},
    row{point::copied, "copied", phase::write, who::each_rank, "--forked: a process of its own holds the memory, the program waits"},
    row{point::half_written, "half_written", phase::write, who::each_rank, "memory is written, its end is not"},
    row{point::before_sync, "before_sync", phase::sync, who::each_rank, "the image is whole, and not durable"},
    row{point::written, "written", phase::sync, who::each_rank, "the image is durable, and nobody knows"},
    row{point::encoding, "encoding", phase::copy, who::each_rank, "--redundancy: all images are durable, parity is not made yet"},
    row{point::on_node, "on_node", phase::copy, who::each_rank, "--local: the image is durable on the node, and nobody knows"},
    row{point::copying, "copying", phase::copy, who::each_rank, "--local: before it is copied from the node, the program runs"},
    row{point::all_written, "all_written", phase::manifest, who::coordinator, "all images are known, there is no manifest"},
    row{point::manifest_written, "manifest_written", phase::manifest, who::coordinator, "under its temporary name"},
    row{point::manifest_named, "manifest_named", phase::manifest, who::coordinator, "in place, its directory not durable"},
    row{point::committed_unsaid, "committed_unsaid", phase::manifest, who::coordinator, "done, and nobody was told"},
    row{point::before_prune, "before_prune", phase::prune, who::coordinator, "durable, older ones not looked at yet"},
    row{point::half_removed, "half_removed", phase::prune, who::coordinator, "an old one's manifest is gone, its images not"},
    row{point::verdict_sent, "verdict_sent", phase::resume, who::coordinator, "before who asked has the answer"},
    row{point::committed, "committed", phase::resume, who::each_rank, "the verdict is known"},
    row{point::resuming, "resuming", phase::resume, who::each_rank, "before threads are let go"},
    row{point::given_up, "given_up", phase::give_up, who::each_rank, "an image was not written"},
    row{point::moving, "moving", phase::choose, who::each_rank, "--local: a part of an image has gone to the rank's node, or from it"},
    row{point::rebuilding, "rebuilding", phase::choose, who::each_rank, "--local: lost images are computed, and not durable"},
    row{point::generation_chosen, "generation_chosen", phase::choose, who::each_rank, "all ranks have agreed on it"},
    row{point::image_opened, "image_opened", phase::image, who::each_rank, "header and tables are checked"},
    row{point::descriptors_known, "descriptors_known", phase::descriptors, who::each_rank, "nothing is opened yet"},
    row{point::descriptors_shared, "descriptors_shared", phase::descriptors, who::each_rank, "objects are exchanged"},
    row{point::memory_mapped, "memory_mapped", phase::map, who::each_rank, "and empty"},
    row{point::memory_filled, "memory_filled", phase::fill, who::each_rank, "and not protected"},
    row{point::registers_fitted, "registers_fitted", phase::registers, who::each_rank, "saved registers are of this processor"},
    row{point::memory_restored, "memory_restored", phase::registers, who::each_rank, "with descriptors, before traps are set"},
    row{point::control_joined, "control_joined", phase::join, who::each_rank, "the job can be commanded again"},
    row{point::threads_restarted, "threads_restarted", phase::threads, who::each_rank, "and wait for the main one"},
    row{point::objects_rebuilt, "objects_rebuilt", phase::rebuild, who::each_rank, "MPI objects exist, threads are "
                                                                                   "still held"},
    row{point::lazy_check, "lazy_check", phase::check, who::each_rank, "--lazy: the program may run, its memory is not read through yet"},
};

constexpr bool rows_stand_in_order() noexcept {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].at != static_cast<point>(i)) return false;
  return table.size() == static_cast<std::size_t>(point::lazy_check) + 1;
}
static_assert(rows_stand_in_order());

constexpr const row& row_of(point p) noexcept { return table[static_cast<std::size_t>(p)]; }

/// Called at each point of this process. Null unless a test sets MANA_FAULT.
inline std::atomic<void (*)(point) noexcept> listener{nullptr};

}  // namespace mana::fault

namespace mana {

/// cost: one load if no test listens
inline void fault_point(fault::point p) noexcept {
  const auto told = fault::listener.load(std::memory_order_acquire);
  if (told != nullptr) told(p);
}

}  // namespace mana
