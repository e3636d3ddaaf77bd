"""Programs without MPI: jobs of one process, which mana run and mana restart start without any launcher.

The program comes to its place and waits there; a checkpoint; it goes on and ends as natively; or it is killed, and its restart does,
and the restart of that. So do interpreters. What cannot be saved is refused, or warned of, by name.
"""
import itertools
import json
import os
import pathlib
import shutil
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import STOPPED, Failed  # noqa: E402
from workplace import LIMIT_S, main  # noqa: E402

LAUNCHERS_WORDS = ("PMI_", "PMIX_", "OMPI_", "SLURM_", "HYDI_")

PYTHON = """
import os, sys, threading, time
hold = os.environ["HOLD"]
total, lock = 0, threading.Lock()
def work(n):
    global total
    while not os.path.exists(hold):
        time.sleep(0.005)
    with lock:
        total += n
threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
for t in threads: t.start()
kept = {str(i): [i] * 3 for i in range(20000)}
open(hold + ".0", "w").close()
for t in threads: t.join()
print("FINAL", total, sum(len(v) for v in kept.values()))
"""
PERL = 'my %h = map { $_ => $_ * 2 } 1..20000; open(F, ">", "$ENV{HOLD}.0"); close F; ' \
       'until (-e $ENV{HOLD}) { select(undef, undef, undef, 0.01) } my $s = 0; $s += $_ for values %h; print "FINAL $s\\n"; exit 4'
SHELL = 'n=0; while [ $n -lt 1000 ]; do n=$((n+1)); done; : >$HOLD.0; while [ ! -e $HOLD ]; do read -t 0.02 x <>$HOLD.fifo; done; ' \
        'echo FINAL $n; exit 6'


class WithoutMpi:
    def __init__(self, place, options):
        self.place, self.mana, self.program, self.directory = place, place.command, options.program, place.directory
        self.hold, self.job = self.directory / "hold", None
        for name in [name for name in os.environ if name.startswith(LAUNCHERS_WORDS)]:
            del os.environ[name]

    def start(self, *words):
        """A restart finds the file that says that the program has come: the checkpoint may have been made before it was closed."""
        for name in ("hold", "hold.fifo") if "restart" in words else ("hold", "hold.fifo", "hold.0"):
            (self.directory / name).unlink(missing_ok=True)
        os.mkfifo(self.directory / "hold.fifo")
        self.job = self.place.start(*words, HOLD=str(self.hold))

    def run(self, *words, options=()):
        shutil.rmtree(self.directory / "mana-ckpt", ignore_errors=True)
        self.start(self.mana, "run", *options, "--", *words)

    def await_file(self, file):
        self.job.await_files(file.parent, file.name)

    def come(self, *words, options=()):
        self.run(*words, options=options)
        self.await_file(self.directory / "hold.0")

    def status(self):
        """Of the process, which ends."""
        self.job.rest()
        return self.job.process.wait(LIMIT_S)

    def end(self):
        """(status, the lines that count) of the process after it was let go on."""
        self.hold.touch()
        return self.status(), sorted(line for line in self.said().splitlines() if line.startswith("FINAL"))

    def said(self):
        return "".join(self.job.said)

    def kill(self):
        self.job.kill()

    def command(self, *words):
        """Each finds the job and its checkpoints in mana-ckpt of the working directory by itself."""
        done = self.place.ended(self.mana, *words)
        if done.status != 0:
            raise Failed(f"mana {' '.join(map(str, words))}: status {done.status}: {done.output}{done.errors}")
        return done.output

    def refused(self, status, text, *words):
        said = self.place.refused(status, *words)
        if text not in said:
            raise Failed(f"mana {' '.join(words)}: no \"{text}\": {said}")
        print(f"refused: {text}")

    def require(self, what, found, expected):
        self.place.require(what, found, expected)
        print(f"{what}: as natively", flush=True)

    def native(self, *words):
        self.start(*words)
        self.await_file(self.directory / "hold.0")
        return self.end()

    def modes(self, name, *words, options=(), restart=()):
        """Plain, resumed, restarted, restarted twice."""
        native = self.native(*words)
        self.come(*words, options=options)
        self.require(f"{name}, plain", self.end(), native)
        self.come(*words, options=options)
        self.command("checkpoint")
        self.command("checkpoint")
        self.require(f"{name}, resumed", self.end(), native)
        self.come(*words, options=options)
        self.command("checkpoint")
        for times in ("restarted", "restarted twice"):
            self.kill()
            self.start(self.mana, "restart", *restart)
            self.command("checkpoint")
        self.kill()
        self.start(self.mana, "restart", *restart)
        self.require(f"{name}, {times}", self.end(), native)

    def commands(self):
        self.come(self.program)
        status = json.loads(self.command("status", "--json"))
        if status["stage"] != "without MPI" or status["ranks"] != 1:
            raise Failed(f"mana status: {status}")
        self.command("checkpoint")
        self.command("checkpoint")
        self.refused(87, "another job", "run", "--", "/bin/true")
        for words in (("list",), ("verify",), ("inspect",), ("inspect", "--json"), ("diff", "mana-ckpt/gen-1", "mana-ckpt/gen-2"),
                      ("prune", "--keep", "1"), ("doctor", self.program)):
            try:
                said = self.command(*words)
            except Failed:
                if words[0] != "diff":
                    raise
            if words[0] in ("list", "inspect") and "no MPI" not in said:
                raise Failed(f"mana {words[0]} does not say that there is no MPI: {said}")
        self.kill()
        print("commands: as with MPI", flush=True)

    def stop(self):
        native = self.native(self.program)
        self.come(self.program)
        self.command("checkpoint", "--stop")
        self.require("stopped by the command", self.status(), STOPPED)
        self.start(self.mana, "restart")
        self.require("and restarted", self.end(), native)
        self.come(self.program, options=("--stop-on", "USR1", "--stopped-status", "17"))
        self.job.process.send_signal(signal.SIGUSR1)
        self.require("stopped by a signal", self.status(), 17)
        self.start(self.mana, "restart")
        self.require("and restarted", self.end(), native)
        self.run(self.program, "loop", "60", options=("--interval", "0.3", "--stop-after", "1.5"))
        self.require("stopped after a time", self.status(), STOPPED)
        if not list((self.directory / "mana-ckpt").glob("gen-*")):
            raise Failed("no checkpoint by the interval")

    def ends(self):
        """Statuses and signals of the program are the job's."""
        self.run("/bin/sh", "-c", "exit 9")
        self.require("status", self.status(), 9)
        self.run("/bin/sh", "-c", "kill -TERM $$")
        self.require("signal", self.status(), -signal.SIGTERM)
        self.come(self.program)
        self.job.process.send_signal(signal.SIGINT)
        self.require("interrupted", self.status(), -signal.SIGINT)

    def children(self):
        """INV-79: what waits for a child is what the child is."""
        native = self.native(self.program, "child")
        self.come(self.program, "child")
        self.refused(94, "the program waits for it", "checkpoint")
        self.require("with a child that is waited for", self.end(), native)
        native = self.native(self.program)
        for shell in filter(None, map(shutil.which, ("sh", "bash", "zsh"))):
            self.come(shell, "-c", f"{self.program}; exit $?")
            self.refused(94, "the program waits for it", "checkpoint")
            self.require(f"a script of {shell}", self.end(), native)
        native = self.native(self.program, "background")
        self.come(self.program, "background")
        said = self.command("checkpoint")
        if "is not saved" not in said:
            raise Failed(f"no warning of a child: {said}")
        self.require("with a child", self.end(), native)

    def late_mpi(self, library):
        """INV-78: an MPI that is loaded when the program runs: this is no lower half for it."""
        self.run(self.program, "load", library)
        status = self.status()
        if status != 70 or "mana run --mpi" not in self.said():
            raise Failed(f"MPI_Init of a program without MPI: status {status}: {self.said()}")
        self.come(self.program, "keep", library)
        self.refused(94, "has loaded", "checkpoint")
        self.end()

    def other_mpi(self, live, other, library, module):
        """INV-131: a module of an MPI that is loaded when the program runs, beside the wrappers of the live MPI; --abi names that MPI.
        INV-132: the MPI itself is refused at once."""
        for file, status in ((module, 70), (library, 1)):
            self.run(self.program, "load", file, options=("--mpi", live))
            if self.status() != status or f"mana run --abi {other}" not in self.said():
                raise Failed(f"{file} with the wrappers of {live}: {self.said()}")
            self.come(self.program, "load", file, options=("--mpi", live, "--abi", other))
            self.kill()
        print(f"{other} loaded late over {live}: refused, and with --abi started", flush=True)

    def names(self):
        """The program finds the name by which it was called, with and without a directory, also where that is a link's."""
        (self.directory / "called").symlink_to(shutil.which("cat"))
        path = f"{self.directory}:{os.environ['PATH']}"
        for command in (["called", "/proc/self/cmdline", "/proc/self/comm"], [str(self.directory / "called"), "/proc/self/comm"],
                        ["sh", "-c", "echo $0"]):
            outputs = []
            for before in ([], [self.mana, "run", "--ckpt-dir", str(self.directory / "names"), "--"]):
                outputs.append(self.place.ended(*before, *command, PATH=path))
            if outputs[0] != outputs[1]:
                raise Failed(f"{command}: natively {outputs[0]}, with mana {outputs[1]}")


def add_parts(parser):
    parser.add_argument("--libraries", nargs="*", default=[], metavar="MPI:SONAME:MODULE", help="the MPIs that are here")
    parser.add_argument("--part", choices=["modes", "interpreters", "rest"], required=True)


def tell(place, options):
    test = WithoutMpi(place, options)
    if options.part == "modes":
        test.modes("program", test.program)
        test.modes("incremental and forked", test.program, options=("--incremental", "--forked"), restart=("--incremental", "--lazy"))
        test.modes("locks", test.program, "locks")
        nodes = f"{test.directory}/nodes"
        os.mkdir(nodes)
        test.modes("two levels", test.program, options=("--local", nodes), restart=("--local", nodes))
    elif options.part == "interpreters":
        test.modes("python", sys.executable, "-c", PYTHON)
        if perl := shutil.which("perl"):
            test.modes("perl", perl, "-e", PERL)
        if bash := shutil.which("bash"):
            test.modes("bash", bash, "-c", SHELL)
    else:
        for part in (test.names, test.commands, test.stop, test.ends, test.children):
            part()
        all_mpis = [words.split(":") for words in options.libraries]
        for _, library, _ in all_mpis:
            test.late_mpi(library)
        for (live, *_), other in itertools.permutations(all_mpis, 2):
            test.other_mpi(live, *other)


if __name__ == "__main__":
    sys.exit(main(__doc__, "without_mpi-{part}", tell, add_parts, ranks=0, program="program.c, as it was built"))
