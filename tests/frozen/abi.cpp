// Prints the layout of everything that an image and a later mana must agree on: a line per member, with offset and size in
// bytes. A member that is missing here shows as a gap between its neighbours. What check.py calls GROWING may be appended
// to by a later minor.
#include <mana/gen/lower_slots.hpp>
#include <mana/image/format.hpp>
#include <mana/lower/abi.hpp>
#include <mana/lower/inventory.hpp>
#include <mana/lower/program_needs.hpp>
#include <mana/lower/signals.hpp>
#include <mana/lower/upper_functions.hpp>
#include <mana/vid/group_clock.hpp>
#include <runtime/split/window/saved_state.hpp>

#include <cstddef>
#include <cstdio>

#define TYPE(type, ...)                               \
  {                                                   \
    using here = type;                                \
    const line lines[] = {__VA_ARGS__};               \
    print(#type, sizeof(here), lines);                \
  }
#define M(member) \
  { #member, offsetof(here, member), sizeof(here::member) }

using namespace mana::lower;
using namespace mana::split;
using namespace mana::image;
using mana::neutral::status;
using mana::vid::group_clock;

namespace {

struct line {
  const char* name;
  std::size_t offset, bytes;
};

template <std::size_t N>
void print(const char* type, std::size_t bytes, const line (&lines)[N]) {
  std::printf("%s %zu bytes\n", type, bytes);
  for (const line& l : lines) std::printf("  %s %zu %zu\n", l.name, l.offset, l.bytes);
}

void print_threads() {
  TYPE(context, M(rbx), M(rbp), M(r12), M(r13), M(r14), M(r15), M(rsp), M(rip), M(mxcsr), M(x87_control))
  TYPE(processor_time, M(ns), M(system_us))
  TYPE(signal_stack, M(address), M(bytes), M(flags))
  TYPE(thread_block, M(self), M(lower_fs), M(upper_fs), M(inside), M(function), M(index), M(state), M(tid),
       M(in_lower), M(tid_address), M(clear_tid), M(robust_list), M(robust_length), M(signal_mask), M(saved),
       M(lower_private), M(vdso_frame), M(alternate_stack), M(interrupted), M(parked_epoch), M(time_ahead),
       M(time_used), M(look), M(blocks_sigsys), M(spare))
}

void print_bridge() {
  TYPE(upper_entry, M(on_park_signal), M(reduce))
  TYPE(upper_functions, M(bytes), M(find_object), M(find_symbol), M(exit), M(flush), M(needs))
  TYPE(program_needs, M(bytes), M(told_tag_bound), M(largest_tag), M(large_counts), M(predefined))
  TYPE(bridge, M(magic), M(major), M(has_fsgsbase), M(attention), M(current), M(release_epoch), M(parked_count),
       M(world_size), M(world_rank), M(main_thread), M(restarts), M(head), M(service), M(mpi), M(upper),
       M(upper_root), M(vdso), M(signal_handlers), M(signal_flags), M(predefined_real), M(requests),
       M(stop_signals), M(our_signals), M(end_signals), M(last_end_signal), M(request_number), M(stage),
       M(thread_parks), M(thread_looks), M(thread_continues), M(parked_turns), M(unbuffered), M(trap_handler),
       M(lower_handler), M(hidden_handlers), M(clock_gettime), M(clock_offsets), M(ticks_offset), M(process_ahead),
       M(functions), M(inventory))
}

void print_services() {
  TYPE(status, M(source), M(tag), M(error), M(cancelled), M(count_bytes))
  TYPE(collective_start, M(clock), M(comm), M(blocking), M(waits_for_all))
  TYPE(services, M(head), M(attach), M(init), M(finalize), M(abort), M(fatal), M(note), M(send), M(recv), M(isend),
       M(irecv), M(test_some), M(wait_some), M(cancel), M(request_free), M(probe), M(mprobe), M(imrecv),
       M(mrecv_bytes), M(deliver), M(comm_members), M(comm_from_ranks), M(comm_create), M(comm_create_group),
       M(intercomm_create), M(intercomm_from_ranks), M(intercomm_merge), M(split_shared), M(comm_idup),
       M(datatype_layout), M(op_create), M(world_attribute), M(error_text), M(clock_enter), M(clock_retract),
       M(clock_wait), M(clock_wait_end), M(clock_ending), M(park_others), M(drain_begin), M(drain_post),
       M(drain_look), M(drain_mail), M(drain_barrier), M(drain_turn), M(drain_waits), M(drained), M(not_drained),
       M(write_image), M(release), M(fault_point), M(affinity_text), M(win_enter))
}

void print_saved_state() {
  TYPE(saved_clocks, M(known), M(shown), M(ticks), M(kernel), M(process_used))
  TYPE(held_signals, M(lock), M(count), M(of))
  TYPE(program_places, M(code_begin), M(code_end), M(data_begin), M(data_end), M(stack_begin), M(arguments_begin),
       M(arguments_end), M(environment_begin), M(environment_end))
  TYPE(shown_program, M(places), M(auxiliary_words), M(auxiliary))
  TYPE(former_ids, M(process), M(count), M(of))
  TYPE(saved_state, M(bytes), M(fixed_traps), M(fixed_begin), M(fixed_end), M(brk_end), M(brk_mapped),
       M(signal_masks), M(program), M(dispositions), M(arguments_begin), M(arguments_end), M(has_advice),
       M(locks_all), M(clocks), M(held), M(shown), M(former), M(children_used), M(children_ahead),
       M(tells_first_ids))
}

void print_clock() {
  TYPE(group_clock, M(ggid), M(check), M(seq), M(next), M(size), M(made), M(members), M(is_communicators),
       M(next_retired))
}

void print_format() {
  TYPE(file_header, M(magic), M(version), M(layout_major), M(rank), M(world_size), M(page_bytes), M(section_count),
       M(region_count), M(services_minor), M(tables_bytes), M(tables_checksum), M(cpu_features), M(checksum))
  TYPE(section_header, M(name), M(bytes))
  TYPE(region_record, M(begin), M(end), M(protection), M(shared), M(offset), M(path_bytes))
  TYPE(source_record, M(kind), M(name_bytes), M(generation), M(identity))
  TYPE(chunk_record, M(address), M(offset), M(checksum), M(memory_bytes), M(skipped_bytes), M(unpacked_bytes),
       M(stored_bytes), M(source), M(codec))
  TYPE(trailer, M(magic), M(tables_offset), M(tables_bytes), M(tables_checksum), M(chunk_count), M(memory_bytes),
       M(own_bytes), M(section_count), M(region_count), M(source_count), M(header_checksum), M(checksum))
}

void print_numbers() {
  std::printf("addresses\n  bridge %#zx\n  threads %#zx\n  saved_state %#zx\n  stub %#zx\n  program %#zx\n  stack %#zx\n",
              bridge_address, threads_address, saved_state_address, stub_address, program_zone, stack_zone);
  std::printf("  large_program %#zx\n  brk %#zx\n  mmap %#zx\n  window_end %#zx\n  max_threads %u\n", large_program_zone,
              brk_zone, mmap_zone, window_end, max_threads);
  std::printf("signals\n  park %d\n  park_value %#zx\n  trap_number %#x\n", park_signal, std::size_t{park_value}, trap_number);
  std::printf("inventory\n");
  for (const char* name : inventory_names) std::printf("  %s\n", name);
}

}  // namespace

int main() {
  std::printf("major %u\nimage format %u\nminors\n", layout_major, format_version);
  for (const table_sizes& sizes : sizes_by_minor)
    std::printf("  %u services %u bridge %u\n", sizes.minor, sizes.services, sizes.bridge);
  print_numbers();
  print_threads();
  print_bridge();
  print_services();
  print_saved_state();
  print_clock();
  print_format();
  std::printf("slots by minor\n");
  for (const slot_count& count : slots_by_minor) std::printf("  %u %u\n", count.minor, count.slots);
  std::printf("mpi_slots\n");
  return 0;
}
