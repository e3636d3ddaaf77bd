! A program in Fortran with parts in C (mixed_c.c): handles, attributes, operations and statuses that go both ways.
module parts
  use check
  use mpi
  implicit none
  integer, parameter :: aint = MPI_ADDRESS_KIND, n = 6
  integer :: f_comm, f_key, f_type, f_op, f_info, f_handler          ! made here, used in C; live across the steps
  integer :: c_comm, c_key, c_type, c_op, c_info, c_handler, c_group   ! made in C
  integer :: handled
  interface
    subroutine c_make(comm, key, type, op, info, handler, group) bind(c)
      import :: c_int
      integer(c_int) :: comm, key, type, op, info, handler, group
    end subroutine
    subroutine c_unmake(key, type, op, info, group) bind(c)
      import :: c_int
      integer(c_int) :: key, type, op, info, group
    end subroutine
    ! Each returns how many of its checks failed.
    integer(c_int) function c_use(comm, type, op, info, handler, key) bind(c)
      import :: c_int
      integer(c_int), value :: comm, type, op, info, handler, key
    end function
    integer(c_int) function c_receive(comm, request, buffer, count, source, tag) bind(c)
      import :: c_int
      integer(c_int), value :: comm, count, source, tag
      integer(c_int) :: request, buffer(*)
    end function
    integer(c_int) function c_wait(request, status) bind(c)
      import :: c_int
      integer(c_int) :: request, status(*)
    end function
    integer(c_int) function c_status(status, source, tag, count) bind(c)
      import :: c_int
      integer(c_int) :: status(*)
      integer(c_int), value :: source, tag, count
    end function
    integer(c_int) function c_reduce(comm, op, in, out, count) bind(c)
      import :: c_int
      integer(c_int), value :: comm, op, count
      integer(c_int) :: in(*), out(*)
    end function
    integer(c_int) function c_handled() bind(c)
      import :: c_int
    end function
  end interface
contains
  subroutine add(in, inout, length, type)
    integer :: length, type, in(length), inout(length)
    call require(type == MPI_INTEGER, 'type of add')
    inout = inout + in
  end subroutine

  subroutine handler(comm, code)
    integer :: comm, code
    call require(comm /= MPI_COMM_NULL .and. code /= MPI_SUCCESS, 'arguments of the handler')
    handled = handled + 1
  end subroutine

  subroutine make
    integer :: e
    call MPI_Comm_dup(MPI_COMM_WORLD, f_comm, e)
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, f_key, 0_aint, e)
    call MPI_Comm_set_attr(f_comm, f_key, 123456789012_aint, e)
    call MPI_Type_contiguous(3, MPI_INTEGER, f_type, e)
    call MPI_Type_commit(f_type, e)
    call MPI_Op_create(add, .true., f_op, e)
    call MPI_Info_create(f_info, e)
    call MPI_Info_set(f_info, 'from', 'Fortran', e)
    call MPI_Comm_create_errhandler(handler, f_handler, e)
    call c_make(c_comm, c_key, c_type, c_op, c_info, c_handler, c_group)
  end subroutine

  subroutine unmake
    integer :: e
    call MPI_Comm_free(f_comm, e)
    call MPI_Comm_free(c_comm, e)
    call MPI_Comm_free_keyval(f_key, e)
    call MPI_Type_free(f_type, e)
    call MPI_Op_free(f_op, e)
    call MPI_Info_free(f_info, e)
    call MPI_Errhandler_free(f_handler, e)
    call MPI_Errhandler_free(c_handler, e)
    call c_unmake(c_key, c_type, c_op, c_info, c_group)
    call require(c_type == MPI_DATATYPE_NULL .and. c_op == MPI_OP_NULL .and. c_info == MPI_INFO_NULL, 'freed in C')
  end subroutine

  ! What C made, used here.
  subroutine use_theirs(k)
    integer, intent(in) :: k
    integer :: v(n), w(n), sum(n), j, e, bytes, rank, other, f_group
    integer(aint) :: value
    logical :: flag
    character(len=20) :: text
    call MPI_Comm_get_attr(c_comm, c_key, value, flag, e)
    call require(flag .and. value == 4242, 'an attribute that C set')
    call MPI_Type_size(c_type, bytes, e)
    call require(bytes == 8, 'size of a type that C made')
    call MPI_Info_get(c_info, 'from', 20, text, flag, e)
    call require(flag .and. text == 'C', 'an info that C made')
    call MPI_Group_rank(c_group, rank, e)
    call MPI_Comm_group(c_comm, f_group, e)
    call MPI_Group_compare(c_group, f_group, other, e)
    call require(rank == me .and. other == MPI_IDENT, 'a group that C made')
    call MPI_Group_free(f_group, e)
    v = row(me, right, k, n)
    call MPI_Sendrecv(v, 3, c_type, right, 9, w, 3, c_type, left, 9, c_comm, MPI_STATUS_IGNORE, e)
    call same(w, row(left, me, k, n), 'what a type that C made brought')
    v = row(me, 1, k, n)
    call MPI_Allreduce(v, w, n, MPI_INTEGER, c_op, c_comm, e)
    sum = 0
    do j = 0, ranks - 1
      sum = max(sum, row(j, 1, k, n))
    end do
    call same(w, sum, 'an operation in C')
    call MPI_Comm_set_errhandler(f_comm, c_handler, e)
    call MPI_Comm_call_errhandler(f_comm, MPI_ERR_OTHER, e)
    call MPI_Comm_set_errhandler(f_comm, MPI_ERRORS_ARE_FATAL, e)
    call require(c_handled() == k + 1, 'an error handler in C')
  end subroutine

  ! What was made here, used in C.
  subroutine use_in_c(k)
    integer, intent(in) :: k
    integer :: v(n), w(n), sum(n), j, e, req, c, status(MPI_STATUS_SIZE), got_status(MPI_STATUS_SIZE)
    handled = 0
    call require(c_use(f_comm, f_type, f_op, f_info, f_handler, f_key) == 0, 'all of c_use')
    call require(handled == 1, 'one call of the handler')
    v = row(me, 2, k, n)
    call require(c_reduce(f_comm, f_op, v, w, n) == 0, 'a reduction in C')
    sum = 0
    do j = 0, ranks - 1
      sum = sum + row(j, 2, k, n)
    end do
    call same(w, sum, 'an operation in Fortran, used in C')
    call MPI_Sendrecv(v, n, MPI_INTEGER, right, 4, w, n, MPI_INTEGER, left, 4, f_comm, status, e)
    call require(c_status(status, left, 4, n) == 0, 'a status for C')
    w = -1
    call require(c_receive(c_comm, req, w, n, left, 5) == 0, 'a request that C makes')   ! completed here
    call MPI_Send(v, n, MPI_INTEGER, right, 5, c_comm, e)
    call MPI_Wait(req, got_status, e)
    call MPI_Get_count(got_status, MPI_INTEGER, c, e)
    call require(c == n .and. got_status(MPI_SOURCE) == left .and. req == MPI_REQUEST_NULL, 'its status')
    call same(w, row(left, 2, k, n), 'what the request of C received')
    w = -1
    call MPI_Irecv(w, n, MPI_INTEGER, left, 6, f_comm, req, e)   ! completed in C
    call MPI_Send(v, n, MPI_INTEGER, right, 6, f_comm, e)
    call require(c_wait(req, got_status) == 0, 'a request that C completes')
    call MPI_Get_count(got_status, MPI_INTEGER, c, e)
    call require(c == n .and. got_status(MPI_SOURCE) == left .and. got_status(MPI_TAG) == 6, 'the status of C')
    call require(req == MPI_REQUEST_NULL, 'a request that C completed')
    call same(w, row(left, 2, k, n), 'what C waited for')
  end subroutine
end module

program mixed
  use parts
  implicit none
  integer :: rank, total, e, k, checksum, all_wrong
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
  call MPI_Comm_size(MPI_COMM_WORLD, total, e)
  call begin(rank, total)
  call make
  do k = 0, steps - 1
    call use_theirs(k)
    call use_in_c(k)
    call step(k)
  end do
  call unmake
  call MPI_Reduce(my_checksum(), checksum, 1, MPI_INTEGER, MPI_BXOR, 0, MPI_COMM_WORLD, e)
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, e)
  call MPI_Finalize(e)
  call finish(checksum, all_wrong)
end program
