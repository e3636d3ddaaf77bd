! include 'mpif.h': windows. Memory is an address, which Cray pointers follow.
module parts
  use check
  implicit none
  include 'mpif.h'
  integer, parameter :: aint = MPI_ADDRESS_KIND, n = 8
  integer(aint), parameter :: int_bytes = storage_size(0) / 8, zero = 0
  integer :: made, shared, over                      ! windows
  integer :: own(n), part(n), of_right(n)
  integer(aint) :: own_at, part_at, of_right_at
  pointer (own_at, own)
  pointer (part_at, part)
  pointer (of_right_at, of_right)
  integer :: counters(n) = 0
  integer :: here_me, here_right, here_left          ! among the ranks that share memory with this one
  integer :: key, deletions, handled
contains
  subroutine count_delete(win, keyval, value, extra, ierror)
    integer :: win, keyval, ierror
    integer(aint) :: value, extra
    call require(extra == 4711 .and. keyval == key .and. value == 1000, 'arguments of delete')
    deletions = deletions + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine handler(win, code)
    integer :: win, code
    call require(win == over .and. code /= MPI_SUCCESS, 'arguments of an error handler')
    handled = handled + 1
  end subroutine

  subroutine make
    external MPI_WIN_NULL_COPY_FN
    integer(aint) :: bytes
    integer :: unit, those, beside, h, e
    call MPI_Win_allocate(n * int_bytes, int(int_bytes), MPI_INFO_NULL, MPI_COMM_WORLD, own_at, made, e)
    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, beside, e)
    call MPI_Comm_rank(beside, here_me, e)
    call MPI_Comm_size(beside, those, e)
    here_right = mod(here_me + 1, those)
    here_left = mod(here_me + those - 1, those)
    call MPI_Win_allocate_shared(16 * int_bytes, int(int_bytes), MPI_INFO_NULL, beside, part_at, shared, e)
    call MPI_Comm_free(beside, e)
    call MPI_Win_shared_query(shared, here_right, bytes, unit, of_right_at, e)
    call require(bytes == 16 * int_bytes .and. unit == int_bytes, 'the right part')
    call MPI_Win_create(counters, n * int_bytes, int(int_bytes), MPI_INFO_NULL, MPI_COMM_WORLD, over, e)
    call MPI_Win_lock_all(MPI_MODE_NOCHECK, shared, e)     ! for the program's life
    call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, count_delete, key, 4711_aint, e)
    call MPI_Win_set_attr(made, key, 1000_aint, e)
    call MPI_Win_create_errhandler(handler, h, e)
    call MPI_Win_set_errhandler(over, h, e)
    call MPI_Errhandler_free(h, e)
  end subroutine

  subroutine unmake
    integer :: e
    call MPI_Win_unlock_all(shared, e)
    call MPI_Win_free(made, e)
    call require(made == MPI_WIN_NULL .and. deletions == 1, 'the end of a window')
    call MPI_Win_free(shared, e)
    call MPI_Win_free(over, e)
    call MPI_Win_free_keyval(key, e)
  end subroutine

  subroutine fences(k)
    integer, intent(in) :: k
    integer :: to(n), e
    to = row(me, right, k, n)
    call MPI_Win_fence(MPI_MODE_NOPRECEDE, made, e)
    call MPI_Put(to, n, MPI_INTEGER, right, zero, n, MPI_INTEGER, made, e)
    call MPI_Win_fence(MPI_MODE_NOSUCCEED, made, e)
    call same(own, row(left, me, k, n), 'what was put')
  end subroutine

  ! A lock is held while the program pauses.
  subroutine locks(k)
    integer, intent(in) :: k
    integer :: x, e
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, over, e)
    call MPI_Get(x, 1, MPI_INTEGER, 0, zero, 1, MPI_INTEGER, over, e)
    call MPI_Win_flush(0, over, e)
    x = x + 1
    if (me == 0) call step(k)
    call MPI_Put(x, 1, MPI_INTEGER, 0, zero, 1, MPI_INTEGER, over, e)
    call MPI_Win_unlock(0, over, e)
    if (me /= 0) call step(k)
    call MPI_Barrier(MPI_COMM_WORLD, e)
    call MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, over, e)
    call MPI_Get(x, 1, MPI_INTEGER, 0, zero, 1, MPI_INTEGER, over, e)
    call MPI_Win_unlock(0, over, e)
    call same([x], [ranks * (k + 1)], 'increments under a lock')
    call MPI_Barrier(MPI_COMM_WORLD, e)
  end subroutine

  subroutine stores(k)
    integer, intent(in) :: k
    integer :: e
    of_right = row(here_me, here_right, k, n) + 2
    call MPI_Win_sync(shared, e)
    call MPI_Barrier(MPI_COMM_WORLD, e)
    call MPI_Win_sync(shared, e)
    call same(part, row(here_left, here_me, k, n) + 2, 'what was stored')
    call MPI_Barrier(MPI_COMM_WORLD, e)
  end subroutine

  subroutine posts(k)
    integer, intent(in) :: k
    integer :: all, to, from, x, e
    call MPI_Win_get_group(over, all, e)
    call MPI_Group_incl(all, 1, [right], to, e)
    call MPI_Group_incl(all, 1, [left], from, e)
    x = val(me, right, k, 3)
    call MPI_Win_post(from, 0, over, e)
    call MPI_Win_start(to, 0, over, e)
    call MPI_Put(x, 1, MPI_INTEGER, right, 4_aint, 1, MPI_INTEGER, over, e)
    call MPI_Win_complete(over, e)
    call MPI_Win_wait(over, e)
    call same(counters(5:5), [val(left, me, k, 3)], 'what was put to a poster')
    call MPI_Group_free(all, e)
    call MPI_Group_free(to, e)
    call MPI_Group_free(from, e)
    call MPI_Barrier(MPI_COMM_WORLD, e)
  end subroutine

  subroutine attributes
    integer(aint) :: value
    integer :: before, e
    logical :: flag
    call MPI_Win_get_attr(made, key, value, flag, e)
    call require(flag .and. value == 1000, 'an attribute')
    call MPI_Win_get_attr(made, MPI_WIN_BASE, value, flag, e)
    call require(flag .and. value == own_at, 'the base')
    call MPI_Win_get_attr(made, MPI_WIN_SIZE, value, flag, e)
    call require(flag .and. value == n * int_bytes, 'the size')
    call MPI_Win_get_attr(shared, MPI_WIN_CREATE_FLAVOR, value, flag, e)
    call require(flag .and. value == MPI_WIN_FLAVOR_SHARED, 'the flavor')
    before = handled
    call MPI_Win_call_errhandler(over, MPI_ERR_OTHER, e)
    call require(handled == before + 1, 'a called handler')
  end subroutine
end module

program windows_mpif
  use parts
  implicit none
  integer :: rank, total, e, k, checksum, all_wrong
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
  call MPI_Comm_size(MPI_COMM_WORLD, total, e)
  call begin(rank, total)
  call make
  do k = 0, steps - 1
    call fences(k)
    call locks(k)
    call stores(k)
    call posts(k)
    call attributes
  end do
  call unmake
  call MPI_Reduce(my_checksum(), checksum, 1, MPI_INTEGER, MPI_BXOR, 0, MPI_COMM_WORLD, e)
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, e)
  call MPI_Finalize(e)
  call finish(checksum, all_wrong)
end program
