// Functions of Open MPI's Fortran libraries that look into the structures behind C's handles and do nothing else that C's
// functions do not do. C++ and the assembler read these lists. tests/fortran/behind_handles.py finds what is missing.
#pragma once
#include <mana/gen/declared.hpp>

// Of mpif.h, from Open MPI 5.0 on: they give a request the arrays that end with it. MPI_Alltoallw and its like ask a
// communicator for the size of its groups. F(name, in upper case, in C)
#define MANA_CALLS_OF_MPIFH(F) \
  F(alltoallw, ALLTOALLW, Alltoallw) F(iallgatherv, IALLGATHERV, Iallgatherv) \
  F(ialltoallv, IALLTOALLV, Ialltoallv) F(ialltoallw, IALLTOALLW, Ialltoallw) F(igatherv, IGATHERV, Igatherv) \
  F(ineighbor_allgatherv, INEIGHBOR_ALLGATHERV, Ineighbor_allgatherv) \
  F(ineighbor_alltoallv, INEIGHBOR_ALLTOALLV, Ineighbor_alltoallv) \
  F(ineighbor_alltoallw, INEIGHBOR_ALLTOALLW, Ineighbor_alltoallw) \
  F(ireduce_scatter, IREDUCE_SCATTER, Ireduce_scatter) F(iscatterv, ISCATTERV, Iscatterv)
#if defined(MANA_DECLARES_MPI_Alltoallw_init)
#define MANA_PERSISTENT_CALLS_OF_MPIFH(F) \
  F(allgatherv_init, ALLGATHERV_INIT, Allgatherv_init) F(alltoallv_init, ALLTOALLV_INIT, Alltoallv_init) \
  F(alltoallw_init, ALLTOALLW_INIT, Alltoallw_init) F(gatherv_init, GATHERV_INIT, Gatherv_init) \
  F(neighbor_allgatherv_init, NEIGHBOR_ALLGATHERV_INIT, Neighbor_allgatherv_init) \
  F(neighbor_alltoallv_init, NEIGHBOR_ALLTOALLV_INIT, Neighbor_alltoallv_init) \
  F(neighbor_alltoallw_init, NEIGHBOR_ALLTOALLW_INIT, Neighbor_alltoallw_init) \
  F(reduce_scatter_init, REDUCE_SCATTER_INIT, Reduce_scatter_init) \
  F(scatterv_init, SCATTERV_INIT, Scatterv_init)
#else
#define MANA_PERSISTENT_CALLS_OF_MPIFH(F)
#endif

// Of mpi_f08, from Open MPI 6.0 on: they ask a communicator for its kind, its size and this process's rank. If a buffer has
// no description, they ask a communicator or window for its error handler. F(name, in C, its flow)
#define MANA_CALLS_OF_F08(F) \
  F(accumulate, Accumulate, messages) F(allgather, Allgather, allgather) F(allgatherv, Allgatherv, allgather) \
  F(allreduce, Allreduce, allreduce) F(alltoall, Alltoall, alltoall) F(alltoallv, Alltoallv, alltoall) \
  F(alltoallw, Alltoallw, alltoall) F(bcast, Bcast, bcast) F(bsend, Bsend, messages) \
  F(bsend_init, Bsend_init, messages) F(exscan, Exscan, allreduce) F(gather, Gather, gather) \
  F(gatherv, Gatherv, gather) F(get, Get, messages) F(get_accumulate, Get_accumulate, messages) \
  F(iallgather, Iallgather, allgather) F(iallgatherv, Iallgatherv, allgather) \
  F(iallreduce, Iallreduce, allreduce) F(ialltoall, Ialltoall, alltoall) F(ialltoallv, Ialltoallv, alltoall) \
  F(ialltoallw, Ialltoallw, alltoall) F(ibcast, Ibcast, bcast) F(ibsend, Ibsend, messages) \
  F(iexscan, Iexscan, allreduce) F(igather, Igather, gather) F(igatherv, Igatherv, gather) \
  F(ineighbor_allgather, Ineighbor_allgather, allgather) \
  F(ineighbor_allgatherv, Ineighbor_allgatherv, allgather) \
  F(ineighbor_alltoall, Ineighbor_alltoall, alltoall) F(ineighbor_alltoallv, Ineighbor_alltoallv, alltoall) \
  F(ineighbor_alltoallw, Ineighbor_alltoallw, alltoall) F(irecv, Irecv, messages) F(ireduce, Ireduce, reduce) \
  F(ireduce_scatter, Ireduce_scatter, allreduce) F(ireduce_scatter_block, Ireduce_scatter_block, allreduce) \
  F(irsend, Irsend, messages) F(iscan, Iscan, allreduce) F(iscatter, Iscatter, scatter) \
  F(iscatterv, Iscatterv, scatter) F(isend, Isend, messages) F(issend, Issend, messages) \
  F(neighbor_allgather, Neighbor_allgather, allgather) F(neighbor_allgatherv, Neighbor_allgatherv, allgather) \
  F(neighbor_alltoall, Neighbor_alltoall, alltoall) F(neighbor_alltoallv, Neighbor_alltoallv, alltoall) \
  F(neighbor_alltoallw, Neighbor_alltoallw, alltoall) F(pack, Pack, messages) F(put, Put, messages) \
  F(raccumulate, Raccumulate, messages) F(recv, Recv, messages) F(recv_init, Recv_init, messages) \
  F(reduce, Reduce, reduce) F(reduce_scatter, Reduce_scatter, allreduce) \
  F(reduce_scatter_block, Reduce_scatter_block, allreduce) F(rget, Rget, messages) \
  F(rget_accumulate, Rget_accumulate, messages) F(rput, Rput, messages) F(rsend, Rsend, messages) \
  F(rsend_init, Rsend_init, messages) F(scan, Scan, allreduce) F(scatter, Scatter, scatter) \
  F(scatterv, Scatterv, scatter) F(send, Send, messages) F(send_init, Send_init, messages) \
  F(sendrecv, Sendrecv, messages) F(sendrecv_replace, Sendrecv_replace, messages) F(ssend, Ssend, messages) \
  F(ssend_init, Ssend_init, messages) F(unpack, Unpack, messages) F(win_create, Win_create, messages)

// The same, without a form for large counts.
#define MANA_SMALL_CALLS_OF_F08(F) \
  F(compare_and_swap, Compare_and_swap, messages) F(fetch_and_op, Fetch_and_op, messages) \
  F(win_attach, Win_attach, messages) F(win_detach, Win_detach, messages)

// The same, where mpi.h has the functions: those of MPI 4.0, and those of MPI 4.1.
#if defined(MANA_DECLARES_MPI_Alltoallw_init)
#define MANA_PERSISTENT_CALLS_OF_F08(F) \
  F(allgather_init, Allgather_init, allgather) F(allgatherv_init, Allgatherv_init, allgather) \
  F(allreduce_init, Allreduce_init, allreduce) F(alltoall_init, Alltoall_init, alltoall) \
  F(alltoallv_init, Alltoallv_init, alltoall) F(alltoallw_init, Alltoallw_init, alltoall) \
  F(bcast_init, Bcast_init, bcast) F(exscan_init, Exscan_init, allreduce) F(gather_init, Gather_init, gather) \
  F(gatherv_init, Gatherv_init, gather) F(neighbor_allgather_init, Neighbor_allgather_init, allgather) \
  F(neighbor_allgatherv_init, Neighbor_allgatherv_init, allgather) \
  F(neighbor_alltoall_init, Neighbor_alltoall_init, alltoall) \
  F(neighbor_alltoallv_init, Neighbor_alltoallv_init, alltoall) \
  F(neighbor_alltoallw_init, Neighbor_alltoallw_init, alltoall) F(reduce_init, Reduce_init, reduce) \
  F(reduce_scatter_block_init, Reduce_scatter_block_init, allreduce) \
  F(reduce_scatter_init, Reduce_scatter_init, allreduce) F(scan_init, Scan_init, allreduce) \
  F(scatter_init, Scatter_init, scatter) F(scatterv_init, Scatterv_init, scatter)
#else
#define MANA_PERSISTENT_CALLS_OF_F08(F)
#endif
#if defined(MANA_DECLARES_MPI_Isendrecv)
#define MANA_EXCHANGE_CALLS_OF_F08(F) \
  F(isendrecv, Isendrecv, messages) F(isendrecv_replace, Isendrecv_replace, messages)
#else
#define MANA_EXCHANGE_CALLS_OF_F08(F)
#endif
#if defined(MANA_DECLARES_MPI_Comm_attach_buffer)
#define MANA_BUFFER_CALLS_OF_F08(F) \
  F(comm_attach_buffer, Comm_attach_buffer, messages)
#else
#define MANA_BUFFER_CALLS_OF_F08(F)
#endif

// With a form for large counts, if mpi.h has such forms.
#define MANA_SIZED_CALLS_OF_F08(F) \
  MANA_CALLS_OF_F08(F) MANA_PERSISTENT_CALLS_OF_F08(F) MANA_EXCHANGE_CALLS_OF_F08(F) MANA_BUFFER_CALLS_OF_F08(F)
#if defined(MANA_DECLARES_MPI_Send_c)
#define MANA_LARGE_CALLS_OF_F08(F) MANA_SIZED_CALLS_OF_F08(F)
#else
#define MANA_LARGE_CALLS_OF_F08(F)
#endif
