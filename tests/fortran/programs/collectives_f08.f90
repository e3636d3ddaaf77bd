! use mpi_f08: collectives, blocking and not, on a duplicate of MPI_COMM_WORLD, on a communicator that is split from it, and on an
! intercommunicator. A library of mpi_f08 may ask a communicator for its kind, its size and a rank before it calls C's function.
module parts
  use check
  use mpi_f08
  implicit none
  integer, parameter :: n = 5, most = 16
  type :: place
    type(MPI_Comm) :: comm
    logical :: inter = .false.
    integer :: side = 0              ! of an intercommunicator: which group this process is of
    integer :: rank, own, size       ! in this process's group; processes of this group, and of the one that data comes from
    integer :: peers(0:most - 1)     ! ranks in MPI_COMM_WORLD of the latter
  end type
  ! The part of a process in a collective with a root.
  type :: part
    integer :: root                  ! the argument
    integer :: rank                  ! of the root in MPI_COMM_WORLD, where this process has to know it
    logical :: is_root, others       ! gets from all, or gives to all; gives to the root, or gets from it
  end type
  type(place) :: places(3)
  integer :: used = 2
contains
  subroutine make
    type(MPI_Comm) :: half
    integer :: other
    call MPI_Comm_dup(MPI_COMM_WORLD, places(1)%comm)
    call MPI_Comm_split(places(1)%comm, mod(me, 2), -me, places(2)%comm)
    if (ranks > 1) then
      used = 3
      call MPI_Comm_split(MPI_COMM_WORLD, mod(me, 2), me, half)
      other = 1 - mod(me, 2)
      call MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, other, 7, places(3)%comm)
      call MPI_Comm_free(half)
      places(3)%inter = .true.
      places(3)%side = mod(me, 2)
    end if
    do other = 1, used
      call look_at(places(other))
    end do
  end subroutine

  subroutine look_at(p)
    type(place), intent(inout) :: p
    type(MPI_Group) :: group, world
    integer :: i
    call MPI_Comm_rank(p%comm, p%rank)
    call MPI_Comm_size(p%comm, p%own)
    if (p%inter) then
      call MPI_Comm_remote_size(p%comm, p%size)
      call MPI_Comm_remote_group(p%comm, group)
    else
      p%size = p%own
      call MPI_Comm_group(p%comm, group)
    end if
    call require(p%size <= most, 'a small communicator')
    call MPI_Comm_group(MPI_COMM_WORLD, world)
    call MPI_Group_translate_ranks(group, p%size, [(i, i = 0, p%size - 1)], world, p%peers)
    call MPI_Group_free(group)
    call MPI_Group_free(world)
  end subroutine

  subroutine unmake
    integer :: i
    do i = 1, used
      call MPI_Comm_free(places(i)%comm)
    end do
  end subroutine

  ! Each rank becomes the root in turn; of an intercommunicator each of both groups.
  type(part) function part_of(p, k)
    type(place), intent(in) :: p
    integer, intent(in) :: k
    integer :: r
    if (.not. p%inter) then
      r = mod(k, p%size)
      part_of = part(r, p%peers(r), p%rank == r, .true.)
    else if (p%side == mod(k, 2)) then
      if (p%rank == mod(k / 2, p%own)) then
        part_of = part(MPI_ROOT, me, .true., .false.)
      else
        part_of = part(MPI_PROC_NULL, -1, .false., .false.)
      end if
    else
      r = mod(k / 2, p%size)
      part_of = part(r, p%peers(r), .false., .true.)
    end if
  end function

  ! Elements that the process of a rank gives to each, or gets from each, in the forms with counts for each process.
  elemental integer function share(rank)
    integer, intent(in) :: rank
    share = mod(rank, 3) + 1
  end function

  ! What each peer sends to rank b of MPI_COMM_WORLD, `each` elements of every n.
  function from_peers(p, b, k, each) result(all)
    type(place), intent(in) :: p
    integer, intent(in) :: b, k, each(0:)
    integer :: all(n * most), i
    all = -1
    do i = 0, p%size - 1
      all(i * n + 1:i * n + each(i)) = row(p%peers(i), b, k, each(i))
    end do
  end function

  ! What this process sends to each peer.
  function to_peers(p, k) result(all)
    type(place), intent(in) :: p
    integer, intent(in) :: k
    integer :: all(n * most), i
    all = -1
    do i = 0, p%size - 1
      all(i * n + 1:i * n + n) = row(me, p%peers(i), k, n)
    end do
  end function

  subroutine blocking(p, k)
    type(place), intent(in) :: p
    integer, intent(in) :: k
    type(part) :: mine
    integer :: out(n), in(n), outs(n * most), ins(n * most), all(0:most - 1), shares(0:most - 1), places_of(0:most - 1), i
    type(MPI_Datatype) :: types(0:most - 1)
    mine = part_of(p, k)
    all = n
    shares = share([(i, i = 0, most - 1)])
    places_of = [(n * i, i = 0, most - 1)]
    types = MPI_INTEGER

    ins = -1
    if (mine%others) out = row(me, mine%rank, k, n)
    call MPI_Gather(out, n, MPI_INTEGER, ins, n, MPI_INTEGER, mine%root, p%comm)
    if (mine%is_root) call same(ins, from_peers(p, me, k, all), 'MPI_Gather')
    ins = -1
    call MPI_Gatherv(out, share(p%rank), MPI_INTEGER, ins, shares, places_of, MPI_INTEGER, mine%root, p%comm)
    if (mine%is_root) call same(ins, from_peers(p, me, k, shares), 'MPI_Gatherv')

    if (mine%is_root) outs = to_peers(p, k)
    in = -1
    call MPI_Scatter(outs, n, MPI_INTEGER, in, n, MPI_INTEGER, mine%root, p%comm)
    if (mine%others) call same(in, row(mine%rank, me, k, n), 'MPI_Scatter')
    in = -1
    call MPI_Scatterv(outs, shares, places_of, MPI_INTEGER, in, share(p%rank), MPI_INTEGER, mine%root, p%comm)
    if (mine%others) call same(in(:share(p%rank)), row(mine%rank, me, k, share(p%rank)), 'MPI_Scatterv')

    in = -1
    if (mine%is_root) in = row(me, 99, k, n)
    call MPI_Bcast(in, n, MPI_INTEGER, mine%root, p%comm)
    if (mine%others) call same(in, row(mine%rank, 99, k, n), 'MPI_Bcast')

    out = row(me, 98, k, n)
    ins = -1
    call MPI_Allgather(out, n, MPI_INTEGER, ins, n, MPI_INTEGER, p%comm)
    call same(ins, from_peers(p, 98, k, all), 'MPI_Allgather')
    ins = -1
    call MPI_Allgatherv(out, share(p%rank), MPI_INTEGER, ins, shares, places_of, MPI_INTEGER, p%comm)
    call same(ins, from_peers(p, 98, k, shares), 'MPI_Allgatherv')

    outs = to_peers(p, k)
    ins = -1
    call MPI_Alltoall(outs, n, MPI_INTEGER, ins, n, MPI_INTEGER, p%comm)
    call same(ins, from_peers(p, me, k, all), 'MPI_Alltoall')
    all = share(p%rank)
    ins = -1
    call MPI_Alltoallv(outs, shares, places_of, MPI_INTEGER, ins, all, places_of, MPI_INTEGER, p%comm)
    call same(ins, from_peers(p, me, k, all), 'MPI_Alltoallv')
    if (.not. p%inter .or. p%own == p%size) then     ! MPICH 4.0.2 takes as many datatypes as this process's group has members
      ins = -1
      call MPI_Alltoallw(outs, shares, 4 * places_of, types, ins, all, 4 * places_of, types, p%comm)
      call same(ins, from_peers(p, me, k, all), 'MPI_Alltoallw')
    end if

    in = -1
    call MPI_Allreduce(out, in, n, MPI_INTEGER, MPI_SUM, p%comm)
    call same(in, sum_of_peers(p, k), 'MPI_Allreduce')
    in = -1
    call MPI_Reduce(out, in, n, MPI_INTEGER, MPI_SUM, mine%root, p%comm)
    if (mine%is_root) call same(in, sum_of_peers(p, k), 'MPI_Reduce')
  end subroutine

  function sum_of_peers(p, k) result(all)
    type(place), intent(in) :: p
    integer, intent(in) :: k
    integer :: all(n), i
    all = 0
    do i = 0, p%size - 1
      all = all + row(p%peers(i), 98, k, n)
    end do
  end function

  ! All are under way at once, and a checkpoint may come.
  subroutine non_blocking(p, k)
    type(place), intent(in) :: p
    integer, intent(in) :: k
    type(part) :: mine
    type(MPI_Request) :: all_requests(11)
    integer, asynchronous :: out(n), spread(n * most), down(n), downv(n), whole(n), sums(n)
    integer, asynchronous :: outs(n * most), up(n * most), upv(n * most), gathered(n * most), gatheredv(n * most)
    integer, asynchronous :: swapped(n * most), swappedv(n * most), swappedw(n * most), shared(n)
    integer, asynchronous :: same_share(0:most - 1), shares(0:most - 1), places_of(0:most - 1), w_places(0:most - 1)
    integer :: all(0:most - 1), i
    logical :: is_swapped
    type(MPI_Datatype), asynchronous :: types(0:most - 1)
    mine = part_of(p, k)
    all = n
    same_share = share(p%rank)
    shares = share([(i, i = 0, most - 1)])
    places_of = [(n * i, i = 0, most - 1)]
    w_places = 4 * places_of
    types = MPI_INTEGER
    out = row(me, 98, k, n)
    outs = to_peers(p, k)
    spread = outs
    up = -1; upv = -1; gathered = -1; gatheredv = -1; swapped = -1; swappedv = -1; swappedw = -1
    down = -1; downv = -1; sums = -1
    whole = -1
    if (mine%is_root) whole = row(me, 97, k, n)
    call MPI_Igather(out, n, MPI_INTEGER, up, n, MPI_INTEGER, mine%root, p%comm, all_requests(1))
    call MPI_Igatherv(out, share(p%rank), MPI_INTEGER, upv, shares, places_of, MPI_INTEGER, mine%root, p%comm, all_requests(2))
    call MPI_Iscatter(spread, n, MPI_INTEGER, down, n, MPI_INTEGER, mine%root, p%comm, all_requests(3))
    call MPI_Iscatterv(spread, shares, places_of, MPI_INTEGER, downv, share(p%rank), MPI_INTEGER, mine%root, p%comm, &
                       all_requests(4))
    call MPI_Ibcast(whole, n, MPI_INTEGER, mine%root, p%comm, all_requests(5))
    call MPI_Iallgather(out, n, MPI_INTEGER, gathered, n, MPI_INTEGER, p%comm, all_requests(6))
    call MPI_Iallgatherv(out, share(p%rank), MPI_INTEGER, gatheredv, shares, places_of, MPI_INTEGER, p%comm, all_requests(7))
    call MPI_Ialltoall(outs, n, MPI_INTEGER, swapped, n, MPI_INTEGER, p%comm, all_requests(8))
    call MPI_Ialltoallv(outs, shares, places_of, MPI_INTEGER, swappedv, same_share, places_of, MPI_INTEGER, p%comm, &
                        all_requests(9))
    call MPI_Iallreduce(out, sums, n, MPI_INTEGER, MPI_SUM, p%comm, all_requests(10))
    all_requests(11) = MPI_REQUEST_NULL
    is_swapped = .not. p%inter .or. p%own == p%size
    if (is_swapped) call MPI_Ialltoallw(outs, shares, w_places, types, swappedw, same_share, w_places, types, p%comm, &
                                        all_requests(11))
    call MPI_Waitall(11, all_requests, MPI_STATUSES_IGNORE)
    call require(all_requests(9) == MPI_REQUEST_NULL, 'requests of completed collectives')
    shared = row(me, 98, k, n)
    if (mine%is_root) call same(up, from_peers(p, 98, k, all), 'MPI_Igather')
    if (mine%is_root) call same(upv, from_peers(p, 98, k, shares), 'MPI_Igatherv')
    if (mine%others) call same(down, row(mine%rank, me, k, n), 'MPI_Iscatter')
    if (mine%others) call same(downv(:share(p%rank)), row(mine%rank, me, k, share(p%rank)), 'MPI_Iscatterv')
    if (mine%others) call same(whole, row(mine%rank, 97, k, n), 'MPI_Ibcast')
    call same(gathered, from_peers(p, 98, k, all), 'MPI_Iallgather')
    call same(gatheredv, from_peers(p, 98, k, shares), 'MPI_Iallgatherv')
    call same(swapped, from_peers(p, me, k, all), 'MPI_Ialltoall')
    call same(swappedv, from_peers(p, me, k, same_share), 'MPI_Ialltoallv')
    if (is_swapped) call same(swappedw, from_peers(p, me, k, same_share), 'MPI_Ialltoallw')
    call same(sums, sum_of_peers(p, k), 'MPI_Iallreduce')
    call same(out, shared, 'what is sent')
  end subroutine

  ! The own part is in its place already: what is said of it may be anything.
  subroutine in_place(p, k)
    type(place), intent(in) :: p
    integer, intent(in) :: k
    type(part) :: mine
    type(MPI_Datatype) :: types(0:most - 1)
    integer :: ins(n * most), out(n), all(0:most - 1), places_of(0:most - 1), i, at
    if (p%inter) return
    mine = part_of(p, k)
    all = n
    places_of = [(n * i, i = 0, most - 1)]
    types = MPI_INTEGER
    at = p%rank * n
    out = row(me, mine%rank, k, n)
    ins = -1
    ins(at + 1:at + n) = out
    if (mine%is_root) then
      call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, ins, n, MPI_INTEGER, mine%root, p%comm)
      call same(ins, from_peers(p, me, k, all), 'MPI_Gather in place')
    else
      call MPI_Gather(out, n, MPI_INTEGER, ins, 0, MPI_DATATYPE_NULL, mine%root, p%comm)
    end if
    ins = -1
    ins(at + 1:at + n) = row(me, 96, k, n)
    call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, ins, all, places_of, MPI_INTEGER, p%comm)
    call same(ins, from_peers(p, 96, k, all), 'MPI_Allgatherv in place')
    ins = to_peers(p, k)
    call MPI_Alltoallw(MPI_IN_PLACE, all, places_of, types, ins, all, 4 * places_of, types, p%comm)
    call same(ins, from_peers(p, me, k, all), 'MPI_Alltoallw in place')
  end subroutine

  ! Every other element, where the library knows descriptors of arrays.
  subroutine sections(p, k)
    type(place), intent(in) :: p
    integer, intent(in) :: k
    type(part) :: mine
    integer :: wide(2 * n), ins(n * most), later(2 * n), all(0:most - 1), i
    type(MPI_Request) :: request
    if (.not. MPI_SUBARRAYS_SUPPORTED) return
    mine = part_of(p, k)
    all = n
    wide = -1
    if (mine%is_root) wide(2::2) = row(me, 95, k, n)
    call MPI_Bcast(wide(2::2), n, MPI_INTEGER, mine%root, p%comm)
    if (mine%others) call same(wide(2::2), row(mine%rank, 95, k, n), 'MPI_Bcast of every other element')
    call require(all_are(wide(1::2), -1), 'what is between the elements of MPI_Bcast')
    wide(1::2) = row(me, 94, k, n)
    ins = -1
    call MPI_Allgather(wide(1::2), n, MPI_INTEGER, ins, n, MPI_INTEGER, p%comm)
    call same(ins, from_peers(p, 94, k, all), 'MPI_Allgather of every other element')
    ins = -1
    call MPI_Gather(wide(1::2), n, MPI_INTEGER, ins, n, MPI_INTEGER, mine%root, p%comm)
    if (mine%is_root) call same(ins, from_peers(p, 94, k, all), 'MPI_Gather of every other element')
    ins = -1
    do i = 0, p%size - 1
      ins(i * n + 1:i * n + n) = row(me, p%peers(i), k, n)
    end do
    later = -1
    call MPI_Iscatter(ins, n, MPI_INTEGER, later(1::2), n, MPI_INTEGER, mine%root, p%comm, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_F_sync_reg(later)
    if (mine%others) call same(later(1::2), row(mine%rank, me, k, n), 'MPI_Iscatter of every other element')
    call require(all_are(later(2::2), -1), 'what is between the elements of MPI_Iscatter')
  end subroutine

  logical function all_are(v, what)
    integer, intent(in) :: v(:), what
    all_are = all(v == what)
  end function
end module

program collectives_f08
  use parts
  implicit none
  integer :: rank, total, k, i, checksum, all_wrong, mine
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, total)
  call begin(rank, total)
  call make
  do k = 0, steps - 1
    do i = 1, used
      call blocking(places(i), k)
      call non_blocking(places(i), k)
      call in_place(places(i), k)
      call sections(places(i), k)
    end do
    call step(k)
  end do
  call unmake
  mine = my_checksum()
  call MPI_Reduce(mine, checksum, 1, MPI_INTEGER, MPI_BXOR, 0, MPI_COMM_WORLD)
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Finalize()
  call finish(checksum, all_wrong)
end program
