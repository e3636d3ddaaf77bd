"""What checkpoints have of the program's own files: copies that the ranks of a node share, and references to the files."""
import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed  # noqa: E402
from workplace import main  # noqa: E402

STEPS = ("150", "5")


class Files:
    def __init__(self, place):
        self.place, self.command, self.program = place, place.refused, place.program("stress")
        self.expected, _ = place.result(self.program, *STEPS)

    def ends_well(self, *words):
        """Of a restart. Returns all that is said."""
        return self.place.result(self.place.command, "restart", *words, "--interval", "1000", expected=self.expected)[1]

    def checkpoints(self, name, count, *how, program=None):
        """A job takes `count` checkpoints and ends with the last. Returns their directories, ascending."""
        job = self.place.run(program or self.program, *STEPS, options=("--keep", "all", *how), ckpt=name)
        for _ in range(count - 1):
            self.place.checkpoint(ckpt=name)
        self.place.stop(job, ckpt=name)
        return sorted((self.place.directory / name).glob("gen-*"))

    def checkpoint_of_restart(self, name, *how):
        """The newest is restarted, and takes a checkpoint with which it ends."""
        job = self.place.restart("--keep", "all", *how, ckpt=name)
        job.wait_until_up(self.place.directory / name)
        self.place.stop(job, ckpt=name)

    def shared_copies(self):
        before, newest = self.checkpoints("shared", 2, "--compress", "none")
        listed = {c["file"]: c["bytes"] for c in json.loads((newest / "manifest.json").read_text())["copies"]}
        there = {f.name: f.stat().st_size for f in newest.glob("file-*")}
        if not there or listed != there:
            raise Failed(f"the manifest lists {listed}, there is {there}")
        self.place.mana("verify", newest.parent)
        largest = max(newest.glob("file-*"), key=lambda f: f.stat().st_size)
        with largest.open("r+b") as copy:
            copy.truncate(there[largest.name] - 1)
        said = self.ends_well("shared")
        if "checkpoint 2 is skipped" not in said or f"{largest.name}: the copy of a program's file has" not in said:
            raise Failed(f"not said: {said}")
        if not (newest / "failed").exists() or (before / "failed").exists():
            raise Failed("the damaged one is not marked, or the other is")

    def needs_map(self, program, moved, *words):
        """The command ends with the name of what is missing, and well with --map."""
        said = self.command(83, *words)
        if "--map OLD=NEW" not in said or str(program) not in said:
            raise Failed(f"not said: {said}")
        self.command(0, *words, *moved)

    def moved_program(self):
        """The program's file goes to another place, and is left out of the checkpoint then."""
        old, new = self.place.directory / "old", self.place.directory / "new"
        old.mkdir()
        program = pathlib.Path(shutil.copy(self.program, old))
        self.checkpoints("referring", 1, "--by-reference", "--compress", "none", program=program)
        old.rename(new)
        said = self.command(83, "verify", "referring")
        if "lacks files" not in said or "damaged" in said or "--map OLD=NEW" not in said or str(program) not in said:
            raise Failed(f"not said: {said}")
        moved = ("--map", f"{old}={new}")
        self.command(0, "verify", "referring", *moved)
        self.needs_map(program, moved, "extract", "referring", "--rank", "1", "--core", "-o", "core")
        self.command(83, "compact", "referring")
        # What is taken after a restart from the new place names that one: it is restarted without words about the old one.
        self.checkpoint_of_restart("referring", *moved, "--by-reference", "--compress", "none")
        self.command(0, "verify", "referring", "--generation", "2")
        self.ends_well("referring/gen-000002")
        self.command(0, "compact", "referring", "--compress", "none")
        away = new.rename(self.place.directory / "away")
        self.needs_map(new / program.name, ("--map", f"{new}={away}"), "extract", "referring/gen-000002", "--rank", "1", "--core", "-o", "core2")
        self.command(0, "diff", "referring/gen-000002", "referring/gen-000003")         # the sums of what is in the file tell
        self.command(83, "verify", "referring")
        self.command(0, "verify", "referring", "--generation", "3")
        self.ends_well("referring")


def tell(place, _):
    files = Files(place)
    files.shared_copies()
    files.moved_program()
    print(f"{place.mpi}: {files.expected}")


if __name__ == "__main__":
    sys.exit(main(__doc__, "program-files", tell))
