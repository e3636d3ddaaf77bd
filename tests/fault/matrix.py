#!/usr/bin/python3
"""The kill matrix: who dies (a rank, two, mpirun, the process that writes for a rank), at each fault point, over this MPI.

Every case begins with a restart from one good checkpoint of three ranks. Whoever is killed: the job ends, nothing of it is left,
the newest checkpoint that counts as complete is whole, and is the one that there must be at that point; a restart from it can
be checkpointed and ends with the output of the undisturbed run. Where the victim only writes (--forked), the program runs on,
whoever asked is told which rank failed and why, and the next checkpoint is there.

--sample N takes so many cases by the seed, each fault point at least once over both MPIs together; --table writes the results
of a whole run into docs/reliability.md.
"""
import argparse
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

import workbench
from workbench import JOB_ENDED, LIMIT_S, NOT_SAVED, ROOT, Bench, Failed, await_that, lives

RANKS = 3
POINTS_FILE = ROOT / "include" / "mana" / "core" / "fault_points.hpp"
ROW = re.compile(r'row\{point::\w+, "(\w+)", phase::(\w+), who::(\w+), "(.*)"\}')
RESTARTS_FROM = "moving"     # this point and those after it belong to a restart
NAMED_FROM = "manifest_named"           # from here on the new checkpoint exists
PRUNES = ("before_prune", "half_removed")
ON_NODE = ("on_node", "copying")
WRITER_POINTS = ("before_write", "half_written", "before_sync", "written")
MPIS = ("mpich", "openmpi")
VICTIMS = ("first", "middle", "last", "two", "mpirun", "writer")


def read_points():
    """[(name, phase, who comes there)], in the order of a checkpoint and then a restart."""
    return [found[:3] for found in ROW.findall(POINTS_FILE.read_text())]


POINTS = read_points()
NAMES = [name for name, _, _ in POINTS]


def is_after(point, other):
    return NAMES.index(point) >= NAMES.index(other)


def victims_of(point, comes_there):
    """given_up needs an image that cannot be written, which fault_test.py has; some need nodes: tests/restart/local has them;
    lazy_check needs memory that is mapped: tests/restart/older has it."""
    if point in ("given_up", "encoding", "moving", "rebuilding", "lazy_check") or (point == "copied" and comes_there == "coordinator"):
        return []
    found = ["first", "mpirun"] if comes_there == "coordinator" else ["first", "middle", "last", "two", "mpirun"]
    return found + (["writer"] if point in WRITER_POINTS and point != "before_write" else [])


def all_cases():
    return [(point, victim) for point, _, who in POINTS for victim in victims_of(point, who)]


def options_of(point, bench):
    """Words of mana restart, without which nobody comes to the point."""
    return [*(["--forked"] if point == "copied" else []), *(["--keep", "1"] if point in PRUNES else []),
            *(["--local", str(bench.directory / "node")] if point in ON_NODE else [])]


def fault_of(point, victim):
    ranks = {"first": [0], "middle": [1], "last": [2], "two": [1, 2]}[victim]
    return ",".join(f"{point}@{rank}" for rank in ranks)


class Held:
    """A process that waits at a point until somebody else is dead."""

    def __init__(self, bench, point):
        self.path = bench.directory / "held"
        os.mkfifo(self.path)
        self.pipe = os.open(self.path, os.O_RDWR | os.O_NONBLOCK)
        self.fault, self.text = f"{point}@0=hold", b""
        self.environment = {"MANA_FAULT_PIPE": str(self.path)}

    def _has_come(self):
        try:
            self.text += os.read(self.pipe, 4096)
        except BlockingIOError:
            pass
        return self.text.endswith(b"\n")

    def await_pid(self, job):
        await_that(lambda: self._has_come() or job.process.poll() is not None, f"a process comes to {self.fault}")
        if not self.text:
            raise Failed(f"the job ended before a process came to {self.fault}; see {job.log}")
        text, self.text = self.text, b""
        return int(text.split()[2])

    def close(self):
        os.close(self.pipe)


def kill_launcher(job, held_pid):
    """Whoever was held goes on, in a job whose launcher dies at that moment. Not before: of processes that are left without a
    parent, the kernel ends those that are stopped by SIGHUP."""
    job.pids = workbench.descendants(job.process.pid)
    wake(held_pid, "the process that is held")
    job.process.send_signal(signal.SIGKILL)
    job.process.wait(LIMIT_S)
    job.read()
    await_that(lambda: not any(lives(pid) for pid in job.pids), "the processes of a job without a launcher end")


def wake(pid, whom):
    """A process says that it is held before the kernel stops it: SIGCONT counts only then."""
    await_that(lambda: workbench.state_of(pid) in "TZX", f"{whom} is stopped, or has ended")
    try:
        os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        return
    await_that(lambda: workbench.state_of(pid) != "T", f"{whom} goes on or ends")


def require_told(text, status, victim):
    """Where a process lived to say so, it says who was lost."""
    if status == NOT_SAVED and victim != "first" and "rank" not in text:
        raise Failed(f"mana checkpoint does not say which rank was lost: {text}")


def expected(point, victim):
    """The generations one of which must be the newest."""
    if is_after(point, NAMED_FROM):
        return (2,)
    return (1, 2) if victim == "mpirun" else (1,)


def after_death(bench, job):
    """The job is no job any more. Its output counts as a piece of the whole."""
    bench.pieces.append(job.text)
    status, text = bench.checkpoint()
    if status != JOB_ENDED:
        raise Failed(f"mana checkpoint of the job that died: status {status}: {text}")


def death_in_checkpoint(bench, point, victim):
    held = Held(bench, point) if victim == "mpirun" else None
    fault = held.fault if held else fault_of(point, victim)
    job = bench.running(fault, *options_of(point, bench), environment=held.environment if held else None)
    client = bench.ask()
    if held:
        kill_launcher(job, held.await_pid(job))
        held.close()
    status, text = bench.answer(client)
    if status not in (0, JOB_ENDED, NOT_SAVED) or (status == 0 and 2 not in expected(point, victim)):
        raise Failed(f"mana checkpoint: status {status}: {text}")
    require_told(text, status, victim)
    if not held:
        job.must_end_killed()
    after_death(bench, job)
    newest = bench.require_newest(*expected(point, victim))
    recover(bench, victim)
    return f"status {status}, restarted from {newest}"


def recover(bench, victim):
    """As Bench.recover. Lines that mpirun had not printed are lost with it: then the last piece alone is compared."""
    if victim != "mpirun":
        bench.recover()
        return
    before = bench.newest()
    job = bench.running()
    if bench.saved() <= before:
        raise Failed("the checkpoint after the restart is not the newest")
    job.must_end_well()
    lines = bench.output.of(job.text)
    if not lines or bench.output.expected[-len(lines):] != lines:
        raise Failed(f"the output differs from the end of the undisturbed run's (all of it: {job.log})")


def death_in_restart(bench, point, victim):
    held = Held(bench, point) if victim == "mpirun" else None
    job = bench.restart(held.fault if held else fault_of(point, victim), environment=held.environment if held else None)
    if held:
        kill_launcher(job, held.await_pid(job))
        held.close()
    else:
        job.await_announced()
        job.must_end_killed(rank_0_died=victim == "first")
    bench.pieces.append(job.text)
    if bench.generations() != {1: True}:
        raise Failed(f"the restart that failed left the generations {bench.generations()}")
    recover(bench, victim)
    return "restarted"


def death_of_writer(bench, point, _):
    """The process that writes for rank 1 dies: the program runs on, and saves again."""
    held = Held(bench, point)
    held.fault = f"{point}@1=hold"
    job = bench.running(held.fault, "--forked", environment=held.environment)
    client = bench.ask()
    writer = held.await_pid(job)
    if writer == job.process_of(1):
        raise Failed(f"{point}: the rank's own process came there")
    os.kill(writer, signal.SIGKILL)
    status, text = bench.answer(client)
    if status != NOT_SAVED or "rank 1: " not in text:
        raise Failed(f"mana checkpoint does not say which rank failed, and why: status {status}: {text}")
    bench.require_newest(1)
    client = bench.ask()
    second = held.await_pid(job)        # another process, which is held too
    wake(second, "the second process that writes")
    status_then, text = bench.answer(client)
    if status_then != 0:
        raise Failed(f"the next checkpoint: status {status_then}: {text}")
    newest = bench.require_newest(2, 3)
    held.close()
    bench.end_well(job)
    bench.pieces.append(job.text)
    bench.recover()
    return f"status {status}, ran on, restarted from {newest}"


def run_case(bench, point, victim):
    """(whether it passed, words, seconds)"""
    begin = time.monotonic()
    bench.begin_case(f"{point}-{victim}")
    kind = death_of_writer if victim == "writer" else \
        death_in_restart if is_after(point, RESTARTS_FROM) else death_in_checkpoint
    try:
        said = kind(bench, point, victim)
        if victim != "mpirun":
            bench.traces.check()
        return True, said, time.monotonic() - begin
    except (Failed, OSError, ValueError, subprocess.TimeoutExpired) as failed:
        return False, f"{failed}\n(its files: {bench.directory})", time.monotonic() - begin
    finally:
        bench.end_case()
        workbench.shutil.rmtree(bench.traces.directory, ignore_errors=True)


def sampled(cases, mpi, count, seed):
    """This MPI's share of a sample: each point falls to one of the two at least, the rest by lot."""
    chance = random.Random(seed)
    wanted = []
    for at, point in enumerate(sorted({point for point, _ in cases})):
        victims = [case for case in cases if case[0] == point]
        picked = chance.choice(victims)
        if MPIS[(at + seed) % 2] == mpi:
            wanted.append(picked)
    rest = [case for case in cases if case not in wanted]
    chance = random.Random(f"{seed} {mpi}")
    chance.shuffle(rest)
    return sorted([*wanted, *rest[:max(0, count // 2 - len(wanted))]], key=cases.index)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=MPIS, required=True)
    parser.add_argument("--sample", type=int, default=0, help="so many cases over both MPIs; 0: all")
    parser.add_argument("--only", default="", help="regular expression: point-victim")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", type=pathlib.Path, help="a file that gets the results, for matrix_table.py")
    options = parser.parse_args()
    options.ranks, options.fan_out = RANKS, None
    bench = Bench(options, "matrix")
    try:
        bench.prepare()
    except Failed as failed:
        print(f"FAILED before the first fault: {failed}")
        return 1
    finally:
        bench.end_case()
    cases = all_cases()
    if options.sample and os.environ.get("MANA_TEST_MATRIX") != "all":
        cases = sampled(cases, options.mpi, options.sample, options.seed)
    cases = [case for case in cases if re.search(options.only, "-".join(case))]
    results = []
    for point, victim in cases:
        passed, said, seconds = run_case(bench, point, victim)
        print(f"{'' if passed else 'FAILED '}{point}-{victim}: {said} ({seconds:.1f} s)", flush=True)
        results.append([options.mpi, point, victim, passed])
        if options.results:
            options.results.write_text(json.dumps(results))
    passed = sum(result[3] for result in results)
    print(f"{options.mpi}: {passed} of {len(results)} cases passed; {bench.traces}")
    return 0 if passed == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
