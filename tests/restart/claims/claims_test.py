"""Jobs, and restarts, that have one directory of checkpoints: one runs, the others are refused by name and touch nothing; what a
killed job left behind keeps nobody out. And a job that was saved and stopped has an exit status of its own.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import Failed, descendants  # noqa: E402
from workplace import LIMIT_S, main  # noqa: E402

RANKS = 2
AT_ONCE = 8
IN_USE, STOPPED = 87, 88        # exit statuses


class Claims:
    def __init__(self, place, options):
        self.place, self.program = place, options.program
        self.directory = place.directory

    def begin(self):
        """A new directory, in which nothing is."""
        self.place.end()
        self.place.jobs.clear()
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)

    def start(self, *words):
        self.place.log = self.directory / f"log-{len(self.place.jobs)}"         # what each job said is looked at
        return self.place.start(self.place.command, *words)

    def run(self, name, *more, options=()):
        return self.start("run", *options, "--", self.program, name, *more)

    def up(self, job, after=None):
        """Until the job's file is there; in place of one of `after`, a process that was killed."""
        while True:
            if not job.wait_until_up(self.directory / "mana-ckpt"):
                raise Failed(f"the job ended at once: {job.log.read_text()}")
            if self.rank_0() != after:
                return
            if job.process.poll() is not None:
                raise Failed(f"the job ended: {job.log.read_text()}")
            time.sleep(0.005)

    def rank_0(self):
        return json.loads((self.directory / "mana-ckpt" / "job.json").read_text())["pid"]

    def traces(self):
        return sorted({path.name.split(".")[1] for path in self.directory.glob("begun.*")})

    def generations(self):
        return sorted(path.parent.name for path in (self.directory / "mana-ckpt").glob("gen-*/manifest.json"))

    def command(self, *words):
        """A command of mana in the directory. Returns its status and what it said."""
        done = self.place.ended(self.place.command, *words, ranks=0)
        return done.status, done.output + done.errors

    def checkpoint(self, *words):
        status, text = self.command("checkpoint", *words)
        if status != 0:
            raise Failed(f"mana checkpoint ended with {status}: {text}")
        return text

    @staticmethod
    def status(job):
        status = job.process.wait(LIMIT_S)
        job.rest()
        return status

    def require_refused(self, job, what):
        status = self.status(job)
        text = job.log.read_text()
        if status != IN_USE or not re.search(rf"{what}.*\(process \d+ on \S+, since \d{{4}}-", text):
            raise Failed(f"status {status} instead of {IN_USE} with a name: {text}")

    def require_end(self, job, name):
        (self.directory / "go").touch()
        status = self.status(job)
        if status != 0 or f"FINAL job {name}" not in job.log.read_text():
            raise Failed(f"the job that was there first ended with {status}: {job.log.read_text()}")

    def one_of(self, jobs, what):
        """Waits until all but one have been refused. Returns that one."""
        deadline = time.monotonic() + LIMIT_S
        while sum(job.process.poll() is None for job in jobs) > 1 and time.monotonic() < deadline:
            time.sleep(0.02)
        left = [job for job in jobs if job.process.poll() is None]
        if len(left) != 1:
            raise Failed(f"{len(left)} of {len(jobs)} run at the same time")
        for job in jobs:
            if job is not left[0]:
                self.require_refused(job, what)
        return left[0]

    # ---- the cases

    def eight_at_once(self):
        jobs = {str(i): self.run(str(i)) for i in range(AT_ONCE)}
        first = self.one_of(list(jobs.values()), "another job runs with this directory of checkpoints")
        self.up(first)
        name = next(name for name, job in jobs.items() if job is first)
        if self.traces() != [name]:
            raise Failed(f"programs of jobs {self.traces()} began, and {name} alone was to")
        self.checkpoint()
        self.require_refused(self.run("late"), "another job runs")
        self.checkpoint()
        if self.generations() != ["gen-000001", "gen-000002"]:
            raise Failed(f"of the first job's checkpoints there are {self.generations()}")
        self.require_end(first, name)

    def eight_restarts_at_once(self):
        job = self.run("one")
        self.up(job)
        self.checkpoint()
        self.require_refused(self.start("restart", "mana-ckpt"), "the job of this directory of checkpoints still runs")
        self.checkpoint()          # it was not harmed
        job.kill()
        jobs = [self.start("restart") for _ in range(AT_ONCE)]
        first = self.one_of(jobs, "the job of this directory of checkpoints still runs")
        self.up(first)
        self.checkpoint()
        self.require_end(first, "one")

    def at_once_after_a_kill(self):
        """Nobody waits for the ends of the processes that were killed, nor for their launcher."""
        job = self.run("one", "child")
        killed = None
        for _ in range(3):
            self.up(job, killed)
            self.checkpoint()
            killed = self.rank_0()
            for pid in [pid for pid in descendants(job.process.pid) if not self.is_forked(pid)]:
                os.kill(pid, signal.SIGKILL)
            job = self.start("restart")
        self.up(job, killed)
        self.require_end(job, "one")

    @staticmethod
    def is_forked(pid):
        """A copy of its parent."""
        try:
            name = pathlib.Path(f"/proc/{pid}/comm").read_text()
            parent = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]
            return name == pathlib.Path(f"/proc/{parent}/comm").read_text()
        except OSError:
            return False

    def stopped(self):
        for options, status in (((), STOPPED), (("--stopped-status", "0"), 0), (("--stopped-status", "99"), 99)):
            shutil.rmtree(self.directory / "mana-ckpt", ignore_errors=True)
            job = self.run("one", options=options)
            self.up(job)
            self.checkpoint("--stop")
            restart = self.start("restart", *options)      # at once: the first one's ranks may still be ending
            if self.status(job) != status:
                raise Failed(f"a job that was stopped with {options} ended with {job.process.returncode}: {job.log.read_text()}")
            if (status != 0) != ("was saved and stopped" in job.log.read_text()):
                raise Failed(f"it does not say so: {job.log.read_text()}")
            self.up(restart)
            self.checkpoint("--stop")
            if self.status(restart) != status:
                raise Failed(f"a restart that was stopped with {options} ended with {restart.process.returncode}")
        job = self.run("one", options=("--stop-after", "0.5"))
        if self.status(job) != STOPPED:
            raise Failed(f"--stop-after: status {job.process.returncode}")
        job = self.start("restart")
        self.up(job)
        self.require_end(job, "one")

    def words_without_directory(self):
        """All commands look in the same place, and amounts have one unit."""
        job = self.run("one")
        self.up(job)
        amounts = [self.checkpoint()]
        self.checkpoint("mana-ckpt")
        for words in (("status",), ("list",), ("inspect",), ("verify",), ("prune", "--keep", "1"), ("compact",), ("status", "mana-ckpt"),
                      ("list", "--ckpt-dir", "mana-ckpt"), ("extract", "--rank", "0", "--section", "run", "-o", "section")):
            status, text = self.command(*words)
            amounts.append(text)
            if status != 0:
                raise Failed(f"mana {' '.join(words)} ended with {status}: {text}")
        if not any(" MiB" in text for text in amounts) or any(re.search(r"\d [kMGT]B\b", text) for text in amounts):
            raise Failed(f"amounts in other units than MiB: {amounts}")
        self.require_end(job, "one")


def tell(place, options):
    claims = Claims(place, options)
    for case in (claims.eight_at_once, claims.eight_restarts_at_once, claims.at_once_after_a_kill, claims.stopped,
                 claims.words_without_directory):
        if options.case not in (None, case.__name__):
            continue
        begun = time.monotonic()
        try:
            claims.begin()
            case()
            print(f"{case.__name__}: as it should be, {time.monotonic() - begun:.1f} s", flush=True)
        except (Failed, subprocess.TimeoutExpired) as failed:
            place.check(case.__name__, False, failed)
        finally:
            (claims.directory / "go").touch()
            place.end()


def arguments(parser):
    parser.add_argument("--case", help="this one alone")


if __name__ == "__main__":
    sys.exit(main(__doc__, "claims", tell, arguments, ranks=RANKS, program="claimed.c"))
