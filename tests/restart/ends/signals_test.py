"""INV-66: a signal ends a job as natively, at whatever step of a checkpoint or a restart it comes.

Each case of the matrix: a job of two ranks, restarted from one good checkpoint, of which a thread waits at a fault point; then
a signal to that rank, or to mpirun. Where the program does not handle it, the job ends while the thread waits. Where it does,
the thread goes on, and the handler has run, and the job has ended, within a short time. The checkpoint that was there is whole.
--sample N takes so many cases by the seed; MANA_TEST_SIGNALS=all takes all.

The slow cases: the signal comes while an image is written that takes half a minute.
"""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path += [str(ROOT / "scripts" / "support"), str(ROOT / "tests" / "fault")]
from mana_job import ENDS_AT_ONCE, JOB_ENDED, NO_JOB, NOT_SAVED, Failed, descendants  # noqa: E402
from workplace import LIMIT_S, main  # noqa: E402
from matrix import ON_NODE, POINTS, PRUNES, is_after  # noqa: E402

RANKS = 2
WITHIN_S = 60       # natively less than one; Open MPI's mpirun takes one more. What must not be waited for takes 128
SIGNALS = {"INT": signal.SIGINT, "TERM": signal.SIGTERM, "HUP": signal.SIGHUP}
WAYS = ("default", "flag", "leave", "wait")
TARGETS = ("rank", "mpirun")
SLOW = [("default", "TERM", []), ("flag", "TERM", []), ("leave", "INT", []), ("wait", "HUP", []), ("default", "INT", ["--forked"]),
        ("flag", "TERM", ["--forked"]), ("leave", "TERM", ["--forked"]), ("flag", "INT", ["--local", "NODE"]),
        ("default", "HUP", ["--local", "NODE"])]


def needs_options(point):
    """What a restart is given, without which nobody comes to the point."""
    if point == "encoding":
        return ["--local", "NODE", "--redundancy", "1+1"]
    return [*(["--forked"] if point == "copied" else []), *(["--keep", "1"] if point in PRUNES else []),
            *(["--local", "NODE"] if point in ON_NODE else [])]


def all_cases():
    """given_up needs a disk that is full, moving, rebuilding and lazy_check restarts of their own kinds."""
    points = [(name, 0 if who == "coordinator" else 1) for name, _, who in POINTS
              if name not in ("given_up", "moving", "rebuilding", "lazy_check")]
    return [(point, rank, name, way, target) for point, rank in points for name in SIGNALS for way in WAYS
            for target in TARGETS]


class Waiting:
    """A thread that waits at a fault point until go()."""

    def __init__(self, directory, fault):
        self.path = directory / "pipe"
        os.mkfifo(self.path)
        os.mkfifo(f"{self.path}.go")
        self.pipe = os.open(self.path, os.O_RDWR | os.O_NONBLOCK)
        self.open = [self.pipe]
        self.environment = {"MANA_FAULT": f"{fault}=wait", "MANA_FAULT_PIPE": str(self.path)}

    def await_pid(self, job):
        text, deadline = b"", time.monotonic() + LIMIT_S
        while not text.endswith(b"\n"):
            try:
                text += os.read(self.pipe, 4096)
            except BlockingIOError:
                if job.process.poll() is not None or time.monotonic() > deadline:
                    raise Failed(f"nobody came to {self.environment['MANA_FAULT']}; see {job.log}") from None
                time.sleep(0.005)
        return int(text.split()[2])

    def go(self):
        self.open.append(os.open(f"{self.path}.go", os.O_RDWR | os.O_NONBLOCK))

    def close(self):
        for fd in self.open:
            os.close(fd)


class Bench:
    def __init__(self, place, program):
        self.place, self.mpi, self.program, self.mana = place, place.mpi, program, place.command
        self.count, self.bases, self.native = 0, {}, {}

    def part(self):
        self.count += 1
        return self.place.part(str(self.count))

    @staticmethod
    def start(part, *words, environment=None):
        given = {**{name: "1" for name in ENDS_AT_ONCE}, **(environment or {})}      # as Open MPI has it
        return part.start(*words, **given)

    def base(self, way):
        """A directory with one good checkpoint of the program."""
        if way not in self.bases:
            part = self.bases[way] = self.place.part(f"base-{way}")
            job = self.start(part, *part.run_words(self.program, way, "1"))
            job.until("ready")
            part.stop(job)
        return self.bases[way].ckpt

    def ask(self, part):
        return subprocess.Popen([self.mana, "checkpoint", "--ckpt-dir", str(part.ckpt)], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def is_native_status(self, status, way, name):
        """A job whose rank 1 gets the signal may end with this status. Which rank's death a launcher hears of first is open."""
        seen = self.native.setdefault((way, name), set())
        for _ in range(5):
            if status in seen:
                return True
            job = self.start(self.part(), self.program, way, "1")
            job.until("ready")
            os.kill(rank_process(job, 1, self.program), SIGNALS[name])
            seen.add(job.process.wait(LIMIT_S))
        return status in seen

    def run(self, point, rank, name, way, target):
        part = self.part()
        shutil.copytree(self.base(way), part.ckpt)
        options = [str(part.directory / "node") if word == "NODE" else word for word in needs_options(point)]
        waiting = Waiting(part.directory, f"{point}@{rank}")
        job = self.start(part, *part.restart_words(*options), environment=waiting.environment)
        client = None
        try:
            if not is_after(point, "moving"):
                if not job.wait_until_up(part.ckpt):
                    raise Failed(f"the job ended; see {job.log}")
                client = self.ask(part)
            pid = waiting.await_pid(job)
            begin = time.monotonic()
            (lambda s: job.process.send_signal(s) if target == "mpirun" else os.kill(pid, s))(SIGNALS[name])
            if way != "default":
                waiting.go()
            self.judge(job, client, name, way, target, begin, is_after(point, "moving") and not is_after(point, "control_joined"))
            part.mana("verify", part.ckpt)
        finally:
            waiting.close()
            finish(job, client)
        shutil.rmtree(part.directory)

    def judge(self, job, client, name, way, target, begin, is_no_program):
        """is_no_program: the restart has not made the program's process again yet, which has no handlers."""
        processes = descendants(job.process.pid)
        text = "".join(job.rest())
        status = job.process.wait(LIMIT_S)
        took = time.monotonic() - begin
        if took > WITHIN_S:
            raise Failed(f"it took {took:.1f} s; see {job.log}")
        acts = "default" if is_no_program else way
        if target == "rank" and not self.is_native_status(status, acts, name):
            raise Failed(f"mpirun: {status}, natively {self.native[acts, name]}:\n{text}")
        if way != "default" and target == "rank" and not is_no_program and "FINAL" not in text:
            raise Failed(f"the program's handler did not run:\n{text}")
        deadline = time.monotonic() + WITHIN_S
        while any(is_ours(pid) for pid in processes):
            if time.monotonic() > deadline:
                raise Failed("processes of the job are left")
            time.sleep(0.01)
        if client is None:
            return
        said, _ = client.communicate(timeout=LIMIT_S)
        if client.returncode not in (0, NO_JOB, JOB_ENDED, NOT_SAVED):
            raise Failed(f"mana checkpoint: status {client.returncode}: {said}")
        if client.returncode == NOT_SAVED and not any(words in said for words in (" got SIG", "is ending", "has ended", "cut off")):
            raise Failed(f"mana checkpoint does not say why there is none: {said}")

    def slow(self, way, name, options):
        """64 MiB at half a MiB/s."""
        part = self.part()
        options = ["--max-rate", "512K", *(str(part.directory / "node") if word == "NODE" else word for word in options)]
        job = self.start(part, *part.run_words(self.program, way, "64", options=options))
        client = None
        try:
            job.until("ready")
            client = self.ask(part)
            await_writing(part.ckpt)
            begin = time.monotonic()
            os.kill(rank_process(job, 1, self.program), SIGNALS[name])
            self.judge(job, client, name, way, "rank", begin, False)
        finally:
            finish(job, client)
        shutil.rmtree(part.directory)


def await_writing(ckpt):
    """Bytes of an image are on the disk."""
    deadline = time.monotonic() + LIMIT_S
    while not any(f.stat().st_size > 0 for f in ckpt.glob("gen-*/rank-*")):
        if time.monotonic() > deadline:
            raise Failed("no image is begun")
        time.sleep(0.01)


def rank_process(job, rank, program):
    names = (f"PMI_RANK={rank}".encode(), f"OMPI_COMM_WORLD_RANK={rank}".encode())
    for pid in descendants(job.process.pid):
        process = pathlib.Path(f"/proc/{pid}")
        if pathlib.Path(program).name.encode() in (process / "cmdline").read_bytes().split(b"\0")[0] and \
           any(name in (process / "environ").read_bytes().split(b"\0") for name in names):
            return pid
    raise Failed(f"no process of rank {rank}")


def is_ours(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def finish(job, client):
    if job.process.poll() is None:
        job.kill()
    if client is not None and client.poll() is None:
        client.kill()
        client.wait()


def add_choice(parser):
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--slow", type=int, default=len(SLOW))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="words of a case: all of them are in it")


def tell(place, options):
    cases = all_cases()
    chosen = random.Random(f"{options.seed} {options.mpi}")
    if options.sample and os.environ.get("MANA_TEST_SIGNALS") != "all":
        cases = chosen.sample(cases, min(options.sample, len(cases)))
    slow = SLOW if options.slow >= len(SLOW) else chosen.sample(SLOW, options.slow)
    bench = Bench(place, options.program)
    work = [(" ".join(map(str, case)), bench.run, case) for case in cases]
    work += [(f"slow {way} {name} {' '.join(words)}", bench.slow, (way, name, words)) for way, name, words in slow]
    if options.only:
        work = [w for w in work if all(word in w[0].split() for word in options.only.split())]
    for text, run, case in work:
        try:
            run(*case)
        except (Failed, OSError, subprocess.TimeoutExpired) as failed:
            place.check(f"{options.mpi} {text}", False, failed)
    print(f"{options.mpi}: {len(work)} cases, {place.failures} wrong")
    place.check("there are cases", bool(work))


if __name__ == "__main__":
    sys.exit(main(__doc__, "signals", tell, add_choice, ranks=RANKS, program="told.c, as it was built"))
