"""The fault matrix: what a death or a full disk costs, at each fault point of a checkpoint and of a restart.

Each case begins with a restart from one good checkpoint. Whatever happens then, nothing hangs, a checkpoint that counts
as complete is whole, a restart from the newest one ends with the output of the undisturbed run, and what the ranks'
clocks recorded until they died follows the rules of docs/design/clock.md.
"""
import argparse
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

from workbench import JOB_ENDED, NOT_SAVED, Bench, Failed

CHECKPOINT_POINTS = ["collectives_completed", "drained", "before_write", "written", "committed"]
RESTART_POINTS = ["image_opened", "memory_restored"]
RANDOM_KILLS = 2        # of each rank
CLIENT_KILLS = 4        # while one job runs


def require_status(status, text, *allowed):
    if status not in allowed:
        raise Failed(f"mana checkpoint: status {status}, not {' or '.join(map(str, allowed))}: {text}")


# Each case gets the bench and returns what its line says.

def death_in_checkpoint(bench, point, rank):
    job = bench.running(f"{point}@{rank}")
    status, text = bench.checkpoint()
    # Where the dead rank is another than the coordinator's, mpirun may end that one before it has answered.
    saved = point == "committed"
    require_status(status, text, JOB_ENDED, *([0] if saved else []), *([NOT_SAVED] if rank != 0 and not saved else []))
    bench.end_dead(job)
    newest = bench.require_newest(2 if saved else 1)
    if rank == 0 and not saved:         # nobody was left to clear up: this is what the disk was like at that point
        written = (bench.generation(2) / "rank-00000.mana").exists()
        if written != (point == "written"):
            raise Failed(f"the image of rank 0 {'exists' if written else 'does not exist'} at the point {point}")
    bench.recover()
    return f"status {status}, restarted from {newest}"


def death_in_restart(bench, point, rank):
    job = bench.restart(f"{point}@{rank}")
    job.await_announced()
    bench.end_dead(job)
    if bench.generations() != {1: True}:
        raise Failed(f"the restart that failed left the generations {bench.generations()}")
    bench.recover()
    return f"mpirun {job.process.returncode}, restarted"


def limit_files(bench, job, rank):
    """Half of this rank's image does not fit any more. Returns what makes room again."""
    pid = job.process_of(rank)
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    image = bench.generation(1) / f"rank-{rank:05}.mana"
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (image.stat().st_size // 2, before[1]))
    return lambda: resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


def full_disk(bench, rank):
    """The program runs on; once there is room again, so do its checkpoints."""
    job = bench.running()
    make_room = limit_files(bench, job, rank)
    for _ in range(2):
        status, text = bench.checkpoint()
        require_status(status, text, NOT_SAVED)
        if f"rank {rank}: " not in text or "cannot be written" not in text:
            raise Failed(f"mana checkpoint does not say which rank failed, and why: {text}")
        if bench.generations() != {1: True}:
            raise Failed(f"the checkpoint that was given up left the generations {bench.generations()}")
    make_room()
    newest = bench.saved()
    bench.end_well(job)
    bench.pieces.append(job.text)
    bench.recover()
    return f"status {status}, ran on, restarted from {newest}"


def death_after_giving_up(bench, rank):
    """Rank 1 gives up since its own image was not written, rank 0 since that of another was not."""
    job = bench.running(f"given_up@{rank}")
    limit_files(bench, job, 1)
    status, text = bench.checkpoint()
    require_status(status, text, JOB_ENDED, NOT_SAVED)
    bench.end_dead(job)
    bench.require_newest(1)
    bench.recover()
    return f"status {status}, restarted from 1"


def random_death(bench, rank):
    job = bench.running()
    victim = job.process_of(rank)
    client = bench.ask()
    delay_s = bench.random.uniform(0, bench.checkpoint_s)
    time.sleep(delay_s)
    os.kill(victim, signal.SIGKILL)
    status, text = bench.answer(client)
    require_status(status, text, 0, JOB_ENDED, NOT_SAVED)
    bench.end_dead(job)
    newest = bench.require_newest(2) if status == 0 else bench.require_newest(1, 2)
    bench.recover()
    return f"after {1000 * delay_s:.1f} ms, status {status}, restarted from {newest}"


def death_of_clients(bench):
    """Whoever asks for a checkpoint and dies harms neither the job nor the next who asks."""
    job = bench.running()
    delays_s = [bench.random.uniform(0, bench.checkpoint_s) for _ in range(CLIENT_KILLS)]
    for delay_s in delays_s:
        client = bench.ask()
        time.sleep(delay_s)
        client.kill()
        bench.answer(client)
    newest = bench.saved()      # the last of all: what the dead ones asked for was served before
    bench.end_well(job)
    bench.pieces.append(job.text)
    bench.recover()
    return f"after {', '.join(f'{1000 * s:.1f}' for s in delays_s)} ms, ran on, restarted from {newest}"


def all_cases(ranks):
    """[(name, function, its arguments)]. ranks: those that die"""
    found = [(f"{point}@{rank}", death_in_checkpoint, (point, rank)) for point in CHECKPOINT_POINTS for rank in ranks]
    found += [(f"{point}@{rank}", death_in_restart, (point, rank)) for point in RESTART_POINTS for rank in ranks]
    found += [(f"full_disk@{rank}", full_disk, (rank,)) for rank in ranks]
    found += [(f"given_up@{rank}", death_after_giving_up, (rank,)) for rank in ranks]
    found += [(f"killed{i + 1}@{rank}", random_death, (rank,)) for i in range(RANDOM_KILLS) for rank in ranks]
    return [*found, ("clients", death_of_clients, ())]


def passes(bench, name, function, arguments):
    begin = time.monotonic()
    bench.begin_case(name)
    try:
        said = function(bench, *arguments)
        bench.traces.check()
    except (Failed, OSError, subprocess.TimeoutExpired) as failed:
        print(f"FAILED {name}: {failed}\n(its files: {bench.directory})", flush=True)
        return False
    finally:
        bench.end_case()
    print(f"{name}: {said}, output equal ({time.monotonic() - begin:.1f} s)", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--fan-out", type=int, help="of the control tree")
    parser.add_argument("--victim", type=int, action="append", help="a rank that dies (default: each)")
    parser.add_argument("--only", default="", help="regular expression: names of cases")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000, help="of the random moments")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    bench = Bench(options)
    try:
        bench.prepare()
    except Failed as failed:
        print(f"FAILED before the first fault: {failed}")
        return 1
    finally:
        bench.end_case()
    cases = all_cases(options.victim or range(options.ranks))
    results = [passes(bench, *case) for case in cases if re.search(options.only, case[0])]
    print(f"{options.mpi}: {results.count(True)} of {len(results)} cases passed; {bench.traces}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
