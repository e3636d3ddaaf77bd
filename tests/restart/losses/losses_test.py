"""A child process and a connected socket at a checkpoint: warned about, refused, or ignored, as the job's options say.

Whatever comes of the checkpoint, the program goes on with both, and with a signal that was pending.
"""
import argparse
import pathlib
import shutil
import socket
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import mana, mpi_environment, mpirun  # noqa: E402

def serve_echoes():
    """Sends back what comes by each connection. Returns the port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            line, _ = listener.accept()
            threading.Thread(target=echo, args=(line,), daemon=True).start()

    def echo(line):
        with line:
            while data := line.recv(16):
                line.sendall(data)

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1]


NAMED = {"child": "child process ", "socket": "(socket:["}


class Losses:
    def __init__(self, options):
        self.mpi, self.program = options.mpi, str(options.program)
        self.mana = str(options.build.resolve() / "bin" / "mana")
        self.directory = options.build.resolve() / "restart-runs" / f"losses-{options.mpi}"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        self.port = str(serve_echoes())
        self.wrong = 0

    def run(self, what, *options):
        """Returns what the program says, and what the job's stderr and its checkpoint say."""
        shutil.rmtree(self.directory / "ckpt", ignore_errors=True)
        done = subprocess.run([*mpirun(self.mpi, 1), self.mana, "run", "--ckpt-dir", "ckpt", *options, "--", self.program, what, self.port],
                              cwd=self.directory, env=mpi_environment(), capture_output=True, text=True, errors="replace",
                              timeout=240, stdin=subprocess.DEVNULL, check=True)
        shown = mana(self.mana, "list", str(self.directory / "ckpt")) if "durable" in done.stdout else ""
        return done.stdout.strip(), done.stderr + str(shown)

    def expect(self, what, options, said, named):
        output, words = self.run(what, *options)
        if output != said or (NAMED[what] in words) != named:
            self.wrong += 1
            print(f"FAILED {what} {options}: {output!r}, and\n{words}")
        else:
            print(f"{what} {options}: {output}", flush=True)

    def all(self):
        for what, option in (("child", "--children"), ("socket", "--sockets")):
            self.expect(what, (), "durable, kept, signal pending", True)
            self.expect(what, (option, "refuse"), "given up, kept, signal pending", True)
            self.expect(what, (option, "ignore"), "durable, kept, signal pending", False)
        return self.wrong


parser = argparse.ArgumentParser()
parser.add_argument("--build", type=pathlib.Path, required=True)
parser.add_argument("--mpi", required=True)
parser.add_argument("program", type=pathlib.Path)
sys.exit(1 if Losses(parser.parse_args()).all() else 0)
