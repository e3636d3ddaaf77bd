"""What a restart does not bring of a process is named: when the program does it, or at the checkpoint. Programs without MPI.

And of some of what only looks so the restart brings it: the settings of a terminal, memory that the kernel may drop.
"""
import os
import pathlib
import pty
import shutil
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import STOPPED, Failed, mpi_environment  # noqa: E402
from workplace import LIMIT_S, SKIPPED, main  # noqa: E402

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
    def __init__(self, place, options):
        self.place, self.mana, self.program, self.directory = place, place.command, options.program, place.directory
        self.hold = self.directory / "hold"

    def expect(self, what, holds, said=""):
        self.place.check(what, holds, said)

    def clear(self):
        for file in self.directory.glob("hold*"):
            file.unlink()

    def come(self, *words, before=()):
        """The program at its place; None: it cannot do it here."""
        self.clear()
        job = self.place.run(self.program, *words, up=False, before=before, HOLD=str(self.hold))
        try:
            job.await_files(self.directory, "hold.0")
        except Failed as failed:
            said = "".join(job.rest())
            if failed.status == SKIPPED:
                print(f"{words[0]}: skipped: {said}")
            else:
                self.expect(f"{words[0]} comes to its place", False, f"{failed}: {said}")
            return None
        return job

    def end(self, job):
        """All that a job prints that is let go on."""
        self.hold.touch()
        said = "".join(job.rest())
        self.expect("it ends", job.process.wait(LIMIT_S) == 0, said)
        return said

    def restart(self):
        """All that a restart prints until its end."""
        return "".join(self.place.restart(HOLD=str(self.hold)).rest())

    def at_checkpoint(self, what):
        job = self.come(what)
        if job is None:
            return
        said = self.place.checkpoint() + self.end(job)
        for text in AT_CHECKPOINT[what]:
            self.expect(f"{what}: {text}", text in said, said)
        for text in NOT_AT_CHECKPOINT.get(what, ()):
            self.expect(f"{what}: not: {text}", text not in said, said)

    def at_once(self):
        job = self.come("moments")
        if job is None:
            return
        said = self.end(job)
        for text in AT_ONCE:
            known = "no landlock" not in said or "landlock" not in text
            self.expect(text, said.count(text) == known, said)

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
            said = self.end(job)
            self.expect("rights", said.count(f"mana: warning: {file}{RIGHTS}") == 1, said)

    def on_terminal(self, *words):
        """(process, the terminal's other end) of a command that has a terminal of its own, which controls its session."""
        pid, controller = pty.fork()
        if pid == 0:
            os.chdir(self.directory)
            os.execvpe(self.mana, [self.mana, *map(str, words)], {**mpi_environment(), "HOLD": str(self.hold)})
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

    def await_place(self, pid):
        """Of a process that is no job of the workplace."""
        while not (self.directory / "hold.0").exists():
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended != 0:
                raise Failed(f"the program on the terminal ended with status {os.waitstatus_to_exitcode(status)}")
            time.sleep(0.005)

    def terminal(self):
        """Settings that the program made are those of the terminal that it is restarted from; where there is none, that is said."""
        self.clear()
        pid, controller = self.on_terminal(*self.place.run_words(self.program, "terminal")[1:])
        self.await_place(pid)
        self.place.checkpoint("--stop")
        self.read_all(controller)
        self.expect("stopped", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == STOPPED)
        self.hold.touch()
        pid, controller = self.on_terminal(*self.place.restart_words()[1:])
        said = self.read_all(controller)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        self.expect("terminal", status == 0 and "FINAL by lines 0, shown 0, at least 3" in said, f"status {status}: {said}")
        said = self.restart()
        self.expect("no terminal", "settings of the launcher's terminal (tcsetattr)" in said, said)

    def droppable(self):
        job = self.come("droppable")
        if job is None:
            return
        self.place.stop(job)
        self.hold.touch()
        said = self.restart()
        self.expect("droppable", "FINAL droppable 1, contents kept" in said, said)

    def all(self):
        for what in AT_CHECKPOINT:
            self.at_checkpoint(what)
        for part in (self.at_once, self.rights, self.terminal, self.droppable):
            part()


sys.exit(main(__doc__, "warned", lambda place, options: Warned(place, options).all(), ranks=0, program="warned.c"))
