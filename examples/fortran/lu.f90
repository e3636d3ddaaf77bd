! Symmetric over-relaxation of a 3D Poisson equation, `use mpi`: in each plane a wave runs over a grid of ranks from one
! corner to the other and back, as in LU of the NAS benchmarks. Many small blocking messages of derived types, in the
! order of the serial algorithm: the result does not depend on the number of ranks.
program lu
  use mpi
  implicit none
  integer, parameter :: n = 60, planes = 8            ! unknowns along x and y, and along z
  double precision, parameter :: weight = 1.4d0, shift = 0.1d0
  integer, parameter :: integer8 = selected_int_kind(18)
  double precision, allocatable :: u(:, :, :), f(:, :, :)
  double precision :: change, largest
  integer(integer8) :: bits, all_bits
  integer :: world, rank, ranks, grid(2), at(2), west, east, south, north, first(2), last(2), along_x, along_y
  integer :: ierror, steps, step, i, j, k
  character(len=32) :: argument

  call MPI_INIT(ierror)
  steps = 400
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) steps
  end if
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
  grid = 0
  call MPI_DIMS_CREATE(ranks, 2, grid, ierror)
  call MPI_CART_CREATE(MPI_COMM_WORLD, 2, grid, [.false., .false.], .false., world, ierror)
  call MPI_COMM_RANK(world, rank, ierror)
  call MPI_CART_COORDS(world, rank, 2, at, ierror)
  call MPI_CART_SHIFT(world, 0, 1, west, east, ierror)
  call MPI_CART_SHIFT(world, 1, 1, south, north, ierror)
  first = at * n / grid + 1
  last = (at + 1) * n / grid

  allocate (u(first(1) - 1:last(1) + 1, first(2) - 1:last(2) + 1, 0:planes + 1), &
            f(first(1):last(1), first(2):last(2), planes))
  u = 0
  do k = 1, planes
    do j = first(2), last(2)
      do i = first(1), last(1)
        f(i, j, k) = dble(mod(i * 7 + j * 13 + k * 29, 31)) / 31 - 0.5d0
      end do
    end do
  end do
  ! One line of a plane: along x it lies in one piece, along y it has a stride.
  call MPI_TYPE_CONTIGUOUS(size(f, 1), MPI_DOUBLE_PRECISION, along_x, ierror)
  call MPI_TYPE_VECTOR(size(f, 2), 1, size(u, 1), MPI_DOUBLE_PRECISION, along_y, ierror)
  call MPI_TYPE_COMMIT(along_x, ierror)
  call MPI_TYPE_COMMIT(along_y, ierror)

  do step = 1, steps
    change = 0
    call sweep(1, west, east, south, north)
    call sweep(-1, east, west, north, south)
    call MPI_ALLREDUCE(change, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, world, ierror)
    if (rank == 0 .and. mod(step, 10) == 0) then
      print '(a, i0, a, i0, a, es23.15)', 'step ', step, ' of ', steps, ': largest change', largest
      flush (6)
    end if
  end do

  bits = 0
  do k = 1, planes
    do j = first(2), last(2)
      do i = first(1), last(1)
        bits = ieor(bits, ishftc(transfer(u(i, j, k), bits), mod(i + 5 * j + 11 * k, 64)))
      end do
    end do
  end do
  call MPI_REDUCE(bits, all_bits, 1, MPI_INTEGER8, MPI_BXOR, 0, world, ierror)
  if (rank == 0) print '(a, z16.16)', 'checksum ', all_bits
  call MPI_TYPE_FREE(along_x, ierror)
  call MPI_TYPE_FREE(along_y, ierror)
  call MPI_COMM_FREE(world, ierror)
  call MPI_FINALIZE(ierror)

contains
  ! From the ranks behind (in x, in y) towards those ahead; direction is 1 or -1 for all three axes.
  subroutine sweep(direction, behind_x, ahead_x, behind_y, ahead_y)
    integer, intent(in) :: direction, behind_x, ahead_x, behind_y, ahead_y
    integer :: x(2), y(2), z(2), i, j, k
    double precision :: new
    x = [first(1), last(1)]
    y = [first(2), last(2)]
    z = [1, planes]
    if (direction < 0) then
      x = x(2:1:-1)
      y = y(2:1:-1)
      z = z(2:1:-1)
    end if
    call old_values(x, y, behind_x, ahead_x, behind_y, ahead_y, direction)
    do k = z(1), z(2), direction
      call MPI_RECV(u(x(1) - direction, first(2), k), 1, along_y, behind_x, k, world, MPI_STATUS_IGNORE, ierror)
      call MPI_RECV(u(first(1), y(1) - direction, k), 1, along_x, behind_y, k, world, MPI_STATUS_IGNORE, ierror)
      do j = y(1), y(2), direction
        do i = x(1), x(2), direction
          new = (f(i, j, k) + u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) + u(i, j + 1, k) + u(i, j, k - 1) &
                 + u(i, j, k + 1)) / (6 + shift)
          new = u(i, j, k) + weight * (new - u(i, j, k))
          change = max(change, abs(new - u(i, j, k)))
          u(i, j, k) = new
        end do
      end do
      call MPI_SEND(u(x(2), first(2), k), 1, along_y, ahead_x, k, world, ierror)
      call MPI_SEND(u(first(1), y(2), k), 1, along_x, ahead_y, k, world, ierror)
    end do
  end subroutine

  ! What the ranks ahead had before this sweep.
  subroutine old_values(x, y, behind_x, ahead_x, behind_y, ahead_y, direction)
    integer, intent(in) :: x(2), y(2), behind_x, ahead_x, behind_y, ahead_y, direction
    integer :: requests(4 * planes), k, count
    count = 0
    do k = 1, planes
      call MPI_IRECV(u(x(2) + direction, first(2), k), 1, along_y, ahead_x, 1000 + k, world, requests(count + 1), ierror)
      call MPI_IRECV(u(first(1), y(2) + direction, k), 1, along_x, ahead_y, 2000 + k, world, requests(count + 2), ierror)
      call MPI_ISEND(u(x(1), first(2), k), 1, along_y, behind_x, 1000 + k, world, requests(count + 3), ierror)
      call MPI_ISEND(u(first(1), y(1), k), 1, along_x, behind_y, 2000 + k, world, requests(count + 4), ierror)
      count = count + 4
    end do
    call MPI_WAITALL(count, requests, MPI_STATUSES_IGNORE, ierror)
  end subroutine
end program
