"""--perf-map: after a restart, when the program's code is anonymous memory, perf knows its functions by the map.

The map's address of a function is the one that the program itself prints. Where perf can record, its report is looked at.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed, Job, descendants, mana, mpirun  # noqa: E402

SILENCE_S = 240
WAITS_S = 240
SAID = re.compile(r"process (\d+), function 0x([0-9a-f]+)")
NAMES = ("own_work", "through_the_library", "MPI_Barrier", "__restore_rt")


def wait_for_map(job):
    """The map of the job's rank, when it is there. Returns the process and the map's path."""
    deadline = time.monotonic() + WAITS_S
    while time.monotonic() < deadline:
        for pid in descendants(job.process.pid):
            path = pathlib.Path(f"/tmp/perf-{pid}.map")
            if path.exists() and path.stat().st_size > 0:
                return pid, path
        time.sleep(0.1)
    raise Failed(f"no rank has written a map; see {job.log}")


def check_map(path, address):
    time.sleep(0.5)                                     # it is written at once, but not in one piece
    rows = [line.split(" ", 2) for line in path.read_text().splitlines()]
    places = [int(begin, 16) for begin, _, _ in rows]
    if places != sorted(places) or len(places) != len(set(places)):
        raise Failed(f"{path} does not ascend")
    for name in NAMES:
        if not any(row[2] == name for row in rows):
            raise Failed(f"{path} has no {name}")
    found = next(row for row in rows if row[2] == "own_work")
    if int(found[0], 16) != address or int(found[1], 16) == 0:
        raise Failed(f"{path}: own_work is at {address:x}, and not at {found}")
    print(f"{path}: {len(rows)} functions")


def check_perf(pid, directory):
    """What perf says of the process."""
    if shutil.which("perf") is None:
        print("there is no perf: its report is not looked at")
        return
    data = str(directory / "perf.data")
    done = subprocess.run(["perf", "record", "-o", data, "-p", str(pid), "sleep", "1"], capture_output=True, text=True, timeout=240)
    if done.returncode != 0:
        print(f"perf cannot record here: {done.stderr.strip()}")
        return
    report = subprocess.run(["perf", "report", "-i", data, "--stdio", "--sort", "symbol"], capture_output=True, text=True,
                            stdin=subprocess.DEVNULL, timeout=240).stdout
    if "own_work" not in report:
        raise Failed(f"perf does not know own_work:\n{report}")
    print(next(line for line in report.splitlines() if "own_work" in line))


def check(options):
    directory = options.build.resolve() / "restart-runs" / f"perf-{options.mpi}"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    program = shutil.copy(options.program, directory)
    command, ckpt, maps = str(options.build.resolve() / "bin" / "mana"), str(directory / "ckpt"), []
    start = mpirun(options.mpi, 1)
    job = Job([*start, command, "run", "--perf-map", "--ckpt-dir", ckpt, "--", program, "work"], directory, directory / "log")
    try:
        address = int(SAID.search(job.next_line(SILENCE_S))[2], 16)
        pid, path = wait_for_map(job)
        maps.append(path)
        check_map(path, address)
        check_perf(pid, directory)
        mana(command, "checkpoint", "--stop", "--ckpt-dir", ckpt)
        job.wait()
        os.utime(program)                               # a file that was written since is not mapped again
        job = Job([*start, command, "restart", ckpt, "--perf-map"], directory, directory / "log")
        pid, path = wait_for_map(job)
        maps.append(path)
        check_map(path, address)
        if any(program in line for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()):
            raise Failed("the program is mapped from its file after a restart: the test tests nothing")
        check_perf(pid, directory)
    finally:
        job.kill()
        for path in maps:
            path.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    parser.add_argument("program", help="named.c")
    try:
        check(parser.parse_args())
    except (Failed, subprocess.TimeoutExpired) as failed:
        print(f"FAILED: {failed}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
