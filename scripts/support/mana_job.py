"""An MPI job under mana, as the demo and the storm drive it: start, watch, checkpoint, kill, restart."""
import atexit
import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import diagnosis
from known_mpis import of_tests

STEP = re.compile(r"step (\d+) of (\d+)")
CHECKSUM = re.compile(r"checksum ([0-9a-fA-F]+)")


def own_directory():
    """A new directory until this process ends."""
    directory = tempfile.mkdtemp(prefix="mana-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


def mpirun(mpi, ranks):
    """Words that start `ranks` processes of this MPI, also on fewer cores."""
    further = of_tests(mpi, "mpirun")
    return [f"mpirun.{mpi}", "-n", str(ranks), *(own_directory() if word == "{directory}" else word for word in further)]


def without_configuration(environment):
    """What the caller has configured for mana counts for nothing: a directory that is not there is looked in."""
    kept = {name: value for name, value in environment.items() if name != "MANA_CONFIG"}
    return {**kept, "XDG_CONFIG_HOME": str(pathlib.Path(__file__).resolve().parent / "no-configuration")}


def mpi_environment():
    """The caller's environment without a configuration of mana, with Open MPI's leave to run as root where we are root."""
    environment = without_configuration(os.environ)
    if os.geteuid() == 0:
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    return environment


def is_rank(pid):
    """Whether mana has the process: what its command line shows is the program's."""
    try:
        return os.readlink(f"/proc/{pid}/exe").rpartition("/")[2].startswith("mana-lower-")
    except OSError:
        return False


def descendants(pid):
    """`pid` and all processes below it, parents first."""
    found = [pid]
    for parent in found:
        try:
            threads = os.listdir(f"/proc/{parent}/task")
        except OSError:
            continue  # it ended meanwhile
        for thread in threads:
            try:
                children = pathlib.Path(f"/proc/{parent}/task/{thread}/children").read_text()
            except OSError:
                continue
            found += [int(child) for child in children.split()]
    return found


LAUNCHERS = ("mpirun", "mpiexec", "hydra", "orted", "prte")
LAUNCHER_ENDS_S = 20
# Open MPI's launcher gives ranks that it ends a second between SIGTERM and SIGKILL, also where none lives any more.
ENDS_AT_ONCE = {"OMPI_MCA_odls_base_sigkill_timeout": "0"}
NO_JOB, JOB_ENDED, NOT_SAVED = 90, 92, 94      # exit statuses of mana checkpoint
STOPPED = 88      # of a job that was saved and stopped


class Failed(Exception):
    """The job or the command did not do what was expected; the text says what. status: of the command, if it was one"""

    def __init__(self, text, status=None):
        super().__init__(text)
        self.status = status


def has_ended_well(status, text):
    """It is done, or was saved and stopped as it was asked to, which it says."""
    return status == 0 or status == STOPPED and "the job was saved and stopped on request" in text


def is_up(job_file):
    """True once the coordinator of the job has written where it listens."""
    try:
        return json.loads(job_file.read_text())["port"] != 0
    except (OSError, ValueError):
        return False


class Job:
    """One mpirun. Lines of its output arrive in a queue, so that a silent job can be given up. said: those that were read.

    environment: what is added to the caller's. given: the standard input. errors: the file of the standard error, which is
    otherwise part of the output
    """

    def __init__(self, words, directory, log, environment=None, given=subprocess.DEVNULL, errors=subprocess.STDOUT):
        self.log = pathlib.Path(log)
        self.started = time.monotonic()
        complete = {**mpi_environment(), **ENDS_AT_ONCE, **(environment or {})}
        self.process = subprocess.Popen(words, cwd=directory, env=complete, stdin=given, stdout=subprocess.PIPE, stderr=errors,
                                        text=True, errors="replace")
        self.lines, self.said = queue.Queue(), []       # those to come, and those that were read
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        with self.log.open("a") as log:
            for line in self.process.stdout:
                log.write(line)
                log.flush()
                self.lines.put(line)
        self.lines.put(None)

    def next_line(self, timeout_s=240):
        """The next line of output, None at its end (and then always). A job that is silent for timeout_s is examined and
        killed: Failed."""
        try:
            line = self.lines.get(timeout=timeout_s)
            if line is None:
                self.lines.put(None)
            else:
                self.said.append(line)
            return line
        except queue.Empty:
            where = self.examine()
            self.kill()
            raise Failed(f"no output for {timeout_s} s; see {self.log}, and {where}: what its processes were doing") from None

    def until(self, text):
        """The lines up to the next one that has `text`, which must come."""
        begin = len(self.said)
        while (line := self.next_line()) is not None:
            if text in line:
                return self.said[begin:]
        raise Failed(f"the job ended without a line with \"{text}\"; see {self.log}")

    def rest(self):
        """The lines that were not read yet, to the last."""
        begin = len(self.said)
        while self.next_line() is not None:
            pass
        return self.said[begin:]

    def end(self):
        """The same, of a job that ends well."""
        lines = self.rest()
        self.wait()
        return lines

    def killed(self):
        """Kills the job. Returns the lines that had not been read."""
        self.kill()
        return self.rest()

    def examine(self):
        """Writes down what each process of the job is doing, and prints the gist: a machine that runs tests keeps no files.
        Returns the directory."""
        directory = self.log.parent / f"hang-{self.process.pid}"
        diagnosis.gather(descendants(self.process.pid), directory)
        print(diagnosis.digest(directory), flush=True)
        return directory

    def wait(self, timeout_s=240):
        """Waits for the end; raises Failed unless it is done, or was saved and stopped."""
        status = self.process.wait(timeout_s)
        if status != 0:
            self.reader.join(LAUNCHER_ENDS_S)       # all that it said is in the log then
        text = self.log.read_text(errors="replace")
        if not has_ended_well(status, text):
            tail = "".join(text.splitlines(keepends=True)[-15:])
            raise Failed(f"mpirun ended with status {status}:\n{tail}(all of it: {self.log})")

    def wait_until_up(self, directory, timeout_s=240):
        """Waits for the job's file, which is there from MPI_Init on. False if the job ends before."""
        deadline = time.monotonic() + timeout_s
        while not is_up(pathlib.Path(directory) / "job.json"):
            if self.process.poll() is not None:
                return False
            if time.monotonic() > deadline:
                raise Failed(f"the job did not come up within {timeout_s} s; see {self.log}")
            time.sleep(0.005)
        return True

    def await_files(self, directory, pattern, number=1, timeout_s=240):
        """Waits until so many files are there: a program that is to be saved at a definite place makes them when it has come.
        Failed if the job ends before."""
        deadline = time.monotonic() + timeout_s
        while len(list(pathlib.Path(directory).glob(pattern))) < number:
            ended = self.process.poll()
            if ended is not None or time.monotonic() > deadline:
                why = f"no process came within {timeout_s} s" if ended is None else f"the job ended with status {ended}"
                where = f"; see {self.examine()}" if ended is None else ""
                raise Failed(f"{number} files {pattern} are expected: {why}; see {self.log}{where}", ended)
            time.sleep(0.005)

    def checkpoint(self, command, directory, timeout_s=240):
        """Has the mana of this name take a checkpoint. False if the program was ending when it was asked: then it ends."""
        try:
            mana(command, "checkpoint", "--ckpt-dir", str(directory), timeout_s=timeout_s)
            return True
        except (Failed, subprocess.TimeoutExpired) as failed:
            why = failed
        status = getattr(why, "status", None)
        try:
            if status in (NO_JOB, JOB_ENDED) or status == NOT_SAVED and "is ending" in str(why):
                self.process.wait(120)
                return False
        except subprocess.TimeoutExpired:
            pass
        where = self.examine()
        self.kill()
        raise Failed(f"a running job was not checkpointed: {why}; see {where}")

    def kill(self):
        """SIGKILL to every process of the job, then waits until none is left. The ranks are killed first, and the launcher
        has time to end by itself: lines that they printed long before may be in its pipes still, and Open MPI's removes
        their shared memory."""
        victims = descendants(self.process.pid)
        launchers = [pid for pid in victims if _name(pid).startswith(LAUNCHERS)]
        _kill(pid for pid in victims if pid not in launchers)
        try:
            self.process.wait(LAUNCHER_ENDS_S)
        except subprocess.TimeoutExpired:
            pass
        _kill(launchers)
        self.process.wait()
        deadline = time.monotonic() + 120
        while any(_lives(pid) for pid in victims):
            if time.monotonic() > deadline:
                raise Failed("killed processes of the job do not end")
            time.sleep(0.01)


def _kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def _name(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text()
    except OSError:
        return ""


def _lives(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def mana(command, *words, timeout_s=240):
    """Runs a mana command that is not under mpirun; returns (seconds, output). Failed if its status is not 0."""
    begin = time.monotonic()
    done = subprocess.run([command, *words], capture_output=True, text=True, timeout=timeout_s)
    if done.returncode != 0:
        raise Failed(f"mana {' '.join(words)} ended with status {done.returncode}: {done.stdout}{done.stderr}", done.returncode)
    return time.monotonic() - begin, done.stdout


def image_bytes(generation):
    """Bytes of all files below a checkpoint's directory."""
    return sum(file.stat().st_size for file in pathlib.Path(generation).rglob("*") if file.is_file())
