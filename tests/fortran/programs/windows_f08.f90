! use mpi_f08: windows. Memory is a C_PTR, displacements and attributes are of MPI_ADDRESS_KIND.
module parts
  use check
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer, c_loc, c_intptr_t
  implicit none
  integer, parameter :: aint = MPI_ADDRESS_KIND, n = 8
  integer(aint), parameter :: int_bytes = storage_size(0) / 8, zero = 0
  type(MPI_Win) :: made, shared, over, anywhere      ! of all kinds
  integer, pointer, asynchronous :: own(:), part(:), of_right(:)
  integer, target, asynchronous :: counters(n) = 0, attached(n)
  integer(aint), allocatable :: places(:)            ! of the ranks' `attached`
  integer :: here_me, here_right, here_left          ! among the ranks that share memory with this one
  integer :: key, copies, deletions, handled
contains
  subroutine count_copy(win, keyval, extra, in, out, flag, ierror)
    type(MPI_Win) :: win
    integer :: keyval, ierror
    integer(aint) :: extra, in, out
    logical :: flag
    call require(extra == 4711 .and. keyval == key .and. win /= MPI_WIN_NULL, 'no window is copied')
    copies = copies + 1
    out = in
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine count_delete(win, keyval, value, extra, ierror)
    type(MPI_Win) :: win
    integer :: keyval, ierror
    integer(aint) :: value, extra
    ! Open MPI 6.0.0rc2's library gives any number as win.
    call require(extra == 4711 .and. keyval == key .and. value >= 1000, 'arguments of delete')
    deletions = deletions + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine handler(win, code)
    type(MPI_Win) :: win
    integer :: code
    call require(win == over .and. code /= MPI_SUCCESS, 'arguments of an error handler')
    handled = handled + 1
  end subroutine

  subroutine make
    type(c_ptr) :: memory
    type(MPI_Errhandler) :: h
    integer(aint) :: bytes, here
    type(MPI_Comm) :: beside
    integer :: unit, those
    call MPI_Win_allocate(n * int_bytes, int(int_bytes), MPI_INFO_NULL, MPI_COMM_WORLD, memory, made)
    call c_f_pointer(memory, own, [n])
    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, beside)
    call MPI_Comm_rank(beside, here_me)
    call MPI_Comm_size(beside, those)
    here_right = mod(here_me + 1, those)
    here_left = mod(here_me + those - 1, those)
    call MPI_Win_allocate_shared(16 * int_bytes, int(int_bytes), MPI_INFO_NULL, beside, memory, shared)
    call MPI_Comm_free(beside)
    call c_f_pointer(memory, part, [n])
    call MPI_Win_shared_query(shared, here_right, bytes, unit, memory)
    call require(bytes == 16 * int_bytes .and. unit == int_bytes, 'the right part')
    call c_f_pointer(memory, of_right, [n])
    call MPI_Win_create(counters, n * int_bytes, int(int_bytes), MPI_INFO_NULL, MPI_COMM_WORLD, over)
    call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, anywhere)
    call MPI_Win_attach(anywhere, attached, n * int_bytes)
    call MPI_Get_address(attached, here)
    allocate (places(0:ranks - 1))
    call MPI_Allgather(here, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD)
    call MPI_Win_lock_all(0, anywhere)               ! for the program's life
    call MPI_Win_lock_all(MPI_MODE_NOCHECK, shared)
    call MPI_Win_create_keyval(count_copy, count_delete, key, 4711_aint)
    call MPI_Win_set_attr(made, key, 1000_aint)
    call MPI_Win_create_errhandler(handler, h)
    call MPI_Win_set_errhandler(over, h)
    call MPI_Errhandler_free(h)
  end subroutine

  subroutine unmake
    call MPI_Win_unlock_all(shared)
    call MPI_Win_unlock_all(anywhere)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_detach(anywhere, attached)
    deletions = 0
    call MPI_Win_free(made)
    call require(made == MPI_WIN_NULL .and. deletions == 1 .and. copies == 0, 'the end of a window')
    call MPI_Win_free(shared)
    call MPI_Win_free(over)
    call MPI_Win_free(anywhere)
    call MPI_Win_free_keyval(key)
    deallocate (places)
  end subroutine

  subroutine fences(k)
    integer, intent(in) :: k
    integer, asynchronous :: to(n), from(n)
    to = row(me, right, k, n)
    from = -1
    call MPI_Win_fence(MPI_MODE_NOPRECEDE, made)
    call MPI_Put(to, n, MPI_INTEGER, right, zero, n, MPI_INTEGER, made)
    call MPI_Win_fence(0, made)
    call same(own, row(left, me, k, n), 'what was put')
    call MPI_Get(from(3:4), 2, MPI_INTEGER, left, 1_aint, 2, MPI_INTEGER, made)
    call MPI_Win_fence(MPI_MODE_NOSUCCEED, made)
    to = row(mod(left + ranks - 1, ranks), left, k, n)
    call same(from(3:4), to(2:3), 'a section that was got')
    call require(all(from(:2) == -1) .and. all(from(5:) == -1), 'nothing beside the section')
  end subroutine

  subroutine locks(k)
    integer, intent(in) :: k
    integer, asynchronous :: one, before, x
    one = 1
    before = -1
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, over)
    call MPI_Get(x, 1, MPI_INTEGER, 0, zero, 1, MPI_INTEGER, over)
    call MPI_Win_flush(0, over)
    x = x + 1
    call MPI_Put(x, 1, MPI_INTEGER, 0, zero, 1, MPI_INTEGER, over)
    call MPI_Win_unlock(0, over)
    call MPI_Win_lock(MPI_LOCK_SHARED, right, 0, over)
    call MPI_Accumulate(one, 1, MPI_INTEGER, right, 1_aint, 1, MPI_INTEGER, MPI_SUM, over)
    call MPI_Fetch_and_op(one, before, MPI_INTEGER, right, 2_aint, MPI_SUM, over)
    call MPI_Win_unlock(right, over)
    call require(before == k, 'the value before')
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, over)
    call MPI_Get(x, 1, MPI_INTEGER, 0, zero, 1, MPI_INTEGER, over)
    call MPI_Win_unlock(0, over)
    call same([x], [ranks * (k + 1)], 'increments under a lock')
    call MPI_Win_lock(MPI_LOCK_SHARED, me, 0, over)
    call MPI_Get(x, 1, MPI_INTEGER, me, 1_aint, 1, MPI_INTEGER, over)
    call MPI_Win_unlock(me, over)
    call same([x], [k + 1], 'accumulates')
    call MPI_Barrier(MPI_COMM_WORLD)
  end subroutine

  ! By addresses, with a request, in an epoch that lasts.
  subroutine by_address(k)
    integer, intent(in) :: k
    integer, asynchronous :: to(n)
    type(MPI_Request) :: req
    to = row(me, right, k, n) + 1
    call MPI_Rput(to, n, MPI_INTEGER, right, places(right), n, MPI_INTEGER, anywhere, req)
    call step(k)
    call MPI_Wait(req, MPI_STATUS_IGNORE)
    call MPI_Win_flush(right, anywhere)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_sync(anywhere)
    call MPI_F_sync_reg(attached)
    call same(attached, row(left, me, k, n) + 1, 'what was put by address')
    call MPI_Barrier(MPI_COMM_WORLD)
  end subroutine

  subroutine stores(k)
    integer, intent(in) :: k
    of_right = row(here_me, here_right, k, n) + 2
    call MPI_Win_sync(shared)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_sync(shared)
    call same(part, row(here_left, here_me, k, n) + 2, 'what was stored')
    call MPI_Barrier(MPI_COMM_WORLD)
  end subroutine

  subroutine posts(k)
    integer, intent(in) :: k
    type(MPI_Group) :: all, to, from
    integer, asynchronous :: x
    logical :: flag
    call MPI_Win_get_group(over, all)
    call MPI_Group_incl(all, 1, [right], to)
    call MPI_Group_incl(all, 1, [left], from)
    x = val(me, right, k, 3)
    call MPI_Win_post(from, 0, over)
    call MPI_Win_start(to, 0, over)
    call MPI_Put(x, 1, MPI_INTEGER, right, 4_aint, 1, MPI_INTEGER, over)
    call MPI_Win_complete(over)
    flag = .false.
    if (mod(k, 2) == 0) then
      call MPI_Win_wait(over)
    else
      do while (.not. flag)
        call MPI_Win_test(over, flag)
      end do
    end if
    call same(counters(5:5), [val(left, me, k, 3)], 'what was put to a poster')
    call MPI_Group_free(all)
    call MPI_Group_free(to)
    call MPI_Group_free(from)
    call MPI_Barrier(MPI_COMM_WORLD)
  end subroutine

  subroutine attributes
    integer(aint) :: value
    integer :: before
    logical :: flag
    call MPI_Win_get_attr(made, key, value, flag)
    call require(flag .and. value == 1000, 'an attribute')
    call MPI_Win_get_attr(made, MPI_WIN_BASE, value, flag)
    call require(flag .and. value == int(transfer(c_loc(own), 0_c_intptr_t), aint), 'the base')
    call MPI_Win_get_attr(made, MPI_WIN_SIZE, value, flag)
    call require(flag .and. value == n * int_bytes, 'the size')
    call MPI_Win_get_attr(shared, MPI_WIN_DISP_UNIT, value, flag)
    call require(flag .and. value == int_bytes, 'the unit')
    call MPI_Win_get_attr(anywhere, MPI_WIN_CREATE_FLAVOR, value, flag)
    call require(flag .and. value == MPI_WIN_FLAVOR_DYNAMIC, 'the flavor')
    before = handled
    call MPI_Win_call_errhandler(over, MPI_ERR_OTHER)
    call require(handled == before + 1, 'a called handler')
  end subroutine
end module

program windows_f08
  use parts
  implicit none
  integer :: rank, total, k, checksum, all_wrong, mine
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, total)
  call begin(rank, total)
  call make
  do k = 0, steps - 1
    call fences(k)
    call locks(k)
    call by_address(k)
    call stores(k)
    call posts(k)
    call attributes
  end do
  call unmake
  mine = my_checksum()
  call MPI_Reduce(mine, checksum, 1, MPI_INTEGER, MPI_BXOR, 0, MPI_COMM_WORLD)
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Finalize()
  call finish(checksum, all_wrong)
end program
