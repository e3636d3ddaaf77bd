! use mpi: windows whose memory is a C_PTR.
module parts
  use check
  use mpi
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  implicit none
  integer, parameter :: aint = MPI_ADDRESS_KIND, n = 8
  integer(aint), parameter :: int_bytes = storage_size(0) / 8, zero = 0
  integer :: made, shared, anywhere                  ! windows
  integer, pointer :: own(:), part(:), of_right(:)
  integer, target :: attached(n)
  integer(aint), allocatable :: places(:)            ! of the ranks' `attached`
  integer :: here_me, here_right, here_left          ! among the ranks that share memory with this one
contains
  subroutine make
    type(c_ptr) :: memory
    integer(aint) :: bytes, here
    integer :: unit, those, beside, e
    call MPI_Win_allocate(n * int_bytes, int(int_bytes), MPI_INFO_NULL, MPI_COMM_WORLD, memory, made, e)
    call c_f_pointer(memory, own, [n])
    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, beside, e)
    call MPI_Comm_rank(beside, here_me, e)
    call MPI_Comm_size(beside, those, e)
    here_right = mod(here_me + 1, those)
    here_left = mod(here_me + those - 1, those)
    call MPI_Win_allocate_shared(16 * int_bytes, int(int_bytes), MPI_INFO_NULL, beside, memory, shared, e)
    call MPI_Comm_free(beside, e)
    call c_f_pointer(memory, part, [n])
    call MPI_Win_shared_query(shared, here_right, bytes, unit, memory, e)
    call require(bytes == 16 * int_bytes .and. unit == int_bytes, 'the right part')
    call c_f_pointer(memory, of_right, [n])
    call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, anywhere, e)
    call MPI_Win_attach(anywhere, attached, n * int_bytes, e)
    call MPI_Get_address(attached, here, e)
    allocate (places(0:ranks - 1))
    call MPI_Allgather(here, 1, MPI_AINT, places, 1, MPI_AINT, MPI_COMM_WORLD, e)
    own = 0
    call MPI_Win_lock_all(0, anywhere, e)            ! for the program's life
    call MPI_Win_lock_all(0, shared, e)
    call MPI_Win_lock_all(0, made, e)
    call MPI_Barrier(MPI_COMM_WORLD, e)
  end subroutine

  subroutine unmake
    integer :: e
    call MPI_Win_unlock_all(made, e)
    call MPI_Win_unlock_all(shared, e)
    call MPI_Win_unlock_all(anywhere, e)
    call MPI_Barrier(MPI_COMM_WORLD, e)
    call MPI_Win_detach(anywhere, attached, e)
    call MPI_Win_free(made, e)
    call MPI_Win_free(shared, e)
    call MPI_Win_free(anywhere, e)
    deallocate (places)
  end subroutine

  subroutine sums(k)
    integer, intent(in) :: k
    integer :: v(n), seen(n), req, e
    v = [(e, e = 1, n)]
    call MPI_Accumulate(v, n, MPI_INTEGER, right, zero, n, MPI_INTEGER, MPI_SUM, made, e)
    call MPI_Win_flush(right, made, e)
    call step(k)
    call MPI_Barrier(MPI_COMM_WORLD, e)
    seen = -1
    call MPI_Rget(seen, n, MPI_INTEGER, me, zero, n, MPI_INTEGER, made, req, e)
    call MPI_Wait(req, MPI_STATUS_IGNORE, e)
    call same(seen, v * (k + 1), 'sums')
    call MPI_Get_accumulate(v, n, MPI_INTEGER, seen, n, MPI_INTEGER, me, zero, n, MPI_INTEGER, MPI_NO_OP, made, e)
    call MPI_Win_flush_local(me, made, e)
    call same(seen, v * (k + 1), 'sums that were got')
    call MPI_Barrier(MPI_COMM_WORLD, e)
  end subroutine

  subroutine by_address(k)
    integer, intent(in) :: k
    integer :: to(n), e
    to = row(me, right, k, n) + 1
    call MPI_Put(to, n, MPI_INTEGER, right, places(right), n, MPI_INTEGER, anywhere, e)
    call MPI_Win_flush(right, anywhere, e)
    call MPI_Barrier(MPI_COMM_WORLD, e)
    call MPI_Win_sync(anywhere, e)
    call same(attached, row(left, me, k, n) + 1, 'what was put by address')
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
end module

program windows_module
  use parts
  implicit none
  integer :: rank, total, e, k, mine, checksum, all_wrong
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
  call MPI_Comm_size(MPI_COMM_WORLD, total, e)
  call begin(rank, total)
  call make
  do k = 0, steps - 1
    call sums(k)
    call by_address(k)
    call stores(k)
  end do
  call unmake
  mine = my_checksum()
  call MPI_Reduce(mine, checksum, 1, MPI_INTEGER, MPI_BXOR, 0, MPI_COMM_WORLD, e)
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, e)
  call MPI_Finalize(e)
  call finish(checksum, all_wrong)
end program
