! Coarrays: puts, gets, atomics, locks, events, critical sections and collectives; argument: number of steps.
program coarray_program
  use iso_fortran_env, only: int64, lock_type, event_type, atomic_int_kind
  implicit none
  integer, parameter :: cells = 50
  integer(int64) :: row(cells)[*], total[*], sum, digest
  integer(atomic_int_kind) :: counter[*]
  type(lock_type) :: gate[*]
  type(event_type) :: given[*], taken[*]
  integer(int64), allocatable :: passing(:)[:]
  integer :: me, all, right, left, k, steps, old, j
  character(len=12) :: word

  call get_command_argument(1, word)
  read (word, *) steps
  me = this_image()
  all = num_images()
  right = merge(1, me + 1, me == all)
  left = merge(all, me - 1, me == 1)
  row = me
  total = 0
  digest = 17
  call atomic_define(counter, 0)
  sync all
  do k = 1, steps
    row(:)[right] = [(int(j * me + k, int64), j = 1, cells)]
    sync all
    do j = 1, cells
      if (row(j) /= j * left + k) error stop 'a put is lost'
    end do
    digest = mod(digest * 31 + row(mod(k, cells) + 1)[left], 1000000007_int64)

    event post (given[right])
    event wait (given)
    event post (taken[left])
    event wait (taken)

    lock (gate[1])
    total[1] = total[1] + me * k
    unlock (gate[1])
    critical
      total[all] = total[all] + 1
    end critical
    call atomic_add(counter[1], 1)

    allocate (passing(me * 0 + 10)[*])
    passing(1)[right] = digest
    sync all
    digest = mod(digest + passing(1), 1000000007_int64)
    deallocate (passing)
    sum = digest
    call co_sum(sum)
    digest = mod(digest + sum, 1000000007_int64)
    if (me == 1) then
      write (*, '(a,i0,a,i0,a,i0)') 'step ', k, ' of ', steps, ': ', digest
      flush (6)
    end if
  end do
  sync all
  if (me == 1) then
    call atomic_ref(old, counter)
    if (old /= all * steps) error stop 'the counter is wrong'
    write (*, '(a,i0,a,i0)') 'checksum ', digest, ' ', total + total[all]
  end if
end program
