! use mpi_f08: derived types of handles, optional ierror, sections of arrays, asynchronous buffers, statuses with
! components, callbacks with the interfaces of Fortran 2008. Without MPI_Status_f082f and MPI_Status_f2f08: Open MPI
! 4.1.4 declares them, and its libraries have none.
module parts
  use check
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  implicit none
  integer, parameter :: aint = MPI_ADDRESS_KIND, n = 6, many = 3
  type(MPI_Request) :: ring(2 * many)
  integer, asynchronous :: from_left(n, many), to_right(n, many)
  type(MPI_Comm) :: copy
  type(MPI_Datatype) :: matrix
  type(MPI_Op) :: op_sum, op_times
  integer :: key, copies, deletions, handled, last_class
contains
  subroutine add(in, inout, length, type)
    type(c_ptr), value :: in, inout
    integer :: length
    type(MPI_Datatype) :: type
    integer, pointer :: a(:), b(:)
    call require(type == MPI_INTEGER, 'type of add')
    call c_f_pointer(in, a, [length])
    call c_f_pointer(inout, b, [length])
    b = b + a
  end subroutine

  ! 2x2 matrices modulo a prime; does not commute.
  subroutine times(in, inout, length, type)
    type(c_ptr), value :: in, inout
    integer :: length, i
    type(MPI_Datatype) :: type
    integer, pointer :: a(:, :, :), b(:, :, :)
    call require(type == matrix, 'type of times')
    call c_f_pointer(in, a, [2, 2, length])
    call c_f_pointer(inout, b, [2, 2, length])
    do i = 1, length
      b(:, :, i) = mod(matmul(a(:, :, i), b(:, :, i)), 1009)
    end do
  end subroutine

  subroutine count_copy(comm, keyval, extra, in, out, flag, ierror)
    type(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(aint) :: extra, in, out
    logical :: flag
    call require(extra == 4711 .and. keyval == key .and. comm /= MPI_COMM_NULL, 'arguments of the copy function')
    copies = copies + 1
    out = in + 1
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine count_delete(comm, keyval, value, extra, ierror)
    type(MPI_Comm) :: comm
    integer :: keyval, ierror
    integer(aint) :: value, extra
    ! Of comm nothing: Open MPI 4.1.4 reads it from the keyval instead of the communicator, and gets any number.
    call require(extra == 4711 .and. keyval == key .and. value >= 1000, 'arguments of delete')
    deletions = deletions + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine handler(comm, code)
    type(MPI_Comm) :: comm
    integer :: code
    call require(comm /= MPI_COMM_NULL, 'communicator of an error handler')
    call MPI_Error_class(code, last_class)
    handled = handled + 1
  end subroutine

  subroutine make
    integer :: j
    type(MPI_Errhandler) :: h
    do j = 1, many
      call MPI_Recv_init(from_left(:, j), n, MPI_INTEGER, left, j, MPI_COMM_WORLD, ring(j))
      call MPI_Send_init(to_right(:, j), n, MPI_INTEGER, right, j, MPI_COMM_WORLD, ring(many + j))
    end do
    call MPI_Type_contiguous(4, MPI_INTEGER, matrix)
    call MPI_Type_commit(matrix)
    call MPI_Op_create(add, .true., op_sum)
    call MPI_Op_create(times, .false., op_times)
    call MPI_Comm_create_keyval(count_copy, count_delete, key, 4711_aint)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 1000_aint)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy)
    call MPI_Comm_create_errhandler(handler, h)
    call MPI_Comm_set_errhandler(copy, h)
    call MPI_Errhandler_free(h)
  end subroutine

  subroutine unmake
    integer :: j
    do j = 1, 2 * many
      call MPI_Request_free(ring(j))
    end do
    call MPI_Type_free(matrix)
    call MPI_Op_free(op_sum)
    call MPI_Op_free(op_times)
    deletions = 0
    call MPI_Comm_free(copy)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key)
    call require(deletions == 2, 'deletions at the end')
    call MPI_Comm_free_keyval(key)
  end subroutine

  subroutine messages(k)
    integer, intent(in) :: k
    type(MPI_Request) :: req(2)
    type(MPI_Status) :: status, stats(2 * many)
    integer, asynchronous :: out(n, 3), in(n, 3)
    integer :: j, c, e
    out = 0
    in = -1
    out(:, 2) = row(me, right, k, n)
    call MPI_Irecv(in(:, 2), n, MPI_INTEGER, MPI_ANY_SOURCE, 20, copy, req(1))
    call MPI_Isend(out(:, 2), n, MPI_INTEGER, right, 20, copy, req(2))
    call MPI_Wait(req(1), status)
    call MPI_Wait(req(2), MPI_STATUS_IGNORE, e)
    if (.not. MPI_ASYNC_PROTECTS_NONBLOCKING) call MPI_F_sync_reg(in)
    call MPI_Get_count(status, MPI_INTEGER, c)
    call require(c == n .and. status%MPI_SOURCE == left .and. status%MPI_TAG == 20, 'status of a message')
    call require(e == MPI_SUCCESS .and. all(req == [MPI_REQUEST_NULL, MPI_REQUEST_NULL]), 'two completed requests')
    call same(in(:, 2), row(left, me, k, n), 'a section')
    call require(all(in(:, 1) == -1) .and. all(in(:, 3) == -1), 'nothing beside the section')
    do j = 1, many
      to_right(:, j) = row(me, right, k, n) + j
    end do
    from_left = -1
    call MPI_Startall(2 * many, ring)
    if (mod(k, 2) == 0) then
      call MPI_Waitall(2 * many, ring, stats)
    else
      do j = 1, 2 * many
        call MPI_Wait(ring(j), stats(j))
      end do
    end if
    call MPI_F_sync_reg(from_left)
    do j = 1, many
      call require(stats(j)%MPI_SOURCE == left .and. stats(j)%MPI_TAG == j, 'status of a persistent request')
      call same(from_left(:, j), row(left, me, k, n) + j, 'what persistent requests brought')
    end do
    call MPI_Sendrecv(out(:, 2), n, MPI_INTEGER, right, 21, in(:, 3), n, MPI_INTEGER, left, 21, copy, MPI_STATUS_IGNORE)
    call same(in(:, 3), row(left, me, k, n), 'MPI_Sendrecv of sections')
    call parts_of_arrays(k, in(:, 1:2))
  end subroutine

  ! Assumed shape; every other element only where the library knows descriptors of arrays.
  subroutine parts_of_arrays(k, a)
    integer, intent(in) :: k
    integer, intent(inout) :: a(:, :)
    integer :: v(2 * n), w(2 * n)
    a(:, 1) = row(me, 3, k, n)
    call MPI_Bcast(a, n, MPI_INTEGER, mod(k, ranks), MPI_COMM_WORLD)
    call same(a(:, 1), row(mod(k, ranks), 3, k, n), 'MPI_Bcast of assumed shape')
    if (.not. MPI_SUBARRAYS_SUPPORTED) return
    v = row(me, 4, k, 2 * n)
    w = -1
    call MPI_Sendrecv(v(1::2), n, MPI_INTEGER, right, 22, w(2::2), n, MPI_INTEGER, left, 22, copy, MPI_STATUS_IGNORE)
    v = row(left, 4, k, 2 * n)
    call require(all(w(2::2) == v(1::2)) .and. all(w(1::2) == -1), 'every other element')
  end subroutine

  subroutine operations(k)
    integer, intent(in) :: k
    type(MPI_Request) :: req(3)
    integer, asynchronous :: v(n), r(n), w(n), every(n * ranks)
    integer :: m(2, 2, 3), p(2, 2, 3), x(2, 2, 3), i, j
    v = row(me, 4, k, n)
    call MPI_Iallreduce(v, r, n, MPI_INTEGER, op_sum, MPI_COMM_WORLD, req(1))
    call MPI_Iallgather(v, n, MPI_INTEGER, every, n, MPI_INTEGER, copy, req(2))
    call MPI_Ibarrier(copy, req(3))
    call MPI_Waitall(3, req, MPI_STATUSES_IGNORE)
    call MPI_F_sync_reg(r)
    call MPI_F_sync_reg(every)
    w = 0
    do j = 0, ranks - 1
      w = w + row(j, 4, k, n)
      call same(every(j * n + 1:j * n + n), row(j, 4, k, n), 'MPI_Iallgather')
    end do
    call same(r, w, 'MPI_Iallreduce of an own operation')
    call MPI_Allreduce(MPI_IN_PLACE, v, n, MPI_INTEGER, op_sum, copy)
    call same(v, w, 'MPI_Allreduce in place')
    m = mod(reshape(row(me, 5, k, 12), [2, 2, 3]), 1009)
    call MPI_Scan(m, p, 3, matrix, op_times, MPI_COMM_WORLD)
    x = mod(reshape(row(0, 5, k, 12), [2, 2, 3]), 1009)
    do j = 1, me
      m = mod(reshape(row(j, 5, k, 12), [2, 2, 3]), 1009)
      do i = 1, 3
        x(:, :, i) = mod(matmul(x(:, :, i), m(:, :, i)), 1009)
      end do
    end do
    call same(reshape(p, [12]), reshape(x, [12]), 'a product of matrices')
  end subroutine

  subroutine handles
    type(MPI_Comm) :: a, b
    type(MPI_Group) :: g
    integer :: result, e
    integer(aint) :: value
    logical :: flag
    copies = 0
    deletions = 0
    handled = 0
    call MPI_Comm_dup(MPI_COMM_WORLD, a)
    call MPI_Comm_get_attr(a, key, value, flag)
    call require(flag .and. value == 1001 .and. copies == 1, 'a copied attribute')
    call MPI_Comm_get_attr(copy, key, value, flag)
    call require(flag .and. value == 1001, 'the attribute of the kept copy')
    b = a
    call require(a == b .and. a /= copy .and. b%MPI_VAL == a%MPI_VAL, 'comparison of handles')
    call MPI_Comm_compare(a, copy, result)
    call require(result == MPI_CONGRUENT, 'congruent')
    call MPI_Comm_group(a, g)
    call MPI_Group_rank(g, result)
    call require(result == me, 'rank in the group')
    call MPI_Group_free(g)
    call require(g == MPI_GROUP_NULL, 'a freed group')
    call MPI_Comm_free(a)
    call require(deletions == 1 .and. a == MPI_COMM_NULL, 'a freed communicator')
    call MPI_Send(result, 1, MPI_INTEGER, ranks + 3, 0, copy, e)
    ! What the call returns after a handler of the program's differs between versions of MPICH.
    call require(handled == 1 .and. last_class == MPI_ERR_RANK, 'a handled error')
    call MPI_Comm_call_errhandler(copy, MPI_ERR_OTHER)
    call require(handled == 2 .and. last_class == MPI_ERR_OTHER, 'a called handler')
    call got([copies, deletions, handled])
  end subroutine
end module

program f08
  use parts
  implicit none
  integer :: rank, total, k, checksum, all_wrong, mine
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, total)
  call begin(rank, total)
  call make
  do k = 0, steps - 1
    call messages(k)
    call operations(k)
    call handles
    call step(k)
  end do
  call unmake
  mine = my_checksum()
  call MPI_Reduce(mine, checksum, 1, MPI_INTEGER, MPI_BXOR, 0, MPI_COMM_WORLD)
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Finalize()
  call finish(checksum, all_wrong)
end program
