! Frame of the Fortran test programs, without MPI: it serves include 'mpif.h', the modules mpi and mpi_f08. A program
! checks every value that it receives, prints a line per step and a checksum at the end; nothing depends on timing.
! Arguments: [STEPS [PAUSE]], PAUSE after each step in milliseconds.
module check
  use, intrinsic :: iso_c_binding, only: c_int
  use, intrinsic :: iso_fortran_env, only: int64, output_unit
  implicit none
  integer :: me = 0, ranks = 1, left, right   ! in MPI_COMM_WORLD; left and right of the ring
  integer :: steps = 50, pause_ms = 0
  integer :: wrong = 0                        ! checks that failed on this rank
  integer :: now = -1                         ! the step
  integer(int64), private :: hash = 4711      ! of what this rank received
  interface
    integer(c_int) function usleep(microseconds) bind(c)
      import :: c_int
      integer(c_int), value :: microseconds
    end function
  end interface
contains
  subroutine begin(rank, n)
    integer, intent(in) :: rank, n
    character(len=32) :: word
    me = rank
    ranks = n
    right = mod(me + 1, ranks)
    left = mod(me + ranks - 1, ranks)
    call get_command_argument(1, word)
    if (word /= '') read (word, *) steps
    call get_command_argument(2, word)
    if (word /= '') read (word, *) pause_ms
  end subroutine

  ! The program goes on; its exit status tells.
  subroutine require(ok, what)
    logical, intent(in) :: ok
    character(len=*), intent(in) :: what
    if (ok) return
    wrong = wrong + 1
    print '(a,i0,a,i0,a,a,a)', 'rank ', me, ', step ', now, ': ', what, ' does not hold'
    flush (output_unit)
  end subroutine

  ! For calls that have to return MPI_SUCCESS, which is 0 by the standard.
  subroutine ok(ierror, what)
    integer, intent(in) :: ierror
    character(len=*), intent(in) :: what
    call require(ierror == 0, what // ' succeeds')
  end subroutine

  ! What every rank can compute: element i of what a sends to b at step k; not negative, small enough for sums.
  elemental integer function val(a, b, k, i)
    integer, intent(in) :: a, b, k, i
    integer(int64) :: x
    x = 7919_int64 * a + 104729_int64 * b + 1299709_int64 * k + 15485863_int64 * i + 12345
    x = mod(x * 48271_int64, 2147483647_int64)
    val = int(mod(x * 69621_int64 + 1, 1000003_int64))
  end function

  ! Elements 1 to n of it.
  function row(a, b, k, n)
    integer, intent(in) :: a, b, k, n
    integer :: row(n), i
    row = [(val(a, b, k, i), i = 1, n)]
  end function

  ! Received data for the checksum, in an order that does not depend on timing.
  subroutine got(v)
    integer, intent(in) :: v(:)
    integer :: i
    do i = 1, size(v)
      hash = mod(hash * 1000003_int64 + abs(int(v(i), int64)), 2147483647_int64)
    end do
  end subroutine

  ! v is what `expected` says, and counts as received.
  subroutine same(v, expected, what)
    integer, intent(in) :: v(:), expected(:)
    character(len=*), intent(in) :: what
    call require(all(v == expected), what)
    call got(v)
  end subroutine

  ! After step k, which counts from 0; at most a thousand lines.
  subroutine step(k)
    integer, intent(in) :: k
    integer(c_int) :: rc
    if (me == 0 .and. mod(k + 1, steps / 1000 + 1) == 0) then
      print '(a,i0,a,i0)', 'step ', k + 1, ' of ', steps
      flush (output_unit)
    end if
    if (pause_ms > 0) rc = usleep(1000_c_int * int(pause_ms, c_int))
    now = k + 1
  end subroutine

  integer function my_checksum()
    call got([me])
    my_checksum = int(hash)
  end function

  ! What the ranks found together, after the end of MPI.
  subroutine finish(checksum, all_wrong)
    integer, intent(in) :: checksum, all_wrong
    if (me == 0) print '(a,i0)', 'checksum ', checksum
    flush (output_unit)
    if (all_wrong /= 0) stop 1
  end subroutine
end module
