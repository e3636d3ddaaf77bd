! use mpi_f08: persistent collectives of MPI-4 on a duplicate of MPI_COMM_WORLD, and on a communicator that is split from it.
! They are made once, and started in each step.
module parts
  use check
  use mpi_f08
  implicit none
  integer, parameter :: n = 4, most = 16, kinds = 9
  type :: place
    type(MPI_Comm) :: comm
    integer :: rank, size, root
    integer :: members(0:most - 1)
    type(MPI_Request) :: requests(kinds)
    integer :: out(n), outs(n * most), whole(n), up(n * most), upv(n * most), down(n), downv(n), gathered(n * most)
    integer :: swapped(n * most), swappedv(n * most), swappedw(n * most)
    integer :: shares(0:most - 1), same_share(0:most - 1), places_of(0:most - 1), bytes_of(0:most - 1)
    type(MPI_Datatype) :: types(0:most - 1)
  end type
  type(place), asynchronous, target :: places(2)
contains
  elemental integer function share(rank)
    integer, intent(in) :: rank
    share = mod(rank, 3) + 1
  end function

  subroutine make
    integer :: i
    call MPI_Comm_dup(MPI_COMM_WORLD, places(1)%comm)
    call MPI_Comm_split(places(1)%comm, mod(me, 2), -me, places(2)%comm)
    do i = 1, 2
      call begin_at(places(i))
    end do
  end subroutine

  subroutine begin_at(p)
    type(place), intent(inout), asynchronous :: p
    type(MPI_Group) :: group, world
    integer :: i
    call MPI_Comm_rank(p%comm, p%rank)
    call MPI_Comm_size(p%comm, p%size)
    call MPI_Comm_group(p%comm, group)
    call MPI_Comm_group(MPI_COMM_WORLD, world)
    call MPI_Group_translate_ranks(group, p%size, [(i, i = 0, p%size - 1)], world, p%members)
    call MPI_Group_free(group)
    call MPI_Group_free(world)
    p%root = p%size - 1
    p%shares = share([(i, i = 0, most - 1)])
    p%same_share = share(p%rank)
    p%places_of = [(n * i, i = 0, most - 1)]
    p%bytes_of = 4 * p%places_of
    p%types = MPI_INTEGER
    call MPI_Bcast_init(p%whole, n, MPI_INTEGER, p%root, p%comm, MPI_INFO_NULL, p%requests(1))
    call MPI_Gather_init(p%out, n, MPI_INTEGER, p%up, n, MPI_INTEGER, p%root, p%comm, MPI_INFO_NULL, p%requests(2))
    call MPI_Gatherv_init(p%out, share(p%rank), MPI_INTEGER, p%upv, p%shares, p%places_of, MPI_INTEGER, p%root, p%comm, &
                          MPI_INFO_NULL, p%requests(3))
    call MPI_Scatter_init(p%outs, n, MPI_INTEGER, p%down, n, MPI_INTEGER, p%root, p%comm, MPI_INFO_NULL, p%requests(4))
    call MPI_Scatterv_init(p%outs, p%shares, p%places_of, MPI_INTEGER, p%downv, share(p%rank), MPI_INTEGER, p%root, p%comm, &
                           MPI_INFO_NULL, p%requests(5))
    call MPI_Allgather_init(p%out, n, MPI_INTEGER, p%gathered, n, MPI_INTEGER, p%comm, MPI_INFO_NULL, p%requests(6))
    call MPI_Alltoall_init(p%outs, n, MPI_INTEGER, p%swapped, n, MPI_INTEGER, p%comm, MPI_INFO_NULL, p%requests(7))
    call MPI_Alltoallv_init(p%outs, p%shares, p%places_of, MPI_INTEGER, p%swappedv, p%same_share, p%places_of, MPI_INTEGER, &
                            p%comm, MPI_INFO_NULL, p%requests(8))
    call MPI_Alltoallw_init(p%outs, p%shares, p%bytes_of, p%types, p%swappedw, p%same_share, p%bytes_of, p%types, p%comm, &
                            MPI_INFO_NULL, p%requests(9))
  end subroutine

  subroutine unmake
    integer :: i, j
    do i = 1, 2
      do j = 1, kinds
        call MPI_Request_free(places(i)%requests(j))
      end do
      call MPI_Comm_free(places(i)%comm)
    end do
  end subroutine

  function from_all(p, b, k, each) result(all)
    type(place), intent(in) :: p
    integer, intent(in) :: b, k, each(0:)
    integer :: all(n * most), i
    all = -1
    do i = 0, p%size - 1
      all(i * n + 1:i * n + each(i)) = row(p%members(i), b, k, each(i))
    end do
  end function

  subroutine fill(p, k)
    type(place), intent(inout), asynchronous :: p
    integer, intent(in) :: k
    integer :: i
    p%out = row(me, 98, k, n)
    do i = 0, p%size - 1
      p%outs(i * n + 1:i * n + n) = row(me, p%members(i), k, n)
    end do
    p%whole = merge(row(me, 99, k, n), -1, p%rank == p%root)
    p%up = -1; p%upv = -1; p%down = -1; p%downv = -1; p%gathered = -1; p%swapped = -1; p%swappedv = -1; p%swappedw = -1
  end subroutine

  subroutine judge(p, k)
    type(place), intent(in) :: p
    integer, intent(in) :: k
    integer :: root, mine, all(0:most - 1)
    root = p%members(p%root)
    mine = share(p%rank)
    all = n
    call same(p%whole, row(root, 99, k, n), 'MPI_Bcast_init')
    if (p%rank == p%root) then
      call same(p%up, from_all(p, 98, k, all), 'MPI_Gather_init')
      call same(p%upv, from_all(p, 98, k, p%shares), 'MPI_Gatherv_init')
    end if
    call same(p%down, row(root, me, k, n), 'MPI_Scatter_init')
    call same(p%downv(:mine), row(root, me, k, mine), 'MPI_Scatterv_init')
    call same(p%gathered, from_all(p, 98, k, all), 'MPI_Allgather_init')
    call same(p%swapped, from_all(p, me, k, all), 'MPI_Alltoall_init')
    call same(p%swappedv, from_all(p, me, k, p%same_share), 'MPI_Alltoallv_init')
    call same(p%swappedw, from_all(p, me, k, p%same_share), 'MPI_Alltoallw_init')
  end subroutine
end module

program persistent_f08
  use parts
  implicit none
  integer :: rank, total, k, i, checksum, all_wrong, mine
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, total)
  call begin(rank, total)
  call make
  do k = 0, steps - 1
    do i = 1, 2
      call fill(places(i), k)
      call MPI_Startall(kinds, places(i)%requests)
    end do
    do i = 1, 2
      call MPI_Waitall(kinds, places(i)%requests, MPI_STATUSES_IGNORE)
      call MPI_F_sync_reg(places)
      call judge(places(i), k)
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
