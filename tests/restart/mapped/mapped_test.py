"""mana restart --map: a program's directories are moved between a checkpoint and the restart.

A tree with the program and its working directory, and another with its data, are moved to two places. Without --map the
restart is refused, and says what to do; with it the program goes on in the new places, and so do later checkpoints, of
which one is restarted when all is back where it was.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed, Job, mana, mpi_environment, mpirun  # noqa: E402

STEPS = 200
SILENCE_S = 240
DIFFERS = 83
SAID = re.compile(r"^step (\d+): in (.*), program (.*), data (.*), (\d+) wrong$")


class Places:
    """Where things are before (here) and after the move."""

    def __init__(self, root, program):
        self.here, self.data, self.there, self.elsewhere = (root / n for n in ("here", "data", "far/there", "else where"))
        (self.here / "bin").mkdir(parents=True)
        (self.here / "work").mkdir()
        self.data.mkdir()
        self.there.parent.mkdir()
        shutil.copy(program, self.here / "bin" / "places")

    def move(self):
        self.here.rename(self.there)
        self.data.rename(self.elsewhere)

    def move_back(self):
        self.there.rename(self.here)
        self.elsewhere.rename(self.data)

    def rules(self):
        return ["--map", f"{self.here}={self.there}", "--map", f"{self.data}={self.elsewhere}"]

    def rules_back(self):
        return ["--map", f"{self.there}={self.here}", f"--map={self.elsewhere}={self.data}"]


def require(found, expected, what):
    if found != expected:
        raise Failed(f"{what}: {found} instead of {expected}")


def next_step(job, last):
    """What the program says next. Returns the step, and where it is. The first line may be half of the time before."""
    first = True
    while (line := job.next_line(SILENCE_S)) is not None:
        if found := SAID.match(line.rstrip("\n")):
            require(found[5], "0", "number of wrong things")
            if int(found[1]) <= last:
                raise Failed(f"step {found[1]} comes after {last}")
            if first:
                first, last = False, int(found[1])
                continue
            return int(found[1]), (found[2], found[3], found[4])
    raise Failed(f"the job ended and said no more; see {job.log}")


def check(options):
    root = options.build.resolve() / "restart-runs" / f"mapped-{options.mpi}"
    shutil.rmtree(root, ignore_errors=True)
    places = Places(root, options.program)
    command, log, ckpt = str(options.build.resolve() / "bin" / "mana"), root / "log", str(root / "ckpt")
    start = mpirun(options.mpi, 2)

    def expected(tree, data):
        return str(tree / "work"), str(tree / "bin" / "places"), str(data / "shared-0")

    def stop(job):
        """Checkpoints and ends the job. Returns the last step that it said."""
        mana(command, "checkpoint", "--stop", "--ckpt-dir", ckpt)
        last = 0
        while (line := job.next_line(SILENCE_S)) is not None:
            if found := SAID.match(line.rstrip("\n")):
                last = int(found[1])
        job.wait()
        return last

    def refused(text, *rules):
        done = subprocess.run([*start, command, "restart", ckpt, *rules], cwd=root, env=mpi_environment(), timeout=240,
                              capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, check=False)
        require(done.returncode, DIFFERS, f"status of a restart that is refused\n{done.stderr}")
        for part in (text, "--map"):
            if part not in done.stdout + done.stderr:
                raise Failed(f"no {part!r} in:\n{done.stdout}{done.stderr}")

    words = [*start, command, "run", "--ckpt-dir", ckpt, "--", "../bin/places", str(places.data), str(STEPS)]
    job = Job(words, places.here / "work", log)
    step, where = next_step(job, 0)
    require(where, expected(places.here, places.data), "before")
    step = max(step, stop(job))

    places.move()
    refused("working directory", "--map", f"{places.data}={places.elsewhere}")
    refused("mapped", "--map", f"{places.here}={places.there}")
    shutil.move(places.elsewhere / "shared-0", places.elsewhere / "away")
    refused(str(places.elsewhere / "shared-0"), *places.rules())
    shutil.move(places.elsewhere / "away", places.elsewhere / "shared-0")
    job = Job([*start, command, "restart", ckpt, *places.rules()], root, log)
    step, where = next_step(job, step)
    require(where, expected(places.there, places.elsewhere), "after the move")
    step = max(step, stop(job))

    places.move_back()
    job = Job([*start, command, "restart", ckpt, *places.rules_back()], root, log)
    step, where = next_step(job, step)
    require(where, expected(places.here, places.data), "when all is back")
    while (line := job.next_line(SILENCE_S)) is not None:
        if found := SAID.match(line.rstrip("\n")):
            require(found[5], "0", "number of wrong things")
            step = int(found[1])
    require(step, STEPS, "the last step")
    job.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    parser.add_argument("program", help="places.c")
    try:
        check(parser.parse_args())
    except (Failed, subprocess.TimeoutExpired) as failed:
        print(f"FAILED: {failed}")
        return 1
    print("the program went on in its new places, and back in the old ones")
    return 0


if __name__ == "__main__":
    sys.exit(main())
