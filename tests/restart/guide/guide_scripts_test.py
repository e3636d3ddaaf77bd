"""Each complete script for a batch system that the guide prints saves its job before the limit and asks for the next run, and the same
script restarts the job, which then ends. Stand-ins for srun, mpirun, flux, scontrol and qsub start ranks here, and note requests.
"""
import json
import os
import pathlib
import re
import signal
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts" / "support"))
from mana_job import STOPPED, Failed, Job, mpirun  # noqa: E402
from workplace import LIMIT_S, main  # noqa: E402

BLOCK = re.compile(r"(?:^ {4}.*\n|^\n(?= {4}))+", re.M)
STOP_AFTER = ("--stop-after 85800", "--stop-after 1")         # a day is too long for a test
SLURM = {"SLURM_JOB_ID": "70", "SLURM_ARRAY_JOB_ID": "71", "SLURM_ARRAY_TASK_ID": "3", "SLURM_NTASKS": "2"}


def scripts():
    """(page, number, text) of each complete script."""
    for page in ("slurm", "pbs-and-flux"):
        blocks = BLOCK.findall((ROOT / "docs" / "guide" / f"{page}.md").read_text())
        texts = [re.sub(r"^ {4}", "", block, flags=re.M).lstrip("\n") for block in blocks]
        yield from ((page, i, text) for i, text in enumerate(t for t in texts if t.startswith("#!")))


class Batch:
    """A directory for one script, with the commands of a batch system."""

    def __init__(self, place, program, script):
        page, number, text = script
        self.place, self.name, self.text = place, f"{page}-{number}", text
        self.directory = place.directory / self.name
        self.commands = self.directory / "bin"
        self.commands.mkdir(parents=True)
        launch = " ".join(mpirun(place.mpi, place.ranks))
        for name, words in (("srun", "shift"), ("mpirun", "shift 2"), ("flux", '[ "$1" = run ] || { echo "flux $*" >>asked; exit; }\nshift 2')):
            self.stand_in(name, f'{words}\nexec {launch} "$@"')
        for name in ("scontrol", "qsub"):
            self.stand_in(name, f'echo "{name} $*" >>asked')
        (self.directory / "job").write_text(text.replace("./APP", program).replace(*STOP_AFTER))

    def stand_in(self, name, text):
        path = self.commands / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def start(self):
        found = f"{self.commands}:{pathlib.Path(self.place.command).parent}:{os.environ['PATH']}"
        own = {name: str(self.directory) for name in ("SLURM_SUBMIT_DIR", "PBS_O_WORKDIR", "PWD")}
        job = Job(["bash", "job"], self.directory, self.place.log, {"PATH": found, **own, **SLURM})
        self.place.jobs.append(job)
        return job

    def job_file(self, job):
        """Of the running job, when its ranks have come."""
        deadline = time.monotonic() + LIMIT_S
        while not (found := list(self.directory.glob("ckpt-*/job.json"))):
            if job.process.poll() is not None or time.monotonic() > deadline:
                raise Failed(f"{self.name}: no job comes up; see {self.place.log}")
            time.sleep(0.01)
        return found[0]

    def send_signal(self, job):
        """As the batch system does before the limit: to the ranks, or to the batch shell."""
        wanted = re.search(r"^#SBATCH --signal=(B:)?USR1@", self.text, re.M)
        if not wanted:
            return
        file = self.job_file(job)
        job.wait_until_up(file.parent)
        os.kill(job.process.pid if wanted[1] else json.loads(file.read_text())["pid"], signal.SIGUSR1)

    def tell(self):
        first = self.start()
        self.send_signal(first)
        said, status = "".join(first.rest()), first.process.wait(LIMIT_S)
        self.place.require(f"{self.name}: status of the first run ({said})", status, STOPPED)
        asked = (self.directory / "asked").read_text().split()
        self.place.require(f"{self.name}: requests", asked[0] in ("scontrol", "qsub", "flux") and len(asked) >= 2, True)
        (self.directory / "go").touch()
        second = self.start()
        said, status = "".join(second.rest()), second.process.wait(LIMIT_S)
        self.place.require(f"{self.name}: the second run ({said})", (status, "FINAL job" in said), (0, True))
        self.place.require(f"{self.name}: programs that began", len(list(self.directory.glob("begun.*"))), self.place.ranks)
        self.place.require(f"{self.name}: requests in all", len((self.directory / "asked").read_text().splitlines()), 1)
        print(f"{self.name}: saved, asked for again ({' '.join(asked)}), restarted, ended")


def tell(place, options):
    found = list(scripts())
    place.require("scripts in the guide", len(found), 5)
    for script in found:
        Batch(place, options.program, script).tell()


sys.exit(main(__doc__, "guide_scripts", tell, program="claimed.c of tests/restart/claims"))
