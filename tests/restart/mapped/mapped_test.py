"""mana restart --map: a program's directories are moved between a checkpoint and the restart.

A tree with the program and its working directory, and another with its data, are moved to two places. Without --map the
restart is refused, and says what to do; with it the program goes on in the new places, and so do later checkpoints, of
which one is restarted when all is back where it was.
"""
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed  # noqa: E402
from workplace import main  # noqa: E402

STEPS = 200
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


class Program:
    """What it says of its steps, over all its jobs."""

    def __init__(self, place):
        self.place, self.step = place, 0

    def read(self, line):
        """Of a line of a step: where the program says that it is."""
        if found := SAID.match(line.rstrip("\n")):
            self.place.require("number of wrong things", found[5], "0")
            self.step = int(found[1])
            return found[2], found[3], found[4]
        return None

    def next_step(self, job):
        """Where it is in its next whole step, which comes after all before. The first line may be half of the time before."""
        last, places = self.step, []
        while len(places) < 2:
            if (line := job.next_line()) is None:
                raise Failed(f"the job ended and said no more; see {job.log}")
            if where := self.read(line):
                places.append(where)
                if self.step <= last:
                    raise Failed(f"step {self.step} comes after {last}")
                last = self.step
        return places[1]

    def hear(self, lines):
        for line in lines:
            self.read(line)


def tell(place, options):
    places = Places(place.directory, options.program)
    program = Program(place)

    def expected(tree, data):
        return str(tree / "work"), str(tree / "bin" / "places"), str(data / "shared-0")

    def refused(text, *rules):
        done = place.ended(place.command, "restart", place.ckpt, *rules)
        place.require(f"status of a restart that is refused\n{done.errors}", done.status, DIFFERS)
        for part in (text, "--map"):
            if part not in done.output + done.errors:
                raise Failed(f"no {part!r} in:\n{done.output}{done.errors}")

    job = place.run("../bin/places", str(places.data), str(STEPS), directory=places.here / "work", up=False)
    place.require("before", program.next_step(job), expected(places.here, places.data))
    program.hear(place.stop(job))

    places.move()
    refused("working directory", "--map", f"{places.data}={places.elsewhere}")
    refused("mapped", "--map", f"{places.here}={places.there}")
    shutil.move(places.elsewhere / "shared-0", places.elsewhere / "away")
    refused(str(places.elsewhere / "shared-0"), *places.rules())
    shutil.move(places.elsewhere / "away", places.elsewhere / "shared-0")
    job = place.restart(*places.rules())
    place.require("after the move", program.next_step(job), expected(places.there, places.elsewhere))
    program.hear(place.stop(job))

    places.move_back()
    job = place.restart(*places.rules_back())
    place.require("when all is back", program.next_step(job), expected(places.here, places.data))
    program.hear(job.end())
    place.require("the last step", program.step, STEPS)
    print("the program went on in its new places, and back in the old ones")


if __name__ == "__main__":
    sys.exit(main(__doc__, "mapped", tell, program="places.c"))
