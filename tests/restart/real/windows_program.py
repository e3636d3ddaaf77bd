"""One-sided communication by mpi4py: every way to synchronise, locks that are held for the program's life; argument: number
of steps."""
import hashlib
import sys

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
steps = int(sys.argv[1])
right, left = (rank + 1) % size, (rank - 1) % size
CELLS = 64
seen = hashlib.sha256()

table = np.zeros((size, CELLS), dtype="i8")                              # written by all ranks, by the row of their number
tables = MPI.Win.Create(table, disp_unit=8, comm=world)
counters = MPI.Win.Allocate(16 if rank == 0 else 0, disp_unit=8, comm=world)      # two counters at rank 0
if rank == 0:
    np.frombuffer(counters.tomemory(), dtype="i8")[:] = 0
shared = MPI.Win.Allocate_shared(8 * CELLS, disp_unit=8, comm=world)
parts = [np.frombuffer(shared.Shared_query(r)[0], dtype="i8") for r in range(size)]
parts[rank][:] = rank
loose = MPI.Win.Create_dynamic(comm=world)
attached = np.full(CELLS, rank, dtype="i8")
loose.Attach(attached)
places = world.allgather(MPI.Get_address(attached))
neighbours = world.group.Incl(sorted({left, right}))
shared.Lock_all()
counters.Lock_all()
world.Barrier()

for k in range(steps):
    row = np.arange(CELLS, dtype="i8") * (rank + 1) + k
    tables.Fence()
    tables.Put([row, MPI.INT64_T], right, [rank * CELLS, CELLS, MPI.INT64_T])
    tables.Fence()
    assert (table[left] == np.arange(CELLS) * (left + 1) + k).all()

    tables.Post(neighbours)
    tables.Start(neighbours)
    tables.Accumulate([row, MPI.INT64_T], left, [rank * CELLS, CELLS, MPI.INT64_T], op=MPI.SUM)
    tables.Complete()
    tables.Wait()
    seen.update(table.tobytes())
    world.Barrier()                                                      # before others write into the table again

    one, before = np.ones(1, dtype="i8"), np.zeros(1, dtype="i8")
    for _ in range(3):                                                   # tickets: all different, counted at rank 0
        counters.Fetch_and_op([one, MPI.INT64_T], [before, MPI.INT64_T], 0, 0, op=MPI.SUM)
        counters.Flush(0)
    assert 0 <= before[0] < 3 * size * (k + 1)

    target = (rank + k) % size
    tables.Lock(target, MPI.LOCK_EXCLUSIVE)                              # what no atomic does: get, compute, put
    cell = np.zeros(1, dtype="i8")
    tables.Get([cell, MPI.INT64_T], target, [target * CELLS, 1, MPI.INT64_T])
    tables.Flush(target)
    cell += 7
    tables.Put([cell, MPI.INT64_T], target, [target * CELLS, 1, MPI.INT64_T])
    tables.Unlock(target)

    parts[right][k % CELLS] += rank + k                                  # a store into the neighbour's memory
    shared.Sync()
    world.Barrier()
    shared.Sync()
    seen.update(parts[rank].tobytes())
    world.Barrier()

    got = np.zeros(CELLS, dtype="i8")
    loose.Lock(left, MPI.LOCK_SHARED)
    loose.Rget([got, MPI.INT64_T], left, [places[left], CELLS * 8, MPI.BYTE]).Wait()
    loose.Unlock(left)
    seen.update(got.tobytes())
    world.Barrier()
    attached += 1
    world.Barrier()

    passing = MPI.Win.Allocate(8, disp_unit=8, comm=world)               # made and freed in every step
    passing.Lock(right, MPI.LOCK_SHARED)
    passing.Put([row, 1, MPI.INT64_T], right)
    passing.Unlock(right)
    world.Barrier()
    assert np.frombuffer(passing.tomemory(), dtype="i8")[0] == k
    passing.Free()
    if rank == 0:
        print("step", k + 1, "of", steps, flush=True)

counters.Unlock_all()
shared.Unlock_all()
world.Barrier()
if rank == 0:
    assert np.frombuffer(counters.tomemory(), dtype="i8")[0] == 3 * size * steps
digests = world.gather(seen.hexdigest())
loose.Detach(attached)
for win in (tables, counters, shared, loose):
    win.Free()
if rank == 0:
    print("checksum", hashlib.sha256(repr(digests).encode()).hexdigest()[:16], flush=True)
