"""MPI_Get_processor_name after a restart is the name of the machine that the process is on now.

The other machine is this one with another host name, in a UTS namespace; where none can be made the test is skipped.
"""
import argparse
import pathlib
import re
import shutil
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed, Job, mana, mpirun  # noqa: E402

STEPS = 150
SILENCE_S = 240
SKIPPED = 77
OTHER = "another-machine"
THERE = ["unshare", "--uts", "sh", "-c", f"hostname {OTHER} && exec \"$@\"", "sh"]
SAID = re.compile(r"^host (\S+), at first (\S+), (\d+) wrong$", re.MULTILINE)


def next_host(job):
    """What the program says next: name, name at first, number of wrong answers."""
    while (line := job.next_line(SILENCE_S)) is not None:
        if found := SAID.match(line):
            return found.groups()
    raise Failed(f"the job ended and said no more; see {job.log}")


def host_of_whole_step(job):
    """Like next_host, of a step that began after the restart: the first line may name the machine that was asked before."""
    next_host(job)
    return next_host(job)


def read(job):
    """To the job's end. Returns all that the program said."""
    said = []
    while (line := job.next_line(SILENCE_S)) is not None:
        said += SAID.findall(line)
    job.wait()
    return said


def require(found, expected):
    if found != expected:
        raise Failed(f"{found} instead of {expected}")


def check(options):
    directory = options.build.resolve() / "restart-runs" / f"moved-{options.mpi}"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    command = str(options.build.resolve() / "bin" / "mana")
    start = mpirun(options.mpi, 2)
    here = socket.gethostname()
    run = [*start, command, "run", "--ckpt-dir", "ckpt", "--", options.program, str(STEPS)]
    job = Job(run, directory, directory / "log")
    require(next_host(job), (here, here, "0"))
    mana(command, "checkpoint", "--stop", "--ckpt-dir", str(directory / "ckpt"))
    said = read(job)
    job = Job([*THERE, *start, command, "restart", "ckpt"], directory, directory / "log")
    require(host_of_whole_step(job), (OTHER, here, "0"))
    mana(command, "checkpoint", "--stop", "--ckpt-dir", str(directory / "ckpt"))
    said += read(job)
    job = Job([*start, command, "restart", "ckpt"], directory, directory / "log")
    last = host_of_whole_step(job)
    require(last, (here, here, "0"))
    if any(wrong != "0" for *_, wrong in [*said, last, *read(job)]):
        raise Failed(f"a name is not the kernel's; see {directory / 'log'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    parser.add_argument("program", help="host.c")
    options = parser.parse_args()
    if subprocess.run([*THERE, "true"], capture_output=True).returncode != 0:
        print("no host name can be changed here: skipped")
        return SKIPPED
    try:
        check(options)
    except (Failed, subprocess.TimeoutExpired) as failed:
        print(f"FAILED: {failed}")
        return 1
    print("each process names the machine that it is on")
    return 0


if __name__ == "__main__":
    sys.exit(main())
