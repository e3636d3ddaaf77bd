"""mpi4py's futures over the ranks of the job, beside threads and signals of Python's own; argument: number of steps."""
import concurrent.futures
import hashlib
import queue
import signal
import sys
import threading

from mpi4py import MPI
from mpi4py.futures import MPICommExecutor

steps = int(sys.argv[1])
world = MPI.COMM_WORLD
ticks = 0


def tick(number, frame):
    global ticks
    ticks += 1


def digest(step, data):
    """A task, on whatever rank: 200 rounds of a hash."""
    for _ in range(200):
        data = hashlib.sha256(data + step.to_bytes(4, "little")).digest()
    return data


def fail(step):
    raise ValueError(f"task of step {step}")


def keeper(jobs, done):
    """A thread that lives across checkpoints."""
    state = threading.local()
    state.seen = hashlib.sha256()
    while (job := jobs.get()) is not None:
        state.seen.update(job)
        done.put(state.seen.hexdigest())


if world.rank == 0:
    signal.signal(signal.SIGALRM, tick)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    jobs, done = queue.Queue(), queue.Queue()
    thread = threading.Thread(target=keeper, args=(jobs, done), name="keeper")
    thread.start()
    pool = concurrent.futures.ThreadPoolExecutor(2)

with MPICommExecutor(world, root=0) as executor:
    if executor is not None:
        seen = hashlib.sha256()
        for step in range(steps):
            parts = list(executor.map(digest, [step] * 6, [bytes([i]) * (100 * i + 1) for i in range(6)]))
            own = pool.submit(digest, step, b"own")
            wrong = executor.submit(fail, step)
            assert str(wrong.exception()) == f"task of step {step}"
            jobs.put(b"".join(parts) + own.result())
            seen.update(done.get().encode())
            print("step", step + 1, "of", steps, flush=True)

if world.rank == 0:
    jobs.put(None)
    thread.join()
    pool.shutdown()
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert ticks > 0
    print("checksum", seen.hexdigest()[:16], flush=True)
