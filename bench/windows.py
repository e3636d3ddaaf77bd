"""Measures one-sided communication natively and under mana in turn, on 2 and 4 ranks, and checkpoints of many windows; prints
medians and ratios, writes windows.json and windows.md.

    python3 bench/windows.py --build build --out build/windows [--rounds 5] [--only operations|checkpoint] [--ranks 2]
"""
import json
import statistics

from run import Bench, mana, measure, parser_of
from mana_job import mpirun

RANKS = (2, 4)
WINDOWS, MIB_EACH = 100, 10


class Windows(Bench):
    ranks = RANKS[0]

    def words(self, under_mana, *command):
        return [*mpirun(self.mpi, self.ranks), *([self.mana, "run", "--ckpt-dir", "ckpt", "--"] if under_mana else []), *command]

    def program(self):
        return str(self.build / "bench" / f"windows_{self.mpi}")

    def operations(self):
        """Rows: operation, bytes, ranks, native and mana in ns, and the median of the rounds' ratios: a machine that changes its
        pace between rounds changes both sides of a round."""
        rows = []
        for self.ranks in self.options.ranks or RANKS:
            found = {}
            for _ in range(self.options.rounds):
                for under in (False, True):
                    _, output = self.run(under, self.program())
                    for line in output.splitlines():
                        name, size, ns = line.split()
                        found.setdefault((name, int(size)), ([], []))[under].append(float(ns))
            for (name, size), (native, ours) in found.items():
                n, m = statistics.median(native), statistics.median(ours)
                ratio = statistics.median(after / before for before, after in zip(native, ours))
                rows.append({"what": name, "bytes": size, "ranks": self.ranks, "native_ns": n, "mana_ns": m, "ratio": ratio})
                print(f"{self.mpi:8} {self.ranks} ranks {name:34} {size:8} {n:12.1f} {m:12.1f}  {ratio:6.3f}", flush=True)
        return rows

    def checkpoint(self):
        """Many windows, and the same memory without them: two jobs at once, checkpointed in turn."""
        self.ranks = RANKS[0]
        kinds = ("memory", "windows")
        jobs = {kind: self.await_step("run", "--ckpt-dir", kind, "--", self.program(), "hold", str(WINDOWS), str(MIB_EACH), kind)[0]
                for kind in kinds}
        took = {kind: [] for kind in kinds}
        for _ in range(self.options.rounds):
            for kind in kinds:
                took[kind].append(mana(self.mana, "checkpoint", "--ckpt-dir", str(self.directory / kind))[0])
        for job in jobs.values():
            job.kill()
        row = {f"{kind}_s": statistics.median(times) for kind, times in took.items()}
        row["windows_add_s"] = statistics.median(w - m for m, w in zip(took["memory"], took["windows"]))
        print(f"{self.mpi:8} {row}", flush=True)
        return [row]


def tables(results):
    """The results in Markdown."""
    lines = ["| MPI | ranks | operation | native, ns | mana, ns | ratio |", "|---|---|---|---|---|---|"]
    for mpi, parts in results.items():
        for r in parts.get("operations", []):
            size = f" {r['bytes']} B" if r["bytes"] else ""
            lines.append(f"| {mpi} | {r['ranks']} | {r['what']}{size} | {r['native_ns']:.1f} | {r['mana_ns']:.1f} | {r['ratio']:.2f} |")
    lines += ["", f"| MPI | checkpoint of {WINDOWS} times {MIB_EACH} MiB, s | of as many windows | more, ms |", "|---|--:|--:|--:|"]
    for mpi, parts in results.items():
        for r in parts.get("checkpoint", []):
            lines.append(f"| {mpi} | {r['memory_s']:.3f} | {r['windows_s']:.3f} | {1000 * r['windows_add_s']:.0f} |")
    return "\n".join(lines) + "\n"


def main():
    parts = ["operations", "checkpoint"]
    parser = parser_of(__doc__, parts)
    parser.add_argument("--ranks", type=int, action="append", help="of the operations; default: 2 and 4")
    options = parser.parse_args()
    results = measure(Windows, options, parts)
    (options.out / "windows.json").write_text(json.dumps(results, indent=1) + "\n")
    (options.out / "windows.md").write_text(tables(results))


if __name__ == "__main__":
    main()
