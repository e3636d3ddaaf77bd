"""Measures what a call costs where the program was built with another MPI than the one that runs it. In each round the
program of the live MPI runs natively, it runs under mana, and those of the other MPIs run under mana; prints medians, and
medians of the rounds' differences; writes translation.json and translation.md.

    python3 bench/translation.py --build build --out build/translation [--rounds 5] [--only calls|programs] [--mpi LIVE]

The calls run on one rank, with itself: between two ranks the same call differs by more than what is measured here.
"""
import json
import pathlib
import shutil
import statistics

from run import FAMILIES, Bench, measure, mpirun, parser_of

MPI_CALLS = {"Irecv+Isend+Waitall": 3, "Ibcast+Wait": 2, "Iallreduce+Wait": 2}      # of one line of calls.c; else 1


class Translation(Bench):
    """mpi: the live one"""
    ranks = 1

    def words(self, under_mana, *command):
        return [*mpirun(self.mpi, self.ranks), *([self.mana, "run", "--ckpt-dir", "ckpt", "--"] if under_mana else []), *command]

    def built_with(self):
        """The live MPI first: its own program's time is what the others' are held against."""
        return [self.mpi, *(mpi for mpi in FAMILIES if mpi != self.mpi)]

    def calls(self):
        """Rows: call, bytes, the program's MPI, native ns, ns of the live MPI's own program under mana and of this one, and
        what one MPI call takes longer than in the live MPI's program."""
        self.ranks, found = 1, {}
        for _ in range(self.options.rounds):
            for under, mpi in ((False, self.mpi), *((True, mpi) for mpi in self.built_with())):
                _, output = self.run(under, str(self.build / "bench" / f"calls_{mpi}"))
                for line in output.splitlines():
                    name, size, ns = line.split()
                    found.setdefault((name, int(size)), {}).setdefault((under, mpi), []).append(float(ns))
        rows = []
        for (name, size), times in found.items():
            native, own = times[False, self.mpi], times[True, self.mpi]
            for mpi in self.built_with()[1:]:
                theirs = times[True, mpi]
                more = statistics.median(b - a for a, b in zip(own, theirs)) / MPI_CALLS.get(name, 1)
                rows.append({"what": name, "bytes": size, "program": mpi, "native_ns": statistics.median(native),
                             "own_ns": statistics.median(own), "other_ns": statistics.median(theirs), "more_ns": more})
                print(f"{mpi} over {self.mpi}: {name:22} {size:8} {rows[-1]['native_ns']:12.1f} {rows[-1]['own_ns']:12.1f} "
                      f"{rows[-1]['other_ns']:12.1f} {more:8.1f}", flush=True)
        return rows

    def programs(self):
        """Rows: program, its MPI, the MPI of the native run, its seconds, seconds under mana over the live MPI, the median of the
        rounds' ratios. The native run is that of the live MPI's own program, if there is one."""
        self.ranks, rows = 2, []
        # Of about 10 s: what mana adds to a launch is 1 % of a run of 2 s.
        (self.directory / "heat.par").write_text("rows = 1000\ncols = 1000\nsteps = 15000\nreport = 1000\n")
        heat2d = {mpi: [str(self.build / "examples" / "heat2d" / f"heat2d_{mpi}"), "heat.par"] for mpi in self.built_with()}
        rows += self.program("heat2d", heat2d)
        if shutil.which("lmp"):
            shutil.copy(pathlib.Path(__file__).parent / "melt.in", self.directory)
            rows += self.program("lammps", {"openmpi": ["lmp", "-in", "melt.in", "-log", "none", "-screen", "none"]})
        return rows

    def program(self, name, commands):
        """commands: {the MPI that the program was built with: words}"""
        own = self.mpi if self.mpi in commands else next(iter(commands))
        native, found = [], {mpi: [] for mpi in commands}
        for _ in range(self.options.rounds):
            native.append(self.seconds(own, *commands[own]))
            for mpi, words in commands.items():
                found[mpi].append(self.run(True, *words)[0])
        rows = []
        for mpi, ours in found.items():
            ratio = statistics.median(after / before for before, after in zip(native, ours))
            rows.append({"what": name, "program": mpi, "native_over": own, "native_s": statistics.median(native),
                         "mana_s": statistics.median(ours), "ratio": ratio})
            print(f"{mpi} over {self.mpi}: {name} {rows[-1]['native_s']:.3f} s {rows[-1]['mana_s']:.3f} s {ratio:.3f}", flush=True)
        return rows

    def seconds(self, mpi, *command):
        """Of a native run over this MPI."""
        live, self.mpi = self.mpi, mpi
        took = self.run(False, *command)[0]
        self.mpi = live
        return took


def tables(results):
    """The results in Markdown."""
    lines = ["| live MPI | program of | operation | native, ns | own program under mana, ns | this program, ns | more a call, ns |",
             "|---|---|---|--:|--:|--:|--:|"]
    for mpi, parts in results.items():
        for r in parts.get("calls", []):
            size = f" {r['bytes']} B" if r["bytes"] else ""
            lines.append(f"| {mpi} | {r['program']} | {r['what']}{size} | {r['native_ns']:.1f} | {r['own_ns']:.1f} | "
                         f"{r['other_ns']:.1f} | {r['more_ns']:.1f} |")
    lines += ["", "| live MPI | program | built with | native over | native, s | under mana, s | ratio |", "|---|---|---|---|--:|--:|--:|"]
    for mpi, parts in results.items():
        for r in parts.get("programs", []):
            lines.append(f"| {mpi} | {r['what']} | {r['program']} | {r['native_over']} | {r['native_s']:.3f} | {r['mana_s']:.3f} | "
                         f"{r['ratio']:.3f} |")
    return "\n".join(lines) + "\n"


def main():
    parts = ["calls", "programs"]
    options = parser_of(__doc__, parts).parse_args()
    results = measure(Translation, options, parts)
    (options.out / "translation.json").write_text(json.dumps(results, indent=1) + "\n")
    (options.out / "translation.md").write_text(tables(results))


if __name__ == "__main__":
    main()
