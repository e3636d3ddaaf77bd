"""INV-87: a program that opens a file gets the number that it gets natively, whatever mana opens at that moment.

While it opens a file time and again, clients come and go, those that mana knows and strangers, and checkpoints are taken, in all
ways in which images are written. Alone, where it is the job's only process, and as two ranks, whose second finds the
coordinator by the job's file; and after a restart.
"""
import argparse
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from mana_job import STOPPED, mana, mpi_environment, mpirun  # noqa: E402

STRANGERS, CLIENTS, CHECKPOINTS = 400, 10, 3
WAYS = (("--ckpt-dir", "ckpt"), ("--ckpt-dir", "ckpt", "--forked", "--incremental"))


class Numbers:
    def __init__(self, options):
        self.mpi, self.program = options.mpi, str(options.program.resolve())
        self.mana = str(options.build.resolve() / "bin" / "mana")
        self.directory = options.build.resolve() / "restart-runs" / f"numbers-{options.mpi}"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        self.checkpoints = self.directory / "ckpt"
        self.go = self.directory / "go"
        self.wrong = 0

    def start(self, *words, launcher=()):
        self.go.unlink(missing_ok=True)
        environment = {**mpi_environment(), "GO": str(self.go)}
        return subprocess.Popen([*launcher, *words], cwd=self.directory, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def port(self, job):
        """Once the coordinator is there."""
        while job.poll() is None:
            try:
                document = json.loads((self.checkpoints / "job.json").read_text())
                if found := document["port"] or document["early_port"]:
                    return found
            except (OSError, ValueError):
                pass
            time.sleep(0.02)
        raise SystemExit(f"the job ended: {job.stderr.read()}")

    def disturb(self, job):
        port = self.port(job)
        for _ in range(STRANGERS):
            socket.create_connection(("127.0.0.1", port)).close()
        for _ in range(CLIENTS):
            mana(self.mana, "status", "--ckpt-dir", str(self.checkpoints))
        for _ in range(CHECKPOINTS):
            mana(self.mana, "checkpoint", "--ckpt-dir", str(self.checkpoints))

    def end(self, what, job, ranks):
        self.go.touch()
        output, said = job.communicate(timeout=240)
        found = [line for line in output.splitlines() if line.startswith("FINAL")]
        if found != ["FINAL other numbers: 0"] * ranks or job.returncode != 0:
            self.wrong += 1
            print(f"FAILED {what}: status {job.returncode}, {found}\n{said}", flush=True)
        print(what, flush=True)

    def run(self, ranks, options):
        what = f"{ranks} ranks, {' '.join(options)}"
        launcher = mpirun(self.mpi, ranks) if ranks > 1 else ()
        shutil.rmtree(self.checkpoints, ignore_errors=True)
        job = self.start(self.mana, "run", *options, "--", self.program, launcher=launcher)
        self.disturb(job)
        if ranks > 1:       # after a restart low numbers are free that the launcher had given
            return self.end(what, job, ranks)
        mana(self.mana, "checkpoint", "--stop", "--ckpt-dir", str(self.checkpoints))
        if job.wait(240) != STOPPED:
            self.wrong += 1
            print(f"FAILED {what}: status {job.returncode}\n{job.stderr.read()}", flush=True)
        job.communicate()
        job = self.start(self.mana, "restart", "ckpt")
        self.disturb(job)
        self.end(what, job, ranks)

    def all(self):
        for options in WAYS:
            self.run(1, options)
        self.run(2, WAYS[0])
        return self.wrong


parser = argparse.ArgumentParser()
parser.add_argument("--build", type=pathlib.Path, required=True)
parser.add_argument("--mpi", required=True)
parser.add_argument("program", type=pathlib.Path)
sys.exit(1 if Numbers(parser.parse_args()).all() else 0)
