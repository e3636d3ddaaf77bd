"""--perf-map: after a restart, when the program's code is anonymous memory, perf knows its functions by the map.

The map's address of a function is the one that the program itself prints. Where perf can record, its report is looked at.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed, descendants  # noqa: E402
from workplace import LIMIT_S, main  # noqa: E402

SAID = re.compile(r"process (\d+), function 0x([0-9a-f]+)")
NAMES = ("own_work", "through_the_library", "MPI_Barrier", "__restore_rt")


def rows_of(path):
    """(address, bytes, name) of each function, all as they are written."""
    try:
        text = path.read_text()
    except OSError:
        return []
    return [line.split(" ", 2) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def wait_for_map(job):
    """The map of the job's rank, once it has all that is looked for: it is not written in one piece. Returns the process and the
    map's path."""
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        for pid in descendants(job.process.pid):
            path = pathlib.Path(f"/tmp/perf-{pid}.map")
            if set(NAMES) <= {name.rstrip("\n") for _, _, name in rows_of(path)}:
                return pid, path
        time.sleep(0.1)
    raise Failed(f"no rank has written a map with {', '.join(NAMES)}; see {job.log}")


def check_map(path, address):
    rows = rows_of(path)
    places = [int(begin, 16) for begin, _, _ in rows]
    if places != sorted(places) or len(places) != len(set(places)):
        raise Failed(f"{path} does not ascend")
    found = next(row for row in rows if row[2] == "own_work\n")
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


def look(place, job, address, maps):
    """Returns the process, whose map is one of `maps` now."""
    pid, path = wait_for_map(job)
    maps.append(path)
    check_map(path, address)
    check_perf(pid, place.directory)
    return pid


def tell(place, options):
    program, maps = shutil.copy(options.program, place.directory), []
    try:
        job = place.run(program, "work", options=["--perf-map"], up=False)
        address = int(SAID.search(job.next_line())[2], 16)
        look(place, job, address, maps)
        place.stop(job)
        os.utime(program)                               # a file that was written since is not mapped again
        pid = look(place, place.restart("--perf-map"), address, maps)
        if any(program in line for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines()):
            raise Failed("the program is mapped from its file after a restart: the test tests nothing")
    finally:
        place.end()
        for path in maps:
            path.unlink()


if __name__ == "__main__":
    sys.exit(main(__doc__, "perf", tell, ranks=1, program="named.c"))
