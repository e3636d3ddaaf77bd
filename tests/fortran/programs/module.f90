! use mpi: attributes, error handlers and generalized requests with Fortran callbacks, Fortran's own datatypes, names,
! info objects, packing, topologies; objects that live across the steps, and such that are made in each.
! Without values of info objects that are cut: an error over MPICH 4.0.2.
module parts
  use check
  use mpi
  implicit none
  integer, parameter :: aint = MPI_ADDRESS_KIND, double = kind(0d0), single = kind(0.0), n = 6
  integer :: halves, copy, cart, graph, info, kept_type   ! live across the steps
  integer :: key, dup_key, none_key, type_key
  integer :: copies, deletions, type_copies, type_deletions, handled, last_class, queries, frees, cancels
contains
  subroutine count_copy(comm, keyval, extra, in, out, flag, ierror)
    integer :: comm, keyval, ierror
    integer(aint) :: extra, in, out
    logical :: flag
    call require(extra == 4711 .and. keyval == key .and. comm /= MPI_COMM_NULL, 'arguments of the copy function')
    copies = copies + 1
    out = in + 1
    flag = in < 1002_aint   ! the third generation has no heir
    ierror = MPI_SUCCESS
  end subroutine

  subroutine count_delete(comm, keyval, value, extra, ierror)
    integer :: comm, keyval, ierror
    integer(aint) :: value, extra
    ! Of comm nothing: Open MPI 4.1.4 reads it from the keyval instead of the communicator, and gets any number.
    call require(extra == 4711 .and. keyval == key .and. value >= 1000, 'arguments of delete')
    deletions = deletions + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine copy_of_type(type, keyval, extra, in, out, flag, ierror)
    integer :: type, keyval, ierror
    integer(aint) :: extra, in, out
    logical :: flag
    call require(extra == 4712 .and. keyval == type_key .and. type /= MPI_DATATYPE_NULL, &
                 'arguments of a copy of a type')
    type_copies = type_copies + 1
    out = in * 2
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  ! The type may be MPI_DATATYPE_NULL over Open MPI.
  subroutine delete_of_type(type, keyval, value, extra, ierror)
    integer :: type, keyval, ierror
    integer(aint) :: value, extra
    call require(extra == 4712 .and. keyval == type_key .and. value > 0, 'delete of a type')
    type_deletions = type_deletions + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine handler(comm, code)
    integer :: comm, code, e
    call require(comm /= MPI_COMM_NULL, 'communicator of an error handler')
    call MPI_Error_class(code, last_class, e)
    handled = handled + 1
  end subroutine

  subroutine query(extra, status, ierror)
    integer :: status(MPI_STATUS_SIZE), ierror
    integer(aint) :: extra
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra), ierror)
    call MPI_Status_set_cancelled(status, .false., ierror)
    status(MPI_SOURCE) = 3
    status(MPI_TAG) = 4
    queries = queries + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine release(extra, ierror)
    integer :: ierror
    integer(aint) :: extra
    call require(extra == 5_aint, 'extra state of a request')
    frees = frees + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine cancel(extra, complete, ierror)
    integer :: ierror
    integer(aint) :: extra
    logical :: complete
    call require(extra == 5_aint .and. .not. complete, 'arguments of cancel')
    cancels = cancels + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine make
    integer :: h, e
    call MPI_Comm_create_keyval(count_copy, count_delete, key, 4711_aint, e)
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, dup_key, 0_aint, e)
    call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, none_key, 0_aint, e)
    call MPI_Type_create_keyval(copy_of_type, delete_of_type, type_key, 4712_aint, e)
    call MPI_Comm_split(MPI_COMM_WORLD, mod(me, 2), -me, halves, e)
    call MPI_Comm_set_attr(halves, key, 1000_aint, e)
    call MPI_Comm_set_attr(halves, dup_key, -12345678901_aint, e)
    call MPI_Comm_set_attr(halves, none_key, 3_aint, e)
    call MPI_Comm_dup(halves, copy, e)
    call MPI_Comm_create_errhandler(handler, h, e)
    call MPI_Comm_set_errhandler(copy, h, e)
    call MPI_Errhandler_free(h, e)
    call MPI_Comm_set_name(copy, 'a copy', e)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, [ranks, 1], [.true., .false.], .false., cart, e)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [left], MPI_UNWEIGHTED, 1, [right], MPI_UNWEIGHTED, &
                                        MPI_INFO_NULL, .false., graph, e)
    call MPI_Info_create(info, e)
    call MPI_Info_set(info, 'a_key', 'a value', e)
    call MPI_Type_vector(3, 1, 2, MPI_INTEGER, kept_type, e)
    call MPI_Type_commit(kept_type, e)
    call MPI_Type_set_attr(kept_type, type_key, 50_aint, e)
    call MPI_Type_set_name(kept_type, 'every other', e)
  end subroutine

  subroutine unmake
    integer :: e
    deletions = 0
    type_deletions = 0
    call MPI_Comm_free(copy, e)
    call MPI_Comm_free(halves, e)
    call MPI_Comm_free(cart, e)
    call MPI_Comm_free(graph, e)
    call MPI_Type_free(kept_type, e)
    call require(deletions == 2 .and. type_deletions == 1, 'deletions at the end')
    call MPI_Info_free(info, e)
    call MPI_Comm_free_keyval(key, e)
    call MPI_Comm_free_keyval(dup_key, e)
    call MPI_Comm_free_keyval(none_key, e)
    call MPI_Type_free_keyval(type_key, e)
    call require(key == MPI_KEYVAL_INVALID, 'a freed keyval')
  end subroutine

  subroutine attribute(comm, keyval, expected, what)   ! huge: none
    integer, intent(in) :: comm, keyval
    integer(aint), intent(in) :: expected
    character(len=*), intent(in) :: what
    integer(aint) :: value
    integer :: e
    logical :: flag
    call MPI_Comm_get_attr(comm, keyval, value, flag, e)
    call require(flag .eqv. expected /= huge(expected), what // ' is there')
    if (flag) call require(value == expected, what)
    if (flag) call got([int(mod(value, 1000003_aint))])
  end subroutine

  subroutine attributes
    integer :: a, b, t, e
    integer(aint) :: value
    logical :: flag
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, e)
    call require(flag .and. value >= 32767, 'MPI_TAG_UB')
    call attribute(copy, key, 1001_aint, 'a copied attribute')
    call attribute(copy, dup_key, -12345678901_aint, 'an attribute of MPI_COMM_DUP_FN')
    call attribute(copy, none_key, huge(0_aint), 'an attribute of MPI_COMM_NULL_COPY_FN')
    call attribute(halves, none_key, 3_aint, 'an attribute')
    copies = 0
    deletions = 0
    call MPI_Comm_dup(copy, a, e)
    call attribute(a, key, 1002_aint, 'the second generation')
    call MPI_Comm_dup(a, b, e)
    call attribute(b, key, huge(0_aint), 'the third generation')
    call MPI_Comm_set_attr(a, key, 2000_aint, e)
    call MPI_Comm_delete_attr(a, key, e)
    call require(copies == 2 .and. deletions == 2, 'copies and deletions')
    call MPI_Comm_free(a, e)
    call MPI_Comm_free(b, e)
    call require(deletions == 2, 'nothing left to delete')
    type_copies = 0
    type_deletions = 0
    call MPI_Type_dup(kept_type, t, e)
    call MPI_Type_get_attr(t, type_key, value, flag, e)
    call require(flag .and. value == 100 .and. type_copies == 1, 'a copied attribute of a type')
    call MPI_Type_free(t, e)
    call require(type_deletions == 1, 'deletion with the type')
  end subroutine

  subroutine errors
    integer :: h, comm, e, code, length, x(1)
    character(len=MPI_MAX_ERROR_STRING) :: text
    x = 0
    handled = 0
    call MPI_Send(x, 1, MPI_INTEGER, ranks + 3, 0, copy, e)
    ! What the call returns after a handler of the program's differs between versions of MPICH.
    call require(handled == 1 .and. last_class == MPI_ERR_RANK, 'a handled error')
    call MPI_Comm_call_errhandler(copy, MPI_ERR_OTHER, e)
    call require(handled == 2 .and. last_class == MPI_ERR_OTHER, 'a called handler')
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, e)
    call MPI_Comm_create_errhandler(handler, h, e)
    call MPI_Comm_set_errhandler(comm, h, e)
    call MPI_Errhandler_free(h, e)
    call require(h == MPI_ERRHANDLER_NULL, 'a freed handler')
    call MPI_Comm_call_errhandler(comm, MPI_ERR_TAG, e)
    call require(handled == 3 .and. last_class == MPI_ERR_TAG, 'the handler of a new communicator')
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, e)
    call MPI_Send(x, 1, MPI_INTEGER, ranks, 0, comm, e)
    call require(e /= MPI_SUCCESS .and. handled == 3, 'a returned error')
    code = e
    call MPI_Error_string(code, text, length, e)
    call require(length > 0 .and. length == len_trim(text), 'text of an error')
    call MPI_Comm_free(comm, e)
    call got([handled])
  end subroutine

  subroutine words(k)
    integer, intent(in) :: k
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=MPI_MAX_PROCESSOR_NAME) :: host
    character(len=20) :: value, want
    integer :: other, length, e
    logical :: flag
    call MPI_Comm_get_name(copy, name, length, e)
    call require(name == 'a copy' .and. length == 6, 'name of a communicator')
    call MPI_Type_get_name(kept_type, name, length, e)
    call require(name == 'every other' .and. length == 11, 'name of a type')
    call MPI_Type_get_name(MPI_DOUBLE_PRECISION, name, length, e)
    call require(name == 'MPI_DOUBLE_PRECISION', 'name of a predefined type')
    call MPI_Get_processor_name(host, length, e)
    call require(length == len_trim(host), 'length of the name of the processor')
    call MPI_Info_get(info, 'a_key', 20, value, flag, e)
    call require(flag .and. value == 'a value', 'a kept info')
    write (want, '(a,i0)') 'step ', k
    call MPI_Info_dup(info, other, e)
    call MPI_Info_set(other, ' spaced ', want, e)
    call MPI_Info_get(other, 'spaced', 20, value, flag, e)
    call require(flag .and. value == want, 'an info whose key had blanks around it')
    call MPI_Info_get(info, 'spaced', 20, value, flag, e)
    call require(.not. flag, 'no such key')
    call MPI_Info_free(other, e)
  end subroutine

  subroutine fortran_types(k)
    integer, intent(in) :: k
    integer, parameter :: long = selected_int_kind(15)
    integer :: real15, int15, complex6, found, bytes, e
    real(double) :: r(2), s(2)
    integer(long) :: i(2), j(2)
    complex(single) :: c(2), d(2)
    call MPI_Type_create_f90_real(15, MPI_UNDEFINED, real15, e)
    call MPI_Type_create_f90_integer(15, int15, e)
    call MPI_Type_create_f90_complex(6, MPI_UNDEFINED, complex6, e)
    r = row(me, 1, k, 2) + 0.5d0
    i = row(me, 2, k, 2) * 10000000000_long
    c = cmplx(row(me, 3, k, 2), me)
    call MPI_Sendrecv(r, 2, real15, right, 1, s, 2, real15, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
    call MPI_Sendrecv(i, 2, int15, right, 1, j, 2, int15, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
    call MPI_Sendrecv(c, 2, complex6, right, 1, d, 2, complex6, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
    call same(int(s - 0.5d0), row(left, 1, k, 2), 'what a real type brought')
    call same(int(j / 10000000000_long), row(left, 2, k, 2), 'what an integer type brought')
    call same(nint(real(d)), row(left, 3, k, 2), 'what a complex type brought')
    call MPI_Sizeof(r, bytes, e)
    call require(bytes == 8, 'MPI_Sizeof')
    call MPI_Type_match_size(MPI_TYPECLASS_REAL, bytes, found, e)
    call MPI_Type_size(found, bytes, e)
    call MPI_Allreduce(r, s, 2, found, MPI_MAX, MPI_COMM_WORLD, e)
    call require(all(s >= r) .and. bytes == 8, 'a matching type')
    call got(int(s))
  end subroutine

  subroutine generalized
    integer :: req, status(MPI_STATUS_SIZE), c, e
    logical :: flag
    queries = 0
    frees = 0
    cancels = 0
    call MPI_Grequest_start(query, release, cancel, 5_aint, req, e)
    call MPI_Test(req, flag, status, e)
    call require(.not. flag .and. queries == 0, 'a request in progress')
    call MPI_Cancel(req, e)
    call MPI_Grequest_complete(req, e)
    call MPI_Wait(req, status, e)
    call MPI_Get_elements(status, MPI_INTEGER, c, e)
    call require(c == 5 .and. status(MPI_SOURCE) == 3 .and. status(MPI_TAG) == 4, 'status of a generalized request')
    call require(queries == 1 .and. frees == 1 .and. cancels == 1 .and. req == MPI_REQUEST_NULL, 'one call of each')
    call got([c, queries, frees, cancels])
  end subroutine

  subroutine around(k)
    integer, intent(in) :: k
    integer :: v(n), w(n), from, to, position, rank, total, degrees(2), sources(1), targets(1), none(2)
    integer :: dims(2), at(2), e
    logical :: weighted, periods(2)
    character(len=200) :: buffer
    real(double) :: d
    call MPI_Cart_shift(cart, 0, 1, from, to, e)
    v = row(me, to, k, n)
    call MPI_Sendrecv(v, n, MPI_INTEGER, to, 7, w, n, MPI_INTEGER, from, 7, cart, MPI_STATUS_IGNORE, e)
    call same(w, row(from, me, k, n), 'what came around')
    call MPI_Cart_get(cart, 2, dims, periods, at, e)
    call require(all(dims == [ranks, 1]) .and. periods(1) .and. .not. periods(2) .and. at(1) == me, 'the topology')
    call MPI_Dist_graph_neighbors_count(graph, degrees(1), degrees(2), weighted, e)
    call require(all(degrees == 1) .and. .not. weighted, 'degrees of the graph')
    call MPI_Dist_graph_neighbors(graph, 1, sources, none(1:1), 1, targets, none(2:2), e)
    call require(sources(1) == left .and. targets(1) == right, 'neighbours')
    call MPI_Neighbor_allgather(v, n, MPI_INTEGER, w, n, MPI_INTEGER, graph, e)
    call same(w, row(left, me, k, n), 'what the neighbour had')
    call MPI_Comm_rank(copy, rank, e)
    call MPI_Comm_size(copy, total, e)
    call MPI_Allreduce(me, w(1), 1, MPI_INTEGER, MPI_SUM, copy, e)
    call require(rank == total - 1 - me / 2 .and. w(1) == total * (mod(me, 2) + total - 1), 'the half of the world')
    position = 0
    call MPI_Pack(v, n, MPI_INTEGER, buffer, 200, position, MPI_COMM_WORLD, e)
    call MPI_Pack(0.25d0, 1, MPI_DOUBLE_PRECISION, buffer, 200, position, MPI_COMM_WORLD, e)
    call MPI_Sendrecv_replace(buffer, position, MPI_PACKED, right, 8, left, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
    position = 0
    call MPI_Unpack(buffer, 200, position, w, 1, kept_type, MPI_COMM_WORLD, e)
    call same(w([1, 3, 5]), row(left, mod(left + 1, ranks), k, 3), 'unpacked to every other')
    call MPI_Unpack(buffer, 200, position, w, 3, MPI_INTEGER, MPI_COMM_WORLD, e)
    call MPI_Unpack(buffer, 200, position, d, 1, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, e)
    call require(d == 0.25d0, 'an unpacked number')
  end subroutine
end module

program module
  use parts
  implicit none
  integer :: rank, total, e, k, checksum, all_wrong
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
  call MPI_Comm_size(MPI_COMM_WORLD, total, e)
  call begin(rank, total)
  call make
  do k = 0, steps - 1
    call attributes
    call errors
    call words(k)
    call fortran_types(k)
    call generalized
    call around(k)
    call step(k)
  end do
  call unmake
  call MPI_Reduce(my_checksum(), checksum, 1, MPI_INTEGER, MPI_BXOR, 0, MPI_COMM_WORLD, e)
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, e)
  call MPI_Finalize(e)
  call finish(checksum, all_wrong)
end program
