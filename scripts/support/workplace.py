"""What drivers of tests have in common: a directory of their own, the jobs that they start in it, and their main function.

    def tell(place, options):
        native = place.start(options.program).end()
        job = place.run(options.program)
        place.checkpoint()
        pieces = job.killed()
        place.require("its restart", pieces + place.restart().end(), native)

    sys.exit(main(__doc__, "a_name", tell, program="what it prints"))
"""
import argparse
import collections
import copy
import os
import pathlib
import re
import shutil
import subprocess

from known_mpis import FAMILIES
from mana_job import Failed, Job, has_ended_well, mana, mpi_environment, mpirun

LIMIT_S = 240       # for what must come: nothing is waited for without need, and a machine may have much to do
SKIPPED = 77
LONGEST = 2000

Ended = collections.namedtuple("Ended", "status output errors")


class Skip(Exception):
    """This machine cannot run the test; the text says why."""


def shown(what):
    """The end of what is long."""
    text = str(what)
    return text if len(text) <= LONGEST else "…" + text[-LONGEST:]


class Workplace:
    """The directory restart-runs/NAME-MPI of the build tree, empty at first, and jobs over this MPI, or of one process without one
    (ranks 0). Checkpoints are in ckpt/.

    At its end whatever still runs is killed. failures: checks that did not hold.
    """

    def __init__(self, options, name, ranks=2):
        self.build, self.mpi, self.ranks = options.build.resolve(), options.mpi, ranks
        self.command = str(self.build / "bin" / "mana")
        self.directory = self.build / "restart-runs" / (f"{name}-{self.mpi}" if self.mpi else name)
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        self.log, self.ckpt = self.directory / "log", self.directory / "ckpt"
        self.jobs, self.failures = [], 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        """Of all jobs."""
        for job in self.jobs:
            if job.process.poll() is None:
                job.kill()

    def part(self, name):
        """The same place for jobs with a directory of their own below this one."""
        made = copy.copy(self)
        made.directory = self.directory / name
        made.directory.mkdir()
        made.log, made.ckpt = made.directory / "log", made.directory / "ckpt"
        made.check = self.check         # one count of failures
        return made

    def program(self, name, part="mpi"):
        """One of tests/<part>, as it was built for this MPI."""
        return str(self.build / "tests" / part / "programs" / f"{name}_{self.mpi}")

    def launcher(self, ranks):
        wanted = self.ranks if ranks is None else ranks
        return mpirun(self.mpi, wanted) if wanted else []

    # ---- jobs that are watched

    def start(self, *words, ranks=None, before=(), directory=None, **environment):
        """mpirun of these words, or these alone where ranks is 0. before: words in front of it"""
        launch = [*before, *self.launcher(ranks), *map(str, words)]
        job = Job(launch, directory or self.directory, self.log, environment)
        self.jobs.append(job)
        return job

    def run(self, *program, options=(), up=True, before=(), ckpt="ckpt", **how):
        """A job from its beginning, without older checkpoints. up: it has come so far that it can be asked. before: words in
        front of mana"""
        job = self.start(*before, *self.run_words(*program, options=options, ckpt=ckpt), **how)
        if up and not job.wait_until_up(self.directory / ckpt):
            raise Failed(f"the job ended before it could answer; see {self.log}")
        return job

    def restart(self, *options, ckpt="ckpt", **how):
        (self.directory / ckpt / "job.json").unlink(missing_ok=True)        # of a job that was killed
        return self.start(self.command, "restart", *options, self.directory / ckpt, **how)

    # ---- commands

    def checkpoint(self, *words, ckpt="ckpt"):
        return self.mana("checkpoint", "--ckpt-dir", self.directory / ckpt, *words)

    def stop(self, job, ckpt="ckpt"):
        """A checkpoint that ends the job. Returns the lines that it still said."""
        self.checkpoint("--stop", ckpt=ckpt)
        return job.end()

    def mana(self, *words):
        """A command without mpirun, which must end well. Returns what it said."""
        return mana(self.command, *map(str, words), timeout_s=LIMIT_S)[1]

    def refused(self, status, *words):
        """A command that ends with this status. Returns all that it said."""
        done = self.ended(self.command, *words, ranks=0)
        if done.status != status:
            raise Failed(f"mana {' '.join(map(str, words))} ended with status {done.status}, not {status}: {done.output}"
                         f"{done.errors}")
        return done.output + done.errors

    def ended(self, *words, ranks=None, given=os.devnull, **environment):
        """What came of these words under mpirun, or without it where ranks is 0. given: the file that is their input"""
        with (self.directory / given).open() as opened:
            done = subprocess.run([*self.launcher(ranks), *map(str, words)], cwd=self.directory, env={**mpi_environment(), **environment},
                                  stdin=opened, capture_output=True, text=True, errors="replace", timeout=LIMIT_S, check=False)
        return Ended(done.returncode, done.stdout, done.stderr)

    def run_words(self, *program, options=(), ckpt="ckpt"):
        """Those of mana run, where no older checkpoint is."""
        shutil.rmtree(self.directory / ckpt, ignore_errors=True)
        return (self.command, "run", "--ckpt-dir", self.directory / ckpt, *options, "--", *program)

    def restart_words(self, *options, ckpt="ckpt"):
        return (self.command, "restart", self.directory / ckpt, *options)

    def result(self, *words, expected=None, **how):
        """The checksum with which they end, and all that they say; Failed if it is not `expected`, or they do not end well."""
        done = self.ended(*words, **how)
        found = re.search(r"checksum [0-9a-f]+", done.output)
        if not found or not has_ended_well(done.status, done.errors) or expected not in (None, found.group()):
            raise Failed(f"{words} ended with status {done.status}, and not with {expected or 'a checksum'}: {done.output}"
                         f"{done.errors}")
        return found.group(), done.output + done.errors

    # ---- what must hold

    def require(self, what, found, expected):
        if found != expected:
            raise Failed(f"{what}: {shown(found)} instead of {shown(expected)}; see {self.log}")

    def check(self, what, holds, said=""):
        """Counts what does not hold, and goes on."""
        print(what if holds else f"FAILED {what}:\n{said}", flush=True)
        self.failures += not holds

    def expect(self, what, found, wanted, said=""):
        """The same, of what is found."""
        self.check(what, found == wanted, f"{shown(found)}, and not {shown(wanted)}\n{shown(said)}")


def main(about, name, tell, *further, ranks=2, **positional):
    """Tells the story to which the command line belongs. Returns the exit status.

    name: of the place, may have {options}; ranks: 0: without MPI; positional: programs, as paths, and what they are;
    further: functions that are given the parser, for other arguments
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.set_defaults(mpi=None)
    if ranks:
        parser.add_argument("--mpi", choices=FAMILIES, required=True)
    for argument, what in positional.items():
        parser.add_argument(argument, type=os.path.abspath, help=what)
    for add in further:
        add(parser)
    options = parser.parse_args()
    try:
        with Workplace(options, name.format(**vars(options)), ranks) as place:
            tell(place, options)
            return 1 if place.failures else 0
    except Skip as skipped:
        print(f"skipped: {skipped}")
        return SKIPPED
    except (Failed, subprocess.SubprocessError) as failed:
        print(f"FAILED: {failed}")
        return 1
