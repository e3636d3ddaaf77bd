"""What checkpoints have of the program's own files: copies that the ranks of a node share, and references to the files."""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed, Job, mana, mpi_environment, mpirun  # noqa: E402

RANKS = 2
STEPS = ("150", "5")
LIMIT_S = 240


class Test:
    def __init__(self, options):
        build = options.build.resolve()
        self.mpi, self.mana = options.mpi, str(build / "bin" / "mana")
        self.directory = build / "restart-runs" / f"program-files-{options.mpi}"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        self.program = build / "tests" / "mpi" / "programs" / f"stress_{options.mpi}"
        self.expected = self.ends(str(self.program), *STEPS)[0]

    def run(self, *words):
        done = subprocess.run([*mpirun(self.mpi, RANKS), *words], cwd=self.directory, env=mpi_environment(), capture_output=True,
                              text=True, errors="replace", timeout=LIMIT_S, stdin=subprocess.DEVNULL, check=False)
        return done.returncode, done.stdout + done.stderr

    def ends(self, *words):
        """Runs to the end. Returns the program's result, and all that was said."""
        status, said = self.run(*words)
        found = re.search(r"checksum [0-9a-f]+", said)
        if status != 0 or not found:
            raise Failed(f"{words} ended with status {status}: {said}")
        return found.group(), said

    def expect_result(self, *words):
        result, said = self.ends(*words)
        if result != self.expected:
            raise Failed(f"{words}: another result: {result} in place of {self.expected}")
        return said

    def checkpoints(self, name, count, *how, program=None):
        """A job takes `count` checkpoints and ends with the last. Returns their directories, ascending."""
        c = self.directory / name
        job = Job([*mpirun(self.mpi, RANKS), self.mana, "run", "--ckpt-dir", name, "--keep", "all", *how, "--",
                   str(program or self.program), *STEPS], self.directory, self.directory / "log")
        job.wait_until_up(c)
        for _ in range(count - 1):
            mana(self.mana, "checkpoint", "--ckpt-dir", str(c))
        mana(self.mana, "checkpoint", "--stop", "--ckpt-dir", str(c))
        job.process.wait(LIMIT_S)
        return sorted(c.glob("gen-*"))

    def checkpoint_of_restart(self, name, *how):
        """The newest is restarted, and takes a checkpoint with which it ends."""
        job = Job([*mpirun(self.mpi, RANKS), self.mana, "restart", name, "--keep", "all", *how], self.directory, self.directory / "log")
        job.wait_until_up(self.directory / name)
        mana(self.mana, "checkpoint", "--stop", "--ckpt-dir", str(self.directory / name))
        job.process.wait(LIMIT_S)

    def shared_copies(self):
        before, newest = self.checkpoints("shared", 2, "--compress", "none")
        listed = {c["file"]: c["bytes"] for c in json.loads((newest / "manifest.json").read_text())["copies"]}
        there = {f.name: f.stat().st_size for f in newest.glob("file-*")}
        if not there or listed != there:
            raise Failed(f"the manifest lists {listed}, there is {there}")
        mana(self.mana, "verify", str(newest.parent))
        largest = max(newest.glob("file-*"), key=lambda f: f.stat().st_size)
        with largest.open("r+b") as copy:
            copy.truncate(there[largest.name] - 1)
        said = self.expect_result(self.mana, "restart", "shared", "--interval", "1000")
        if "checkpoint 2 is passed over" not in said or f"{largest.name}: the copy of a program's file has" not in said:
            raise Failed(f"not said: {said}")
        if not (newest / "failed").exists() or (before / "failed").exists():
            raise Failed("the damaged one is not marked, or the other is")

    def command(self, status, *words):
        done = subprocess.run([self.mana, *words], cwd=self.directory, capture_output=True, text=True, timeout=LIMIT_S, check=False)
        if done.returncode != status:
            raise Failed(f"mana {' '.join(words)} ended with status {done.returncode}, not {status}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def needs_map(self, program, moved, *words):
        """The command ends with the name of what is missing, and well with --map."""
        said = self.command(83, *words)
        if "--map OLD=NEW" not in said or str(program) not in said:
            raise Failed(f"not said: {said}")
        self.command(0, *words, *moved)

    def moved_program(self):
        """The program's file goes to another place, and is left out of the checkpoint then."""
        old, new = self.directory / "old", self.directory / "new"
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
        self.expect_result(self.mana, "restart", "referring/gen-000002", "--interval", "1000")
        self.command(0, "compact", "referring", "--compress", "none")
        away = new.rename(self.directory / "away")
        self.needs_map(new / program.name, ("--map", f"{new}={away}"), "extract", "referring/gen-000002", "--rank", "1", "--core", "-o", "core2")
        self.command(0, "diff", "referring/gen-000002", "referring/gen-000003")         # the sums of what is in the file tell
        self.command(83, "verify", "referring")
        self.command(0, "verify", "referring", "--generation", "3")
        self.expect_result(self.mana, "restart", "referring", "--interval", "1000")

    def go(self):
        self.shared_copies()
        self.moved_program()
        print(f"{self.mpi}: {self.expected}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    try:
        Test(parser.parse_args()).go()
        return 0
    except Failed as failed:
        print(f"FAILED: {failed}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
