"""What images cost, on 2 ranks over one MPI, in turn in each round; prints medians, writes images.json, images.md, images.svg.

    python3 bench/images.py --build build --out build/images [--mib 1024] [--rounds 3] [--only writing|forked|incremental|restart]

The checkpoints lie in --out: that disk is measured. dd writes the bytes of the same images, from memory, two at a time, past
the page cache, and syncs. It needs as much memory as the images take, twice. Ranks are not bound to cores, as dd is not. An eager
restart is compared with dd, which reads into one buffer, and with a program that reads the images into memory for all of them.
"""
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import pictures

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts" / "support"))
from mana_job import Failed, Job, descendants, image_bytes, mana, mpirun  # noqa: E402
from run import measure, parser_of  # noqa: E402

MIB = 1 << 20
RANKS = 2
BLOCK = 4 * MIB
QUIET_S = 1.0
SILENCE_S = 120
STEP = re.compile(r"^step (\d+) at ([\d.]+)")
GAP = re.compile(r"^gap ([\d.]+)")


def kernel_seconds(pid):
    """Of the processor, since its start. A host's time to give memory is among them."""
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[12]) / os.sysconf("SC_CLK_TCK")


class Images:
    def __init__(self, options, mpi):
        self.options, self.mpi = options, mpi
        self.build = options.build.resolve()
        self.mana = str(self.build / "bin" / "mana")
        self.program = str(self.build / "bench" / f"images_{mpi}")
        self.directory = options.out.resolve() / mpi
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)
        self.store = self.directory / "ckpt"

    def start(self, *words):
        return Job([*mpirun(self.mpi, RANKS), *words], self.directory, self.directory / "log")

    def await_line(self, job, pattern):
        while (line := job.next_line(SILENCE_S)) is not None:
            if found := re.match(pattern, line):
                return found
        raise Failed(f"the job ended; see {job.log}")

    def run(self, kind, *how):
        """The program under mana, at its first steps."""
        shutil.rmtree(self.store, ignore_errors=True)
        job = self.start(self.mana, "run", "--ckpt-dir", "ckpt", *how, "--", self.program, str(self.options.mib), kind)
        self.await_line(job, STEP)
        return job

    def checkpoint(self, job):
        """(seconds that the images took to be durable, greatest gap that the program saw, steps per second meanwhile)"""
        self.drop_lines(job)
        mana(self.mana, "checkpoint", "--ckpt-dir", str(self.store), timeout_s=SILENCE_S)
        end = time.monotonic()
        status = json.loads(mana(self.mana, "status", "--json", "--ckpt-dir", str(self.store))[1])
        gaps, steps = [0.0], []
        while (found := self.next_of(job, end)) is not None:
            if len(found.groups()) == 1:
                gaps.append(float(found[1]))
                steps.clear()
            else:
                steps.append((int(found[1]), float(found[2])))
        writing = sum(seconds for phase, seconds in status["seconds_by_phase"].items() if phase in ("writing", "storing"))
        return writing, max(gaps), self.rate(steps)

    def next_of(self, job, end):
        """The next step or gap, up to the first step after `end`."""
        while (line := job.next_line(SILENCE_S)) is not None:
            if found := GAP.match(line):
                return found
            if found := STEP.match(line):
                return found if float(found[2]) < end else None
        raise Failed(f"the job ended; see {job.log}")

    @staticmethod
    def rate(steps):
        if len(steps) < 2:
            return None
        return (steps[-1][0] - steps[0][0]) / (steps[-1][1] - steps[0][1])

    def drop_lines(self, job):
        """All that was printed until now."""
        now = time.monotonic()
        while (found := self.next_of(job, now)) is not None:
            pass

    def undisturbed(self, job):
        """Steps per second without a checkpoint."""
        self.drop_lines(job)
        end, steps = time.monotonic() + QUIET_S, []
        while (found := self.next_of(job, end)) is not None:
            if len(found.groups()) == 2:
                steps.append((int(found[1]), float(found[2])))
        return self.rate(steps)

    def images(self):
        return sorted(self.store.glob("gen-*"))[-1].glob("rank-*")

    def dd(self, copies):
        """(bytes, seconds) of writing them all at the same time."""
        blocks = [copy.stat().st_size // BLOCK for copy in copies]
        begin = time.monotonic()
        writers = [subprocess.Popen(["dd", f"if={copy}", f"of={self.directory}/written-{i}", f"bs={BLOCK}", f"count={n}",
                                     "oflag=direct", "conv=fsync"], stderr=subprocess.DEVNULL)
                   for i, (copy, n) in enumerate(zip(copies, blocks))]
        if any(w.wait() != 0 for w in writers):
            raise Failed("dd failed")
        seconds = time.monotonic() - begin
        for i in range(len(copies)):
            (self.directory / f"written-{i}").unlink()
        return sum(blocks) * BLOCK, seconds

    def packing(self, how):
        """Seconds in which the codec's library packs all ranks' memory: one process on each core, at the same time.
        ({in pieces as an image has them}, {each core's part as one piece})"""
        cores = len(os.sched_getaffinity(0))
        said = subprocess.run([str(self.build / "bench" / "packing"), how, str(cores)], capture_output=True, text=True, check=True)
        rates = dict(line.split() for line in said.stdout.splitlines())
        return tuple(RANKS * self.options.mib * MIB / float(rates[what]) for what in ("pieces", "one"))

    def row(self, what, **values):
        row = {"what": what} | {k: statistics.median(v) if isinstance(v, list) else v for k, v in values.items()}
        print(f"{self.mpi:8} " + ", ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items()), flush=True)
        return row

    def writing(self):
        """Against dd of the same bytes, for each kind of memory and compression."""
        rows = []
        for kind, how in (("random", "none"), ("half", "none"), ("half", "lz4"), ("half", "zstd:1"), ("half", "zstd:3"), ("zeros", "none")):
            job = self.run(kind, "--compress", how)
            self.checkpoint(job)
            with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
                copies = [pathlib.Path(shutil.copy(image, memory)) for image in self.images()]
                took, disk = [], []
                for _ in range(self.options.rounds):
                    disk.append(self.dd(copies)[1])
                    took.append(self.checkpoint(job)[0])
                written = sum(copy.stat().st_size for copy in copies)
            job.kill()
            values = {"kind": kind, "compress": how, "mib": written / MIB, "mana_s": took, "dd_s": disk}
            if how != "none":
                values["codec_s"], values["codec_one_piece_s"] = self.packing(how)
            rows.append(self.row("writing", **values))
            rows[-1]["share"] = max(rows[-1]["dd_s"], rows[-1].get("codec_s", 0)) / rows[-1]["mana_s"]
            print(f"         {rows[-1]['share']:.3f} of the rate of what limits it", flush=True)
        return rows

    def forked(self):
        rows = []
        for kind in ("random",):
            plain = self.run(kind, "--compress", "none")
            self.checkpoint(plain)
            gaps = [self.checkpoint(plain)[1] for _ in range(self.options.rounds)]
            plain.kill()
            aside = self.run(kind, "--compress", "none", "--forked")
            self.checkpoint(aside)
            found = [(self.undisturbed(aside), *self.checkpoint(aside)) for _ in range(self.options.rounds)]
            aside.kill()
            rows.append(self.row("forked", kind=kind, plain_pause_s=gaps, forked_pause_s=[f[2] for f in found],
                                 written_in_s=[f[1] for f in found],
                                 slower=[1 - f[3] / f[0] for f in found if f[3] is not None] or [0.0]))
            rows[-1]["share"] = rows[-1]["forked_pause_s"] / rows[-1]["plain_pause_s"]
            print(f"         the pause is {100 * rows[-1]['share']:.1f} % of plain's", flush=True)
        return rows

    def change(self, job, percent):
        (self.directory / "do.new").write_text(f"{percent}\n")
        (self.directory / "do.new").rename(self.directory / "do")
        self.await_line(job, "^changed")

    def incremental(self):
        job = self.run("random", "--compress", "none", "--incremental", "--full-every", "1000")
        self.checkpoint(job)
        rows = []
        with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
            copies = [pathlib.Path(shutil.copy(image, memory)) for image in self.images()]
            # In turn, what differs by milliseconds. After 50 % each image names a piece for every page.
            percents = (0, 1, 10, 50)
            took, sizes, rates = {p: [] for p in percents}, {p: [] for p in percents}, []
            for percent in [0, 1] * self.options.rounds + [10] * self.options.rounds + [50] * self.options.rounds:
                written, seconds = self.dd(copies)
                rates.append(written / seconds)
                self.change(job, percent)
                took[percent].append(self.checkpoint(job)[0])
                sizes[percent].append(sum(image.stat().st_size for image in self.images()))
            rate = statistics.median(rates)
            for percent in percents:
                row = self.row("incremental", percent=percent, mib=statistics.median(sizes[percent]) / MIB, mana_s=took[percent])
                rows.append(row)
                changed = RANKS * self.options.mib * percent / 100
                row["bytes_ratio"] = row["mib"] / (rows[0]["mib"] + changed)
                row["time_ratio"] = row["mana_s"] / (rows[0]["mana_s"] + changed * MIB / rate)
                print(f"         of the ideal: bytes {row['bytes_ratio']:.3f}, time {row['time_ratio']:.3f}", flush=True)
        job.kill()
        return rows

    def first_output(self, *words):
        """(seconds until then, those that the kernel took of the processor for one rank, the greatest)"""
        job = self.start(*words)
        self.await_line(job, "^(step|gap)")
        seconds = time.monotonic() - job.started
        kernel = max(kernel_seconds(pid) for pid in descendants(job.process.pid))
        job.kill()
        (self.store / "job.json").unlink(missing_ok=True)
        return seconds, kernel

    def forget_pages(self):
        """The images are on the disk alone."""
        for image in self.images():
            subprocess.run(["dd", f"if={image}", "iflag=nocache", "count=0"], stderr=subprocess.DEVNULL, check=True)

    def reading(self, command_of):
        """Seconds in which a command reads each image, all at the same time."""
        self.forget_pages()
        begin = time.monotonic()
        readers = [subprocess.Popen(command_of(image), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                   for image in self.images()]
        if any([r.wait() != 0 for r in readers]):
            raise Failed("an image cannot be read")
        return time.monotonic() - begin

    def into_memory(self):
        return self.reading(lambda image: [str(self.build / "bench" / "read_into_memory"), str(image)])

    def eagerly(self):
        self.forget_pages()
        return self.first_output(self.mana, "restart", "ckpt")

    def restart(self):
        job = self.run("random", "--compress", "none")
        self.checkpoint(job)
        job.kill()
        (self.store / "job.json").unlink(missing_ok=True)
        native, lazy, eager, kernel, memory, disk = [], [], [], [], [], []
        for i in range(self.options.rounds):
            native.append(self.first_output(self.program, "1", "zeros")[0])
            self.forget_pages()
            lazy.append(self.first_output(self.mana, "restart", "--lazy", "ckpt")[0])
            if i % 2 == 1:       # the second of the two may get memory that the first gave back
                memory.append(self.into_memory())
            seconds, of_kernel = self.eagerly()
            eager.append(seconds)
            kernel.append(of_kernel)
            if i % 2 == 0:
                memory.append(self.into_memory())
            disk.append(self.reading(lambda image: ["dd", f"if={image}", "of=/dev/null", f"bs={BLOCK}", "iflag=direct"]))
        row = self.row("restart", native_s=native, lazy_s=lazy, eager_s=eager, eager_kernel_s=kernel, into_memory_s=memory, disk_s=disk)
        row["lazy_after_native_s"] = row["lazy_s"] - row["native_s"]
        row["share"] = row["disk_s"] / (row["eager_s"] - row["native_s"])
        row["share_of_memory"] = row["into_memory_s"] / (row["eager_s"] - row["native_s"])
        print(f"         lazy is {row['lazy_after_native_s']:.3f} s after native; eager at {row['share']:.2f} of the disk's rate, "
              f"{row['share_of_memory']:.2f} of that into memory that is used for the first time", flush=True)
        return [row]


def tables(results):
    lines = []
    for mpi, parts in results.items():
        for part, rows in parts.items():
            columns = list(dict.fromkeys(c for row in rows for c in row if c != "what"))
            lines += [f"{part}, {mpi}", "", "| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
            lines += ["| " + " | ".join(cell(row.get(c, "")) for c in columns) + " |" for row in rows] + [""]
    return "\n".join(lines)


def cell(value):
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def plot(results, path):
    """Seconds of mana beside those of what limits it, as bars."""
    bars = []
    for mpi, parts in results.items():
        for row in parts.get("writing", []):
            name = f"{mpi} {row['kind']}, {row['compress']}"
            bars += [(name, row["mana_s"], "#2b7"), (f"{name}: dd writes the same bytes", row["dd_s"], "#888")]
            if "codec_s" in row:
                bars.append((f"{name}: compression alone", row["codec_s"], "#bbb"))
        for row in parts.get("forked", []):
            bars += [(f"{mpi} pause, plain", row["plain_pause_s"], "#2b7"), (f"{mpi} pause, forked", row["forked_pause_s"], "#2b7")]
        for row in parts.get("incremental", []):
            bars.append((f"{mpi} incremental, {row['percent']} % changed", row["mana_s"], "#2b7"))
        for row in parts.get("restart", []):
            bars += [(f"{mpi} {what}", row[f"{key}_s"], colour) for what, key, colour in (
                ("launch, native", "native", "#888"), ("restart, lazy", "lazy", "#2b7"), ("restart, eager", "eager", "#2b7"),
                ("the images read into new memory", "into_memory", "#bbb"), ("dd reads the images", "disk", "#888"))]
    rows = [(name, seconds, f"{seconds:.3f}", colour) for name, seconds, colour in bars]
    path.write_text(pictures.bar_chart("Images, 2 ranks: seconds, medians", rows))


def main():
    os.environ.setdefault("OMPI_MCA_hwloc_base_binding_policy", "none")
    parts = ["writing", "forked", "incremental", "restart"]
    parser = parser_of(__doc__, parts)
    parser.add_argument("--mib", type=int, default=1024, help="memory per rank")
    options = parser.parse_args()
    results = measure(Images, options, parts)
    (options.out / "images.json").write_text(json.dumps(results, indent=1) + "\n")
    (options.out / "images.md").write_text(tables(results))
    plot(results, options.out / "images.svg")


if __name__ == "__main__":
    main()
