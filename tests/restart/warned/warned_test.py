"""What a restart does not bring of a process is named: when the program does it, or at the checkpoint. Programs without MPI.

And of some of what only looks so the restart brings it: the settings of a terminal, memory that the kernel may drop.
"""
import argparse
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import STOPPED, mpi_environment  # noqa: E402

SILENCE_S = 240
OTHER = "the program has changed its "
AT_CHECKPOINT = {
    "surroundings": (OTHER + "capabilities: after a restart it has that of its new launcher",
                     OTHER + "namespace (uts): after a restart",
                     OTHER + "user or group (setuid, setgid): after a restart",
                     "the program has a filter of system calls of its own (seccomp): after a restart it has none"),
    "group": (OTHER + "user or group (setuid, setgid)",),
    "directories": ("share a working directory, apart from the other threads' (CLONE_FS): after a restart each has its "
                    "own",),
    "key": ("1 mapping has a protection key (pkey_mprotect): after a restart",),
}
NOT_AT_CHECKPOINT = {"group": (OTHER + "capabilities", OTHER + "namespace", "filter of system calls")}
AT_ONCE = ("the program asks for signals of changes in a directory (F_NOTIFY): after a restart none come",
           "the program traces a process (ptrace): until the traced process executes another program",
           "the program restricts its access to files (landlock): after a restart it is not restricted")
RIGHTS = " is executed without the rights that its file gives (set-user-ID, set-group-ID, capabilities)"


class Warned:
    def __init__(self, options):
        self.mana = str(options.build.resolve() / "bin" / "mana")
        self.program = str(options.program.resolve())
        self.directory = options.build.resolve() / "restart-runs" / "warned"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        self.hold, self.log = self.directory / "hold", self.directory / "log"
        self.environment = {**mpi_environment(), "HOLD": str(self.hold)}
        self.wrong = 0

    def expect(self, what, holds, text=""):
        print(f"{'' if holds else 'FAILED '}{what}{'' if holds else ': ' + text}", flush=True)
        self.wrong += not holds

    def clear(self):
        shutil.rmtree(self.directory / "mana-ckpt", ignore_errors=True)
        for file in self.directory.glob("hold*"):
            file.unlink()

    def come(self, *words, before=()):
        """The program at its place; None: it cannot do it here."""
        self.clear()
        with self.log.open("w") as log:
            job = subprocess.Popen([*before, self.mana, "run", "--", self.program, *words], cwd=self.directory, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        return self.at_place(job, words[0])

    def at_place(self, job, what):
        deadline = time.monotonic() + SILENCE_S
        while not (self.directory / "hold.0").exists():
            if job.poll() == 77:
                print(f"{what}: skipped: {self.log.read_text()}")
                return None
            if job.poll() is not None or time.monotonic() > deadline:
                self.expect(f"{what} comes to its place", False, f"status {job.poll()}: {self.log.read_text()}")
                job.kill()
                return None
            time.sleep(0.005)
        return job

    def checkpoint(self, *options):
        done = subprocess.run([self.mana, "checkpoint", *options], cwd=self.directory, env=self.environment, capture_output=True,
                              text=True, timeout=SILENCE_S)
        self.expect("checkpoint", done.returncode == 0, done.stdout + done.stderr)
        return done.stdout + done.stderr + self.log.read_text()

    def end(self, job):
        self.hold.touch()
        self.expect("it ends", job.wait(SILENCE_S) == 0, self.log.read_text())

    def restart(self):
        with self.log.open("w") as log:
            return subprocess.Popen([self.mana, "restart"], cwd=self.directory, env=self.environment, stdin=subprocess.DEVNULL,
                                    stdout=log, stderr=subprocess.STDOUT)

    def at_checkpoint(self, what):
        job = self.come(what)
        if job is None:
            return
        said = self.checkpoint()
        for text in AT_CHECKPOINT[what]:
            self.expect(f"{what}: {text}", text in said, said)
        for text in NOT_AT_CHECKPOINT.get(what, ()):
            self.expect(f"{what}: not: {text}", text not in said, said)
        self.end(job)

    def at_once(self):
        job = self.come("moments")
        if job is None:
            return
        said = self.log.read_text()
        for text in AT_ONCE:
            known = "no landlock" not in said or "landlock" not in text
            self.expect(text, said.count(text) == known, said)
        self.end(job)

    def rights(self):
        """Who has CAP_SYS_ADMIN keeps the rights, so it is given up before."""
        file, before = self.directory / "with-rights", ()
        if os.geteuid() == 0:
            shutil.copy("/bin/true", file)
            os.chown(file, 1234, 0)
            file.chmod(0o4755)
            before = ("setpriv", "--inh-caps=-sys_admin", "--bounding-set=-sys_admin")
        else:
            file = pathlib.Path("/usr/bin/su")
        if not file.exists() or (before and shutil.which(before[0]) is None):
            return print("rights: skipped: no file, or no setpriv")
        job = self.come("rights", str(file), before=before)
        if job is not None:
            said = self.log.read_text()
            self.expect("rights", said.count(f"mana: warning: {file}{RIGHTS}") == 1, said)
            self.end(job)

    def on_terminal(self, *words):
        """(process, the terminal's other end) of a command that has a terminal of its own, which controls its session."""
        pid, controller = pty.fork()
        if pid == 0:
            os.chdir(self.directory)
            os.execvpe(self.mana, [self.mana, *words], self.environment)
        return pid, controller

    def read_all(self, controller):
        text = b""
        try:
            while part := os.read(controller, 4096):
                text += part
        except OSError:
            pass
        os.close(controller)
        return text.decode(errors="replace")

    def await_place(self):
        deadline = time.monotonic() + SILENCE_S
        while not (self.directory / "hold.0").exists() and time.monotonic() < deadline:
            time.sleep(0.005)

    def terminal(self):
        """Settings that the program made are those of the terminal that it is restarted from; where there is none, that is said."""
        self.clear()
        pid, controller = self.on_terminal("run", "--", self.program, "terminal")
        self.await_place()
        self.log.write_text("")
        self.checkpoint("--stop")
        self.read_all(controller)
        self.expect("stopped", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == STOPPED)
        self.hold.touch()
        pid, controller = self.on_terminal("restart")
        said = self.read_all(controller)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        self.expect("terminal", status == 0 and "FINAL by lines 0, shown 0, at least 3" in said, f"status {status}: {said}")
        job = self.restart()
        job.wait(SILENCE_S)
        self.expect("no terminal", "settings of the launcher's terminal (tcsetattr)" in self.log.read_text(), self.log.read_text())

    def droppable(self):
        job = self.come("droppable")
        if job is None:
            return
        self.checkpoint("--stop")
        job.wait(SILENCE_S)
        self.hold.touch()
        self.restart().wait(SILENCE_S)
        said = self.log.read_text()
        self.expect("droppable", "FINAL droppable 1, contents kept" in said, said)

    def all(self):
        for what in AT_CHECKPOINT:
            self.at_checkpoint(what)
        self.at_once()
        self.rights()
        self.terminal()
        self.droppable()
        return self.wrong


parser = argparse.ArgumentParser()
parser.add_argument("--build", type=pathlib.Path, required=True)
parser.add_argument("program", type=pathlib.Path)
sys.exit(1 if Warned(parser.parse_args()).all() else 0)
