"""Measures native and under mana in turn, on 2 ranks; prints medians and ratios; writes
results.json, tables.md and calls.svg.

    python3 bench/run.py --build build --out build/bench [--rounds 5] [--only calls|programs|checkpoint]
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

import pictures

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts" / "support"))
from known_mpis import FAMILIES  # noqa: E402
from mana_job import STEP, Failed, Job, image_bytes, mana, mpi_environment, mpirun  # noqa: E402

MIB = 1 << 20


class Bench:
    def __init__(self, options, mpi):
        self.options, self.mpi = options, mpi
        self.build = options.build.resolve()
        self.mana = str(self.build / "bin" / "mana")
        self.directory = options.out.resolve() / mpi
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)

    def words(self, under_mana, *command):
        return [*mpirun(self.mpi, 2), *([self.mana, "run", "--ckpt-dir", "ckpt", "--"] if under_mana else []), *command]

    def run(self, under_mana, *command):
        """Returns (seconds, output)."""
        begin = time.monotonic()
        done = subprocess.run(self.words(under_mana, *command), cwd=self.directory, env=mpi_environment(), text=True,
                              capture_output=True, check=True, stdin=subprocess.DEVNULL)
        return time.monotonic() - begin, done.stdout

    def calls(self):
        """{(call, bytes): ([native ns], [mana ns])}"""
        found = {}
        for _ in range(self.options.rounds):
            for under in (False, True):
                _, output = self.run(under, str(self.build / "bench" / f"calls_{self.mpi}"))
                for line in output.splitlines():
                    name, size, ns = line.split()
                    found.setdefault((name, int(size)), ([], []))[under].append(float(ns))
        rows = []
        for (name, size), (native, ours) in found.items():
            n, m = statistics.median(native), statistics.median(ours)
            rows.append({"what": name, "bytes": size, "native_ns": n, "mana_ns": m, "ratio": m / n})
            print(f"{self.mpi:8} {name:20} {size:8} {n:12.1f} {m:12.1f}  {m / n:6.3f}", flush=True)
        return rows

    def timed(self, name, *command):
        native, ours = [], []
        for _ in range(self.options.rounds):
            for file in self.directory.glob("hpccoutf.txt"):
                file.unlink()
            native.append(self.run(False, *command)[0])
            for file in self.directory.glob("hpccoutf.txt"):
                file.unlink()
            ours.append(self.run(True, *command)[0])
        n, m = statistics.median(native), statistics.median(ours)
        print(f"{self.mpi:8} {name:20} {n:9.3f} s {m:9.3f} s  {m / n:6.3f}", flush=True)
        return {"what": name, "native_s": n, "mana_s": m, "ratio": m / n}

    def programs(self):
        (self.directory / "heat.par").write_text("rows = 1000\ncols = 1000\nsteps = 3000\nreport = 1000\n")
        rows = [self.timed("launch", str(self.build / "bench" / f"payload_{self.mpi}"), "0", "1"),
                self.timed("heat2d", str(self.build / "examples" / "heat2d" / f"heat2d_{self.mpi}"), "heat.par")]
        if self.mpi == "openmpi" and shutil.which("lmp"):
            shutil.copy(pathlib.Path(__file__).parent / "melt.in", self.directory)
            rows.append(self.timed("lammps", "lmp", "-in", "melt.in", "-log", "none", "-screen", "none"))
        example = pathlib.Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
        if self.mpi == "openmpi" and shutil.which("hpcc") and example.exists():
            text = re.sub(r"^2( +Ps)$", r"1\1", example.read_text(), flags=re.MULTILINE)
            text = re.sub(r"^\d+( +Ns)$", r"3000\1", text, flags=re.MULTILINE)      # seconds, not tenths of one
            (self.directory / "hpccinf.txt").write_text(text)
            rows.append(self.timed("hpcc, N = 3000", "hpcc"))
        return rows

    def await_step(self, *words):
        """Starts a job that prints its steps. out: the job, at its first one; seconds that it took"""
        job = Job([*mpirun(self.mpi, 2), self.mana, *words], self.directory, self.directory / "log")
        while not STEP.search(line := job.next_line(300) or ""):
            if line == "":
                raise Failed(f"the job ended before its first step; see {job.log}")
        return job, time.monotonic() - job.started

    def image_of(self, what, *command):
        """A row about checkpoints and restarts of a program that prints its steps until it is killed."""
        took, bytes_, restart = [], 0, []
        for _ in range(self.options.rounds):
            shutil.rmtree(self.directory / "ckpt", ignore_errors=True)
            job, _ = self.await_step("run", "--ckpt-dir", "ckpt", "--", *command)
            took.append(mana(self.mana, "checkpoint", "--ckpt-dir", str(self.directory / "ckpt"))[0])
            bytes_ = image_bytes(self.directory / "ckpt")
            job.kill()
            (self.directory / "ckpt" / "job.json").unlink(missing_ok=True)
            job, seconds = self.await_step("restart", "ckpt")
            restart.append(seconds)
            job.kill()
        row = {"what": what, "checkpoint_s": statistics.median(took), "image_mib_per_rank": bytes_ / 2 / MIB,
               "restart_s": statistics.median(restart), "same_bytes_written_s": self.writing(bytes_)}
        print(f"{self.mpi:8} {row}", flush=True)
        return row

    def checkpoint(self):
        payload = str(self.build / "bench" / f"payload_{self.mpi}")
        return [self.image_of(f"{size} MiB per rank", payload, str(size), "5000") for size in (16, 256)]

    def writing(self, total):
        """What the disk takes for as many bytes, written by two processes and synced."""
        times = []
        for _ in range(self.options.rounds):
            begin = time.monotonic()
            writers = [subprocess.Popen(["dd", "if=/dev/zero", f"of={self.directory}/written-{i}", "bs=4M", f"count={max(1, total // 2 // (4 * MIB))}", "conv=fsync"],
                                        stderr=subprocess.DEVNULL) for i in range(2)]
            for w in writers:
                w.wait()
            times.append(time.monotonic() - begin)
        for i in range(2):
            os.unlink(self.directory / f"written-{i}")
        return statistics.median(times)


def tables(results):
    """The results as three tables in Markdown; a line per call, program and size, a group of columns per MPI."""
    mpis = list(results)
    head = lambda first, columns: [f"| {first} | " + " | ".join(f"{m} {c}" for m in mpis for c in columns) + " |",  # noqa: E731
                                   "|---" * (1 + len(mpis) * len(columns)) + "|"]

    def rows(part, cells):
        found = {}
        for mpi in mpis:
            for r in results[mpi].get(part, []):
                name = f"{r['what']} {r['bytes']} B" if r.get("bytes") else r["what"]
                found.setdefault(name, {})[mpi] = cells(r)
        empty = ["-"] * max((len(c) for by in found.values() for c in by.values()), default=0)
        return [f"| {name} | " + " | ".join(" | ".join(by.get(m, empty)) for m in mpis) + " |" for name, by in found.items()]

    lines = head("call", ["native, ns", "mana, ns", "ratio"])
    lines += rows("calls", lambda r: [f"{r['native_ns']:.1f}", f"{r['mana_ns']:.1f}", f"{r['ratio']:.2f}"])
    lines += ["", *head("program", ["native, s", "mana, s", "ratio"])]
    lines += rows("programs", lambda r: [f"{r['native_s']:.3f}", f"{r['mana_s']:.3f}", f"{r['ratio']:.3f}"])
    lines += ["", *head("checkpoint", ["request to durable, s", "writing the bytes, s", "image, MiB a rank", "restart, s"])]
    lines += rows("checkpoint", lambda r: [f"{r['checkpoint_s']:.3f}", f"{r['same_bytes_written_s']:.3f}",
                                           f"{r['image_mib_per_rank']:.1f}", f"{r['restart_s']:.2f}"])
    return "\n".join(lines) + "\n"


def plot(results, path):
    """Ratios of the calls as bars; 1 is native."""
    bars = []
    for mpi, parts in results.items():
        for r in parts.get("calls", []):
            colour = "#2b7" if r["ratio"] <= 1.03 else "#e93" if r["ratio"] <= 1.15 else "#c44"
            size = f" {r['bytes']} B" if r["bytes"] else ""
            bars.append((f"{mpi} {r['what']}{size}", r["ratio"], f"{r['ratio']:.2f}", colour))
    path.write_text(pictures.bar_chart("Time under mana over native time, by call (2 ranks, medians)", bars, unit=1))


def parser_of(text, parts):
    """What every benchmark of parts is asked. text: of the program that asks; parts: names of a Bench's methods"""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--mpi", action="append", choices=FAMILIES)
    parser.add_argument("--only", action="append", choices=parts)
    return parser


def measure(kind, options, parts):
    """{MPI: {part: rows}} by a Bench of this kind; options.out is there afterwards."""
    results = {}
    for mpi in options.mpi or FAMILIES:
        bench = kind(options, mpi)
        results[mpi] = {part: getattr(bench, part)() for part in options.only or parts}
    options.out.mkdir(parents=True, exist_ok=True)
    return results


def main():
    parts = ["calls", "programs", "checkpoint"]
    options = parser_of(__doc__, parts).parse_args()
    results = measure(Bench, options, parts)
    (options.out / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    (options.out / "tables.md").write_text(tables(results))
    plot(results, options.out / "calls.svg")


if __name__ == "__main__":
    main()
