"""mana compact and mana prune: the newest of a chain of incremental checkpoints is made whole, the others go, and a restart ends
with the same result; also beside a job that runs there."""
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
STEPS = ("300", "5")
LIMIT_S = 240
CHAIN = 4


class Test:
    def __init__(self, options):
        build = options.build.resolve()
        self.mpi, self.mana = options.mpi, str(build / "bin" / "mana")
        self.program = str(build / "tests" / "mpi" / "programs" / f"stress_{options.mpi}")
        self.directory = build / "restart-runs" / f"compact-{options.mpi}"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)

    def ends(self, *words):
        """Runs to the end. Returns the program's result."""
        done = subprocess.run([*mpirun(self.mpi, RANKS), *words], cwd=self.directory, env=mpi_environment(), capture_output=True,
                              text=True, errors="replace", timeout=LIMIT_S, stdin=subprocess.DEVNULL, check=False)
        found = re.search(r"checksum [0-9a-f]+", done.stdout)
        if done.returncode != 0 or not found:
            raise Failed(f"{words} ended with status {done.returncode}: {done.stdout}{done.stderr}")
        return found.group()

    def command(self, *words):
        return json.loads(mana(self.mana, *words, "--json")[1])

    def go(self):
        expected = self.ends(self.program, *STEPS)
        c = self.directory / "c"
        job = Job([*mpirun(self.mpi, RANKS), self.mana, "run", "--ckpt-dir", "c", "--incremental", "--full-every", "100",
                   "--keep", "all", "--", self.program, *STEPS], self.directory, self.directory / "log")
        job.wait_until_up(c)
        for _ in range(CHAIN):
            mana(self.mana, "checkpoint", "--ckpt-dir", str(c))
        beside = self.command("compact", str(c))
        mana(self.mana, "checkpoint", "--stop", "--ckpt-dir", str(c))
        job.process.wait(LIMIT_S)
        if beside["from"] != CHAIN or beside["to"] != CHAIN + 1:
            raise Failed(f"beside a job: {beside}")
        done = self.command("compact", str(c), "--compress", "zstd:3")
        newest = CHAIN + 2
        if done["from"] != newest or done["to"] != newest + 1 or not done["builds_on"]:
            raise Failed(f"not compacted: {done}")
        would = self.command("prune", str(c), "--keep", "1", "--dry-run")
        gone = self.command("prune", str(c), "--keep", "1")
        if would["removed"] != list(range(1, newest + 1)) or would["removed"] != gone["removed"] or would["bytes"] != gone["bytes"]:
            raise Failed(f"not what was to go: {would}, {gone}")
        if [g.name for g in c.glob("gen-*")] != [f"gen-{newest + 1:06}"]:
            raise Failed(f"left: {list(c.glob('gen-*'))}")
        mana(self.mana, "verify", str(c))
        result = self.ends(self.mana, "restart", "c", "--incremental", "--interval", "0.2", "--keep", "3")
        if result != expected:
            raise Failed(f"another result: {result} in place of {expected}")
        mana(self.mana, "verify", str(c))
        print(f"{self.mpi}: a chain of {CHAIN} made whole twice, pruned, restarted: {result}")


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
