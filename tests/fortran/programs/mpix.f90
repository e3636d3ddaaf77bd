! Open MPI's persistent collectives of before MPI-4, which have no interface in mpif.h: one whose arrays of datatypes are
! Fortran's numbers, of which its own function learns how many there are behind the communicator's handle.
program mpix
  use check
  implicit none
  include 'mpif.h'
  integer, parameter :: most = 16
  integer :: counts(most), places(most), types(most), sent(most), received(most), request(2)
  integer :: rank, total, e, i, k, checksum, all_wrong
  external :: MPIX_Alltoallw_init, MPIX_Bcast_init
  integer :: word(4)
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
  call MPI_Comm_size(MPI_COMM_WORLD, total, e)
  call begin(rank, total)
  counts = 1
  types = MPI_INTEGER
  places = [(4 * (i - 1), i = 1, most)]
  call MPIX_Alltoallw_init(sent, counts, places, types, received, counts, places, types, MPI_COMM_WORLD, MPI_INFO_NULL, &
                           request(1), e)
  call ok(e, 'MPIX_Alltoallw_init')
  call MPIX_Bcast_init(word, 4, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, MPI_INFO_NULL, request(2), e)
  call ok(e, 'MPIX_Bcast_init')
  do k = 0, steps - 1
    sent(1:ranks) = [(val(me, i, k, 1), i = 0, ranks - 1)]
    received = -1
    word = merge(row(ranks - 1, 0, k, 4), [0, 0, 0, 0], me == ranks - 1)
    call MPI_Startall(2, request, e)
    call MPI_Waitall(2, request, MPI_STATUSES_IGNORE, e)
    call same(received(1:ranks), [(val(i, me, k, 1), i = 0, ranks - 1)], 'each rank''s')
    call same(word, row(ranks - 1, 0, k, 4), 'the last rank''s')
    call step(k)
  end do
  call MPI_Request_free(request(1), e)
  call MPI_Request_free(request(2), e)
  call MPI_Reduce(my_checksum(), checksum, 1, MPI_INTEGER, MPI_BXOR, 0, MPI_COMM_WORLD, e)
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, e)
  call MPI_Finalize(e)
  call finish(checksum, all_wrong)
end program
