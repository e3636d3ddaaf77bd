"""What the fault matrix works with: a job that may die, the checkpoints that it leaves, and what must hold of both."""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "scripts" / "support"), str(ROOT / "tests" / "restart")]
from clock_traces import ClockTraces  # noqa: E402
from comparison import Comparison  # noqa: E402
from mana_job import Failed, Job, descendants, has_ended_well, is_rank, mpirun  # noqa: E402

LIMIT_S = 240            # for whatever must not hang
STEPS, PAUSE_MS = 120, 10
MOST_LINES = 10         # of output, between the start of a job and what is done to it
JOB_ENDED = 92
NOT_SAVED = 94
# What a rank prints that ends because another one has died: mpirun may report its status instead of the signal.
COPIED_FROM_DEAD = re.compile(r"process_vm_(readv|writev)\(.*No such process")
JOINED_DEAD = re.compile(r"mana: error: rank 0, .*cannot be reached: Connection refused")


def text_of(file):
    try:
        return file.read_text()
    except OSError:
        return ""


def state_of(pid):
    """The letter of proc(5); X if there is no such process"""
    fields = text_of(pathlib.Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return fields[0] if fields else "X"


def lives(pid):
    return state_of(pid) not in "ZX"


def await_that(condition, what):
    """For what nobody announces: processes that end, files that other processes write."""
    deadline = time.monotonic() + LIMIT_S
    while not condition():
        if time.monotonic() > deadline:
            raise Failed(f"not within {LIMIT_S} s: {what}")
        time.sleep(0.005)


class Run(Job):
    """One mpirun of a case. The job file of an earlier job of the directory may still be there."""

    def __init__(self, words, directory, environment=None):
        self.job_file = directory / "ckpt" / "job.json"
        self.stale = text_of(self.job_file)
        self.text, self.pids = "", []
        super().__init__(words, directory, directory / "log", environment)

    def _is_announced(self):
        return text_of(self.job_file) not in ("", self.stale)

    def _is_up(self):
        return self._is_announced() and json.loads(text_of(self.job_file))["port"] != 0

    def await_announced(self):
        """Its processes are there; it may have ended already."""
        await_that(lambda: self._is_announced() or self.process.poll() is not None, f"the job starts; see {self.log}")
        self.pids = descendants(self.process.pid)

    def await_up(self):
        await_that(lambda: self._is_up() or self.process.poll() is not None, f"the job comes up; see {self.log}")
        if self.process.poll() is not None:
            self.read()
            raise Failed(f"the job ended with status {self.process.returncode} before it was up: {self.last_lines()}; "
                         f"see {self.log}")
        self.pids = descendants(self.process.pid)

    def read(self, lines=None):
        """Reads on: so many lines, or all that are left."""
        while lines is None or lines > 0:
            line = self.next_line(LIMIT_S)
            if line is None:
                break
            self.text += line
            lines = None if lines is None else lines - 1
        return self.text

    def process_of(self, rank):
        """The process of a rank, as its MPI numbered it in the environment."""
        names = (f"PMI_RANK={rank}".encode(), f"OMPI_COMM_WORLD_RANK={rank}".encode())
        for pid in self.pids:
            process = pathlib.Path(f"/proc/{pid}")
            if is_rank(pid) and any(name in (process / "environ").read_bytes().split(b"\0") for name in names):
                return pid
        raise Failed(f"no process of rank {rank}")

    def last_lines(self):
        """For a failure whose files nobody can look at."""
        return "".join(self.text.splitlines(keepends=True)[-15:])

    def ended(self):
        """The exit status of mpirun, which must end, with all that it started."""
        self.read()
        try:
            status = self.process.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            raise Failed(f"the job does not end; see {self.examine()}") from None
        await_that(lambda: not any(lives(pid) for pid in self.pids), "the processes of the job end with mpirun")
        return status

    def must_end_well(self):
        status = self.ended()
        if not has_ended_well(status, self.text):
            raise Failed(f"mpirun ended with status {status}: {self.last_lines()}; see {self.log}")

    def must_end_killed(self, rank_0_died=False):
        """The process died by SIGKILL and of nothing else: mpirun ends with the signal, or with 128 more.

        Two kinds of ranks end at that moment too: one that copies from the dead one's memory (cross memory attach), by the
        network library, natively too; and one that joins the job when rank 0 is dead."""
        status, text = self.ended(), text_of(self.log)
        ended_by_death = COPIED_FROM_DEAD.search(text) or (rank_0_died and status == JOB_ENDED and JOINED_DEAD.search(text))
        if status not in (signal.SIGKILL, 128 + signal.SIGKILL) and not ended_by_death:
            raise Failed(f"mpirun ended with status {status}, not with that of a killed process: {self.last_lines()}; "
                         f"see {self.log}")

    def clear(self):
        """Nothing of the job is left, whatever became of its case."""
        if self.process.poll() is None:
            self.kill()
        for pid in filter(lives, self.pids):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # it ended meanwhile


class Bench:
    """A directory per case, with one good checkpoint in it: generation 1."""

    def __init__(self, options, name="fault"):
        build = options.build.resolve()
        self.mpi, self.ranks = options.mpi, options.ranks
        self.tree = ["--fan-out", str(options.fan_out)] if options.fan_out else []
        self.random = random.Random(options.seed)
        self.mana = str(build / "bin" / "mana")
        self.program = str(build / "tests" / "mpi" / "programs" / f"stress_{options.mpi}")
        self.top = build / "restart-runs" / f"{name}-{options.mpi}-{options.ranks}"
        shutil.rmtree(self.top, ignore_errors=True)
        self.traces = ClockTraces(build, self.top)
        self.directory = self.top
        self.output = Comparison(re.compile("^(step|checksum)"))
        self.runs, self.pieces = [], []
        self.checkpoint_s = 0.0

    # ---- cases

    def prepare(self):
        """The undisturbed run, and the checkpoint that all cases begin with."""
        self.directory = self.top / "good"
        self.directory.mkdir(parents=True)
        command = [self.program, str(STEPS), str(PAUSE_MS)]
        native = self.start(*command)
        native.must_end_well()
        self.output.expected = self.output.of(native.text)
        job = self.start(self.mana, "run", "--ckpt-dir", "ckpt", *self.tree, *self.traces.options(), "--", *command)
        job.await_up()
        job.read(MOST_LINES)
        begin = time.monotonic()
        self.saved("--stop")
        self.checkpoint_s = time.monotonic() - begin
        job.must_end_well()
        self.first_piece = job.text

    def begin_case(self, name):
        self.directory = self.top / name
        shutil.copytree(self.top / "good" / "ckpt", self.directory / "ckpt", ignore=shutil.ignore_patterns("job.json"))
        self.runs, self.pieces = [], [self.first_piece]

    def end_case(self):
        for job in self.runs:
            job.clear()

    # ---- jobs

    def start(self, *words, environment=None):
        job = Run([*mpirun(self.mpi, self.ranks), *words], self.directory, environment)
        self.runs.append(job)
        return job

    def restart(self, fault=None, *options, environment=None):
        return self.start(self.mana, "restart", "ckpt", *self.tree, *self.traces.options(), *options,
                          environment={**({"MANA_FAULT": fault} if fault else {}), **(environment or {})})

    def running(self, fault=None, *options, environment=None):
        """A restarted job, at a random moment of its first lines."""
        job = self.restart(fault, *options, environment=environment)
        job.await_up()
        job.read(self.random.randint(0, MOST_LINES))
        return job

    def end_dead(self, job):
        """The job was killed: all of it ends, and what it leaves is no job any more."""
        job.must_end_killed()
        self.pieces.append(job.text)
        status, text = self.checkpoint()
        if status != JOB_ENDED:
            raise Failed(f"mana checkpoint of the job that died: status {status}: {text}")

    def end_well(self, job):
        """The job runs to its end, and all pieces of its output together are those of the undisturbed run."""
        job.must_end_well()
        differs = self.output.pieces_differ([*self.pieces, job.text])
        if differs is not None:
            raise Failed(f"the output differs\n{differs}\n(all of it: {job.log})")

    # ---- mana checkpoint

    def ask(self, *words):
        return subprocess.Popen([self.mana, "checkpoint", "--ckpt-dir", str(self.directory / "ckpt"), *words],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def answer(self, client):
        """(exit status, what it said)"""
        try:
            text, _ = client.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            client.kill()
            client.wait()
            where = self.runs[-1].examine() if self.runs else "no job"
            raise Failed(f"mana checkpoint does not return within {LIMIT_S} s; see {where}") from None
        return client.returncode, text.strip()

    def checkpoint(self, *words):
        return self.answer(self.ask(*words))

    def saved(self, *words):
        """Takes a checkpoint. Returns its generation, which must be the newest that is complete."""
        status, text = self.checkpoint(*words)
        newest = self.newest()
        if status != 0 or newest is None or not text.startswith(str(self.generation(newest))):
            raise Failed(f"mana checkpoint: status {status}, generation {newest} is the newest complete one: {text}")
        return newest

    # ---- what is in the checkpoint directory

    def generations(self):
        """{generation: whether it is complete}. Failed if one is complete and torn."""
        done = subprocess.run([self.mana, "verify", "ckpt", "--json"], cwd=self.directory, capture_output=True,
                              text=True, timeout=LIMIT_S, check=False)
        if done.returncode != 0:
            raise Failed(f"mana verify: status {done.returncode}: {done.stdout}{done.stderr}")
        found = {view["generation"]: view for view in json.loads(done.stdout)["checkpoints"]}
        for number, view in found.items():
            files = {file.name for file in self.generation(number).iterdir() if not file.name.startswith("file-")}
            whole = {"manifest.json", *(f"rank-{rank:05}.mana" for rank in range(self.ranks))}
            if view["complete"] and (not view["sound"] or view["ranks"] != self.ranks or files != whole):
                raise Failed(f"generation {number} counts as complete and is torn: {sorted(files)}, {view}")
        return {number: view["complete"] for number, view in found.items()}

    def generation(self, number):
        return self.directory / "ckpt" / f"gen-{number:06}"

    def newest(self):
        return max((number for number, complete in self.generations().items() if complete), default=None)

    def require_newest(self, *allowed):
        newest = self.newest()
        if newest not in allowed:
            raise Failed(f"the newest complete generation is {newest}, not {' or '.join(map(str, allowed))}")
        return newest

    # ---- afterwards

    def recover(self):
        """A restart without fault: it goes on from the newest checkpoint, can be checkpointed, and ends well."""
        before = self.newest()
        job = self.running()
        newest = self.saved()
        after = self.generations()
        if newest <= before or not all(after.values()):
            raise Failed(f"after one more checkpoint there are the generations {after} ({before} was the newest)")
        self.end_well(job)
