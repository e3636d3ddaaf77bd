// Prints the layout of everything that an image and a later mana must agree on: a line per member, with offset and size in
// bytes. A member that is missing here shows as a gap between its neighbours.
#include <mana/gen/lower_slots.hpp>
#include <mana/image/format.hpp>
#include <mana/lower/abi.hpp>
#include <mana/vid/group_clock.hpp>

#include <cstddef>
#include <cstdio>

#define TYPE(type) std::printf(#type " %zu bytes\n", sizeof(type))
#define MEMBER(type, name) std::printf("  " #name " %zu %zu\n", offsetof(type, name), sizeof(type::name))

using namespace mana::lower;
using mana::vid::group_clock;
using namespace mana::image;

int main() {
  std::printf("abi %u, image format %u\n", abi_version, format_version);
  TYPE(context);
  MEMBER(context, rbx);
  MEMBER(context, rbp);
  MEMBER(context, r12);
  MEMBER(context, r13);
  MEMBER(context, r14);
  MEMBER(context, r15);
  MEMBER(context, rsp);
  MEMBER(context, rip);
  MEMBER(context, mxcsr);
  MEMBER(context, x87_control);
  TYPE(thread_block);
  MEMBER(thread_block, self);
  MEMBER(thread_block, lower_fs);
  MEMBER(thread_block, upper_fs);
  MEMBER(thread_block, inside);
  MEMBER(thread_block, function);
  MEMBER(thread_block, index);
  MEMBER(thread_block, state);
  MEMBER(thread_block, tid);
  MEMBER(thread_block, in_lower);
  MEMBER(thread_block, tid_address);
  MEMBER(thread_block, clear_tid);
  MEMBER(thread_block, robust_list);
  MEMBER(thread_block, robust_length);
  MEMBER(thread_block, signal_mask);
  MEMBER(thread_block, saved);
  MEMBER(thread_block, lower_private);
  MEMBER(thread_block, reserved);
  TYPE(upper_entry);
  MEMBER(upper_entry, on_park_signal);
  MEMBER(upper_entry, reduce);
  TYPE(bridge);
  MEMBER(bridge, magic);
  MEMBER(bridge, version);
  MEMBER(bridge, has_fsgsbase);
  MEMBER(bridge, attention);
  MEMBER(bridge, current);
  MEMBER(bridge, release_epoch);
  MEMBER(bridge, parked_count);
  MEMBER(bridge, world_size);
  MEMBER(bridge, world_rank);
  MEMBER(bridge, main_thread);
  MEMBER(bridge, restarts);
  MEMBER(bridge, service);
  MEMBER(bridge, mpi);
  MEMBER(bridge, upper);
  MEMBER(bridge, upper_root);
  MEMBER(bridge, vdso);
  MEMBER(bridge, signal_handlers);
  MEMBER(bridge, signal_flags);
  MEMBER(bridge, predefined_real);
  MEMBER(bridge, reserved);
  TYPE(services);
  MEMBER(services, version);
  MEMBER(services, attach);
  MEMBER(services, init);
  MEMBER(services, finalize);
  MEMBER(services, abort);
  MEMBER(services, fatal);
  MEMBER(services, note);
  MEMBER(services, send);
  MEMBER(services, recv);
  MEMBER(services, isend);
  MEMBER(services, irecv);
  MEMBER(services, test_some);
  MEMBER(services, wait_some);
  MEMBER(services, cancel);
  MEMBER(services, request_free);
  MEMBER(services, probe);
  MEMBER(services, mprobe);
  MEMBER(services, imrecv);
  MEMBER(services, mrecv_bytes);
  MEMBER(services, deliver);
  MEMBER(services, comm_members);
  MEMBER(services, comm_from_ranks);
  MEMBER(services, comm_create);
  MEMBER(services, comm_create_group);
  MEMBER(services, intercomm_create);
  MEMBER(services, intercomm_from_ranks);
  MEMBER(services, intercomm_merge);
  MEMBER(services, split_shared);
  MEMBER(services, comm_idup);
  MEMBER(services, datatype_layout);
  MEMBER(services, op_create);
  MEMBER(services, world_attribute);
  MEMBER(services, error_text);
  MEMBER(services, clock_enter);
  MEMBER(services, clock_retract);
  MEMBER(services, clock_wait);
  MEMBER(services, clock_wait_end);
  MEMBER(services, clock_ending);
  MEMBER(services, park_others);
  MEMBER(services, exchange_counts);
  MEMBER(services, drain_barrier);
  MEMBER(services, write_image);
  MEMBER(services, release);
  MEMBER(services, fault_point);
  TYPE(group_clock);
  MEMBER(group_clock, ggid);
  MEMBER(group_clock, check);
  MEMBER(group_clock, seq);
  MEMBER(group_clock, next);
  MEMBER(group_clock, size);
  MEMBER(group_clock, made);
  MEMBER(group_clock, members);
  MEMBER(group_clock, is_communicators);
  MEMBER(group_clock, next_retired);
  TYPE(file_header);
  MEMBER(file_header, magic);
  MEMBER(file_header, version);
  MEMBER(file_header, abi_version);
  MEMBER(file_header, rank);
  MEMBER(file_header, world_size);
  MEMBER(file_header, page_bytes);
  MEMBER(file_header, section_count);
  MEMBER(file_header, region_count);
  MEMBER(file_header, reserved);
  MEMBER(file_header, tables_bytes);
  MEMBER(file_header, tables_checksum);
  MEMBER(file_header, cpu_features);
  MEMBER(file_header, checksum);
  TYPE(section_header);
  MEMBER(section_header, name);
  MEMBER(section_header, bytes);
  TYPE(region_record);
  MEMBER(region_record, begin);
  MEMBER(region_record, end);
  MEMBER(region_record, protection);
  MEMBER(region_record, shared);
  MEMBER(region_record, offset);
  MEMBER(region_record, path_bytes);
  TYPE(chunk_header);
  MEMBER(chunk_header, address);
  MEMBER(chunk_header, memory_bytes);
  MEMBER(chunk_header, stored_bytes);
  MEMBER(chunk_header, checksum);
  TYPE(trailer);
  MEMBER(trailer, magic);
  MEMBER(trailer, chunk_count);
  MEMBER(trailer, memory_bytes);
  MEMBER(trailer, chunks_checksum);
  TYPE(mpi_slots);
  return 0;
}
