"""INV-63: programs that a rank becomes before MPI_Init, and children of its that call it, run under mana as well.

Each way to start the program prints what it prints natively: without a checkpoint, and with one that ends the job, and
a restart. What cannot be taken along is refused by name.
"""
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from workplace import main  # noqa: E402

RANKS = 2
SCRIPTS = {
    "exec.sh": '#!/bin/sh\nA=$(echo of dash | tr a A)\nexport A\nexec "$@"\n',
    "exec.bash": '#!/bin/bash\nexport A=$(echo of bash | tr a A)\nexec "$@"\n',
    "child.sh": '#!/bin/sh\nA="child of dash" "$@"\nstatus=$?\necho the end, $status | tr t T\nexit $status\n',
    "child.bash": '#!/bin/bash\nif true; then\n  A="child of bash" "$@"\nfi | cat\nexit ${PIPESTATUS[0]}\n',
    "python.py": "#!/usr/bin/python3\nimport os, sys\nos.environ['A'] = 'python'\n"
                 "os.execv(sys.argv[1], ['renamed'] + sys.argv[2:])\n",
    "loop.sh": "#!loop.sh\n",
    "without.sh": "#!/nonexistent/sh\n",
    "text": "echo text\n",
}
EXIT_STATUS = {"static": 69, "rights": 66, "nameless": 65}


class Becoming:
    def __init__(self, place, options):
        self.place, self.directory, self.expect = place, place.directory, place.expect
        self.program, self.become, self.static = options.program, options.become, options.static
        for name, text in SCRIPTS.items():
            (self.directory / name).write_text(text)
            (self.directory / name).chmod(0o755)
        (self.directory / "not-executable").write_text("#!/bin/sh\n")

    def start(self, *words, **how):
        done = self.place.ended(*words, **how)
        return done.status, sorted(done.output.splitlines()), done.errors

    def under_mana(self, *words, **how):
        return self.start(*self.place.run_words(*words), MUST_BE_UNDER_MANA="1", **how)

    def same(self, name, *words, stops=False, ranks=RANKS):
        status, native, said = self.start(*words, ranks=ranks)
        self.expect(f"{name}, natively", status, 0, said)
        status, found, said = self.under_mana(*words, ranks=ranks)
        self.expect(name, (status, found), (0, native), said)
        if stops:
            self.under_mana(*words, STOP="1")
            status, found, said = self.start(*self.place.restart_words())
            of_ranks = [line for line in native if line.startswith("rank")]
            self.expect(f"{name}, restarted", (status, found), (0, of_ranks), said)

    def refused(self, what, named, *words):
        status, found, said = self.under_mana(*words, ranks=1)
        self.expect(f"refused: {what}", (status, named in said), (EXIT_STATUS[what], True), said)
        self.expect(f"refused, output: {what}", [line for line in found if line.startswith("rank")], [])

    def killed(self):
        """A script's child is the rank: a checkpoint on request, the end by SIGKILL, the restart."""
        native = [line for line in self.start("./child.sh", self.program)[1] if line.startswith("rank")]
        job = self.place.run("./child.sh", self.program, WAIT="1")
        job.until("middle")
        self.place.checkpoint()
        job.killed()
        status, found, said = self.start(*self.place.restart_words())
        self.expect("killed", (status, found), (0, native), said)

    def ways(self):
        program = self.program
        yield "env", ("env", "A=env", program, "word"), True
        yield "nice", ("nice", "-n", "1", program), False
        yield "taskset", ("taskset", "-c", str(min(os.sched_getaffinity(0))), program), False
        yield "env and nice", ("env", "A=two", "nice", program), False
        yield "sh -c exec", ("sh", "-c", f"A=sh exec {program}"), False
        yield "bash -c exec", ("bash", "-c", f"export A=bash; exec -a other {program}"), False
        yield "a subshell", ("bash", "-c", f"(A=sub {program}; true); echo ended"), False
        for script in ("exec.sh", "exec.bash", "child.sh", "child.bash", "python.py"):
            yield script, (f"./{script}", program, "word"), script.startswith("child")
        yield "itself, 80 times", (self.become, "self", "80", program), False
        for how in ("fexecve", "execveat", "fork", "vfork", "spawn", "system", "popen"):
            yield how, (self.become, how, program), False
        yield "by a static program", (self.become, "fork", self.static, program), False

    def all(self):
        for name, words, stops in self.ways():
            self.same(name, *words, stops=stops)
        self.same("errors", self.become, "errors", "/nonexistent", "/", "./not-executable", "./loop.sh", "./without.sh",
                  "./text", ranks=1)
        self.same("state", self.become, "state", ranks=1)
        self.killed()
        self.refused("static", self.static, self.become, "self", "0", self.static)
        self.refused("nameless", "copy", self.become, "memory", self.program)
        self.rights()

    def rights(self):
        """Natively the program would have another user's rights: neither a rank nor a child becomes it."""
        if os.geteuid() != 0:
            return
        other = self.directory / "other-user"
        shutil.copy(self.program, other)
        os.chown(other, 65534, 65534)
        other.chmod(0o4755)
        self.refused("rights", "set-user-id", "env", "./other-user")
        self.refused("rights", "set-user-id", self.become, "vfork", "./other-user")


if __name__ == "__main__":
    sys.exit(main(__doc__, "becoming", lambda place, options: Becoming(place, options).all(), ranks=RANKS, program="rank.c",
                  become="become.c", static="static.c"))
