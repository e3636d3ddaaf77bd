"""Pickled objects, numpy arrays, and communicators made and freed; argument: number of steps."""
import hashlib
import sys

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
steps = int(sys.argv[1])
halves = world.Split(rank % 2, rank)
seen = hashlib.sha256()
values = np.arange(1000, dtype="d") * (rank + 1)
largest = MPI.Op.Create(lambda a, b, kind: np.maximum(np.frombuffer(a, "d"), np.frombuffer(b, "d"), out=np.frombuffer(b, "d")),
                        commute=True)

for k in range(steps):
    sent = {"rank": rank, "step": k, "data": list(range(k % 50)), "text": "ü" * (k % 7)}
    request = world.isend(sent, dest=(rank + 1) % size, tag=k % 7)
    got = world.recv(source=(rank - 1) % size, tag=k % 7)
    request.wait()
    assert got["rank"] == (rank - 1) % size and got["step"] == k and got["data"] == sent["data"], got
    seen.update(repr(got).encode())
    total = np.empty_like(values)
    halves.Allreduce(values, total)
    values = np.sin(total / (k + 1)) + rank
    top = np.empty_like(values)
    world.Allreduce(values, top, op=largest)
    assert (top >= values).all()
    seen.update(top.tobytes())
    sums = world.gather(float(values.sum()), root=k % size)
    seen.update(repr(sums).encode())
    passing = world.Dup()
    everyone = passing.bcast({"step": k, "sizes": [size] * (k % 5)} if passing.rank == 0 else None, root=0)
    passing.Free()
    assert everyone["step"] == k
    column = np.full(20, rank * 1000 + k, dtype="i")
    table = np.empty((size, 20), dtype="i")
    world.Allgather(column, table)
    assert (table[:, 3] == np.arange(size) * 1000 + k).all()
    seen.update(table.tobytes())
    if rank == 0:
        print("step", k + 1, "of", steps, flush=True)

digests = world.gather(seen.hexdigest())
if rank == 0:
    print("checksum", hashlib.sha256(repr(digests).encode()).hexdigest()[:16], flush=True)
