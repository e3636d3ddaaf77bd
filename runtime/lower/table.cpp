#include <runtime/lower/real_mpi.hpp>

namespace mana::real_mpi {

void fill_services(lower::services& table) {
  table.send = send;
  table.recv = recv;
  table.isend = isend;
  table.irecv = irecv;
  table.test_some = test_some;
  table.wait_some = wait_some;
  table.cancel = cancel;
  table.request_free = request_free;
  table.probe = probe;
  table.mprobe = mprobe;
  table.imrecv = imrecv;
  table.mrecv_bytes = mrecv_bytes;
  table.deliver = deliver;
  table.comm_members = comm_members;
  table.intercomm_create = intercomm_create;
  table.intercomm_from_ranks = intercomm_from_ranks;
  table.intercomm_merge = intercomm_merge;
  table.comm_from_ranks = comm_from_ranks;
  table.comm_create = comm_create;
  table.comm_create_group = comm_create_group;
  table.split_shared = split_shared;
  table.comm_idup = comm_idup;
  table.datatype_layout = datatype_layout;
  table.op_create = op_create;
  table.world_attribute = world_attribute;
  table.error_text = error_text;
  table.drain_post = drain_post;
  table.drain_look = drain_look;
  table.drain_mail = drain_mail_at;
  table.drain_barrier = drain_barrier;
  table.affinity_text = affinity_text;
  table.win_enter = win_enter;
}

}  // namespace mana::real_mpi
