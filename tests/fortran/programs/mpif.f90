! include 'mpif.h': implicit interfaces, integer handles, statuses as arrays, old-style attributes.
module parts
  use check
  implicit none
  include 'mpif.h'
  integer, parameter :: many = 4, n = 6
  integer :: ring(2 * many), from_left(n, many), to_right(n, many)   ! persistent requests, and their buffers
  integer :: spread_out, spread_in, part_a(3), part_b(2), seen_a(3), seen_b(2)   ! types of absolute addresses
  integer :: matrix, op_sum, op_first, op_times, op_dsum, calls
  integer :: key, copies, deletions
  integer :: owner   ! the communicator whose attribute is deleted next
  logical :: is_mpich
contains
  ! Integers: the sum; matrices: of the elements.
  subroutine add(in, inout, length, type)
    integer :: length, type, in(length), inout(length)
    call require(type == MPI_INTEGER, 'type of add')
    inout = inout + in
    calls = calls + 1
  end subroutine

  ! Not commutative: what comes from the lower ranks stays.
  subroutine first(in, inout, length, type)
    integer :: length, type, in(length), inout(length)
    call require(type == MPI_INTEGER, 'type of first')
    inout = in
  end subroutine

  subroutine dsum(in, inout, length, type)
    integer :: length, type
    double precision :: in(length), inout(length)
    call require(type == MPI_DOUBLE_PRECISION, 'type of dsum')
    inout = inout + in
  end subroutine

  ! 2x2 matrices modulo a prime.
  subroutine times(in, inout, length, type)
    integer :: length, type, in(2, 2, length), inout(2, 2, length), i
    call require(type == matrix, 'type of times')
    do i = 1, length
      inout(:, :, i) = mod(matmul(in(:, :, i), inout(:, :, i)), 1009)
    end do
  end subroutine

  subroutine count_copy(comm, keyval, extra, in, out, flag, ierror)
    integer :: comm, keyval, extra, in, out, ierror
    logical :: flag
    call require(extra == 4711 .and. keyval == key .and. comm == MPI_COMM_WORLD, 'arguments of the copy function')
    copies = copies + 1
    out = in + 1
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine

  subroutine count_delete(comm, keyval, value, extra, ierror)
    integer :: comm, keyval, value, extra, ierror
    call require(extra == 4711 .and. keyval == key .and. value >= 1000, 'arguments of delete')
    ! Open MPI 4.1.4 reads comm from the keyval instead of the communicator, and gets any number.
    if (is_mpich) call require(comm == owner, 'the communicator of delete')
    deletions = deletions + 1
    ierror = MPI_SUCCESS
  end subroutine

  subroutine make
    integer :: j, e
    integer(kind=MPI_ADDRESS_KIND) :: at(2)
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
    call MPI_Get_library_version(version, j, e)
    is_mpich = index(version(:j), 'MPICH') > 0
    do j = 1, many
      call MPI_Recv_init(from_left(1, j), n, MPI_INTEGER, left, j, MPI_COMM_WORLD, ring(j), e)
      call MPI_Send_init(to_right(1, j), n, MPI_INTEGER, right, j, MPI_COMM_WORLD, ring(many + j), e)
    end do
    call MPI_Get_address(part_a, at(1), e)
    call MPI_Get_address(part_b, at(2), e)
    call MPI_Type_create_hindexed(2, [3, 2], at, MPI_INTEGER, spread_out, e)
    call MPI_Type_commit(spread_out, e)
    call MPI_Get_address(seen_a, at(1), e)
    call MPI_Get_address(seen_b, at(2), e)
    call MPI_Type_create_hindexed(2, [3, 2], at, MPI_INTEGER, spread_in, e)
    call MPI_Type_commit(spread_in, e)
    call MPI_Type_contiguous(4, MPI_INTEGER, matrix, e)
    call MPI_Type_commit(matrix, e)
    call MPI_Op_create(add, .true., op_sum, e)
    call MPI_Op_create(dsum, .true., op_dsum, e)
    call MPI_Op_create(first, .false., op_first, e)
    call MPI_Op_create(times, .false., op_times, e)
    call MPI_Keyval_create(count_copy, count_delete, key, 4711, e)
    call MPI_Attr_put(MPI_COMM_WORLD, key, 1000, e)
  end subroutine

  subroutine unmake
    integer :: j, e
    do j = 1, 2 * many
      call MPI_Request_free(ring(j), e)
      call require(ring(j) == MPI_REQUEST_NULL, 'a freed request')
    end do
    call MPI_Type_free(spread_out, e)
    call MPI_Type_free(spread_in, e)
    call MPI_Type_free(matrix, e)
    call MPI_Op_free(op_sum, e)
    call MPI_Op_free(op_dsum, e)
    call MPI_Op_free(op_first, e)
    call MPI_Op_free(op_times, e)
    deletions = 0
    owner = MPI_COMM_WORLD
    call MPI_Attr_delete(MPI_COMM_WORLD, key, e)
    call require(deletions == 1, 'one deletion')
    call MPI_Keyval_free(key, e)
  end subroutine

  subroutine any_source(k)
    integer, intent(in) :: k
    integer :: out(n, 0:ranks - 1), in(n, 0:ranks - 1), v(n), req(ranks), stat(MPI_STATUS_SIZE), j, c, e, freed
    logical :: seen(0:ranks - 1)
    do j = 0, ranks - 1
      out(:, j) = row(me, j, k, n)
      call MPI_Isend(out(1, j), n, MPI_INTEGER, j, 100 + mod(k, 2), MPI_COMM_WORLD, req(j + 1), e)
    end do
    seen = .false.
    do j = 0, ranks - 1
      if (mod(j, 2) == 0) then
        call MPI_Recv(v, n, MPI_INTEGER, MPI_ANY_SOURCE, 100 + mod(k, 2), MPI_COMM_WORLD, stat, e)
      else
        call MPI_Probe(MPI_ANY_SOURCE, 100 + mod(k, 2), MPI_COMM_WORLD, stat, e)
        call MPI_Recv(v, n, MPI_INTEGER, stat(MPI_SOURCE), stat(MPI_TAG), MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
      end if
      call MPI_Get_count(stat, MPI_INTEGER, c, e)
      call require(c == n .and. stat(MPI_TAG) == 100 + mod(k, 2), 'count and tag of a status')
      in(:, stat(MPI_SOURCE)) = v
      seen(stat(MPI_SOURCE)) = .true.
    end do
    call MPI_Waitall(ranks, req, MPI_STATUSES_IGNORE, e)
    call require(all(seen) .and. all(req == MPI_REQUEST_NULL), 'one message of each rank')
    do j = 0, ranks - 1
      call same(in(:, j), row(j, me, k, n), 'what came from any source')
    end do
    to_right(:, 1) = row(me, right, k + 7, n)   ! lives until the next collective operation says that it was received
    call MPI_Isend(to_right, n, MPI_INTEGER, right, 50, MPI_COMM_WORLD, freed, e)
    call MPI_Request_free(freed, e)
    call MPI_Recv(v, n, MPI_INTEGER, left, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE, e)
    call same(v, row(left, me, k + 7, n), 'what a freed request sent')
    call MPI_Barrier(MPI_COMM_WORLD, e)
  end subroutine

  ! Whether entry `index` of the ring completed with this status.
  subroutine status_of(index, stat)
    integer, intent(in) :: index, stat(MPI_STATUS_SIZE)
    integer :: c, e
    if (index > many) return
    call MPI_Get_count(stat, MPI_INTEGER, c, e)
    call require(c == n .and. stat(MPI_SOURCE) == left .and. stat(MPI_TAG) == index, 'status of a persistent request')
  end subroutine

  subroutine persistent(k)
    integer, intent(in) :: k
    integer :: j, done, c, e, at, which(2 * many), stat(MPI_STATUS_SIZE), stats(MPI_STATUS_SIZE, 2 * many)
    logical :: flag
    do j = 1, many
      to_right(:, j) = row(me, right, k, n) + j
    end do
    from_left = -1
    if (mod(k, 2) == 0) then
      call MPI_Startall(2 * many, ring, e)
    else
      do j = 1, 2 * many
        call MPI_Start(ring(j), e)
      end do
    end if
    done = 0
    select case (mod(k, 8))
    case (0)
      call MPI_Waitall(2 * many, ring, MPI_STATUSES_IGNORE, e)
    case (1)
      do j = 1, 2 * many
        call MPI_Wait(ring(j), stat, e)
        call status_of(j, stat)
      end do
    case (2)
      do j = 1, 2 * many
        flag = .false.
        do while (.not. flag)
          call MPI_Test(ring(j), flag, stat, e)
        end do
        call status_of(j, stat)
      end do
    case (3)
      do j = 1, 2 * many   ! no more: with none active MPICH 4.0.2 says MPI_UNDEFINED + 1
        call MPI_Waitany(2 * many, ring, at, stat, e)
        call status_of(at, stat)
        done = ibset(done, at)
      end do
      call require(done == 2 ** (2 * many + 1) - 2, 'MPI_Waitany names each once')
    case (4, 7)
      do while (done < 2 * many)
        if (mod(k, 8) == 4) then
          call MPI_Waitsome(2 * many, ring, c, which, stats, e)
        else
          call MPI_Testsome(2 * many, ring, c, which, stats, e)
        end if
        call require(c /= MPI_UNDEFINED, 'some are active')
        do j = 1, c
          call status_of(which(j), stats(:, j))
        end do
        done = done + c
      end do
    case (5)
      flag = .false.
      do while (.not. flag)
        call MPI_Testall(2 * many, ring, flag, stats, e)
      end do
      do j = 1, many
        call status_of(j, stats(:, j))
      end do
    case (6)
      do while (done < 2 * many)
        call MPI_Testany(2 * many, ring, at, flag, stat, e)
        if (.not. flag) cycle
        call status_of(at, stat)
        done = done + 1
      end do
    end select
    call require(all(ring /= MPI_REQUEST_NULL), 'persistent requests stay')
    do j = 1, many
      call same(from_left(:, j), row(left, me, k, n) + j, 'what persistent requests brought')
    end do
  end subroutine

  subroutine places(k)
    integer, intent(in) :: k
    integer :: v(n), w(n), j, e, root, every(n, 0:ranks - 1)
    v = row(me, 1, k, n)
    call MPI_Allreduce(MPI_IN_PLACE, v, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, e)
    w = 0
    do j = 0, ranks - 1
      w = w + row(j, 1, k, n)
    end do
    call same(v, w, 'MPI_Allreduce in place')
    root = mod(k, ranks)
    if (me == root) then
      every(:, me) = row(me, root, k, n)
      call MPI_Gather(MPI_IN_PLACE, 0, MPI_INTEGER, every, n, MPI_INTEGER, root, MPI_COMM_WORLD, e)
      do j = 0, ranks - 1
        call same(every(:, j), row(j, root, k, n), 'MPI_Gather in place')
      end do
    else
      v = row(me, root, k, n)
      call MPI_Gather(v, n, MPI_INTEGER, every, n, MPI_INTEGER, root, MPI_COMM_WORLD, e)
    end if
    part_a = row(me, 2, k, 3)
    part_b = row(me, 3, k, 2)
    call MPI_Sendrecv(MPI_BOTTOM, 1, spread_out, right, 60, MPI_BOTTOM, 1, spread_in, left, 60, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, e)
    call same(seen_a, row(left, 2, k, 3), 'the first part at MPI_BOTTOM')
    call same(seen_b, row(left, 3, k, 2), 'the second part at MPI_BOTTOM')
    call MPI_Bcast(MPI_BOTTOM, 1, spread_out, root, MPI_COMM_WORLD, e)
    call same(part_a, row(root, 2, k, 3), 'MPI_Bcast at MPI_BOTTOM')
  end subroutine

  subroutine operations(k)
    integer, intent(in) :: k
    integer :: v(n), r(n), w(n), m(2, 2, 3), p(2, 2, 3), x(2, 2, 3), j, e, req
    double precision :: d(n), s(n)
    v = row(me, 4, k, n)
    calls = 0
    call MPI_Allreduce(v, r, n, MPI_INTEGER, op_sum, MPI_COMM_WORLD, e)
    w = 0
    do j = 0, ranks - 1
      w = w + row(j, 4, k, n)
    end do
    call same(r, w, 'a commutative operation')
    call MPI_Iallreduce(v, r, n, MPI_INTEGER, op_first, MPI_COMM_WORLD, req, e)
    call MPI_Wait(req, MPI_STATUS_IGNORE, e)
    call same(r, row(0, 4, k, n), 'an operation that does not commute')
    d = v
    call MPI_Allreduce(d, s, n, MPI_DOUBLE_PRECISION, op_dsum, MPI_COMM_WORLD, e)
    call same(int(s), w, 'an operation on MPI_DOUBLE_PRECISION')
    m = mod(reshape(row(me, 5, k, 12), [2, 2, 3]), 1009)
    call MPI_Scan(m, p, 3, matrix, op_times, MPI_COMM_WORLD, e)
    x = mod(reshape(row(0, 5, k, 12), [2, 2, 3]), 1009)
    do j = 1, me
      m = mod(reshape(row(j, 5, k, 12), [2, 2, 3]), 1009)
      x(:, :, 1) = mod(matmul(x(:, :, 1), m(:, :, 1)), 1009)
      x(:, :, 2) = mod(matmul(x(:, :, 2), m(:, :, 2)), 1009)
      x(:, :, 3) = mod(matmul(x(:, :, 3), m(:, :, 3)), 1009)
    end do
    call same(reshape(p, [12]), reshape(x, [12]), 'a product of matrices')
    calls = 0
    call MPI_Reduce_local(v, r, n, MPI_INTEGER, op_sum, e)
    call require(calls > 0, 'a local call of the operation')
    call same(r, row(0, 4, k, n) + v, 'MPI_Reduce_local')
  end subroutine

  subroutine attributes
    integer :: comm, value, e
    logical :: flag
    call MPI_Attr_get(MPI_COMM_WORLD, key, value, flag, e)
    call require(flag, 'an attribute of the world')
    call same([value], [1000], 'value of an attribute')
    copies = 0
    deletions = 0
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, e)
    call MPI_Attr_get(comm, key, value, flag, e)
    call require(flag .and. copies == 1, 'a copied attribute')
    call same([value], [1001], 'value of a copied attribute')
    owner = comm
    call MPI_Attr_put(comm, key, 2000, e)
    call require(deletions == 1, 'deletion of a replaced value')
    call MPI_Comm_free(comm, e)
    call require(deletions == 2 .and. comm == MPI_COMM_NULL, 'deletion with the communicator')
  end subroutine

  ! All functions that make groups.
  subroutine groups
    integer :: all, evens, rest, odds, both, common, without, every_other(3, 1), j, how, e
    every_other(:, 1) = [0, ranks - 1, 2]
    call MPI_Comm_group(MPI_COMM_WORLD, all, e)
    call MPI_Group_range_incl(all, 1, every_other, evens, e)
    call MPI_Group_range_excl(all, 1, every_other, rest, e)
    call MPI_Group_excl(all, (ranks + 1) / 2, [(j, j = 0, ranks - 1, 2)], odds, e)
    call MPI_Group_compare(rest, odds, how, e)
    call require(how == MPI_IDENT, 'what MPI_Group_excl leaves')
    call MPI_Group_union(odds, evens, both, e)
    call MPI_Group_compare(both, all, how, e)
    call require(how == merge(MPI_IDENT, MPI_SIMILAR, ranks == 1), 'a union')
    call MPI_Group_intersection(both, evens, common, e)
    call MPI_Group_difference(all, odds, without, e)
    call MPI_Group_compare(common, evens, how, e)
    call require(how == MPI_IDENT, 'an intersection')
    call MPI_Group_compare(without, evens, how, e)
    call require(how == MPI_IDENT, 'a difference')
    call MPI_Group_free(common, e)
    call MPI_Group_incl(both, 1, [ranks - 1], common, e)
    call MPI_Group_size(common, how, e)
    call require(how == 1, 'a group of one')
    call MPI_Group_free(all, e)
    call MPI_Group_free(evens, e)
    if (ranks > 1) call MPI_Group_free(rest, e)    ! of one rank it is MPI_GROUP_EMPTY
    if (ranks > 1) call MPI_Group_free(odds, e)
    call MPI_Group_free(both, e)
    call MPI_Group_free(common, e)
    call MPI_Group_free(without, e)
  end subroutine

  subroutine each_its_type(k)
    integer, intent(in) :: k
    integer :: out(4, 0:ranks - 1), in(4, 0:ranks - 1), j, e, req
    integer :: counts_out(ranks), counts_in(ranks), at(ranks), types_out(ranks), types_in(ranks)
    do j = 0, ranks - 1
      out(:, j) = row(me, j, k, 4)
      counts_out(j + 1) = merge(1, 4, mod(me, 2) == 0)
      types_out(j + 1) = merge(matrix, MPI_INTEGER, mod(me, 2) == 0)
      counts_in(j + 1) = merge(1, 4, mod(me, 2) == 1)
      types_in(j + 1) = merge(matrix, MPI_INTEGER, mod(me, 2) == 1)
      at(j + 1) = 16 * j
    end do
    in = -1
    call MPI_Alltoallw(out, counts_out, at, types_out, in, counts_in, at, types_in, MPI_COMM_WORLD, e)
    do j = 0, ranks - 1
      call same(in(:, j), row(j, me, k, 4), 'MPI_Alltoallw')
    end do
    if (.not. is_mpich) return   ! Open MPI 4.1.4 reads the C types after it has freed them
    in = -1
    call MPI_Ialltoallw(out, counts_out, at, types_out, in, counts_in, at, types_in, MPI_COMM_WORLD, req, e)
    call MPI_Wait(req, MPI_STATUS_IGNORE, e)
    do j = 0, ranks - 1
      call require(all(in(:, j) == row(j, me, k, 4)), 'MPI_Ialltoallw')
    end do
  end subroutine
end module

program mpif
  use parts
  implicit none
  integer :: rank, total, e, k, checksum, all_wrong
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
  call MPI_Comm_size(MPI_COMM_WORLD, total, e)
  call begin(rank, total)
  call make
  do k = 0, steps - 1
    call any_source(k)
    call persistent(k)
    call places(k)
    call operations(k)
    call attributes
    call groups
    call each_its_type(k)
    call step(k)
  end do
  call unmake
  call MPI_Reduce(my_checksum(), checksum, 1, MPI_INTEGER, MPI_BXOR, 0, MPI_COMM_WORLD, e)
  call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, e)
  call MPI_Finalize(e)
  call finish(checksum, all_wrong)
end program
