"""What MPI objects cost, native and under mana in turn, on 2 ranks (docs/performance.md, "Objects"): time of making and
freeing one, growth of the resident set by those that were freed, bytes of a live one; checkpoint and restart of jobs
with many. Prints medians and ratios; writes objects.json and objects.md.

    python3 bench/objects.py --build build/release --out build/objects [--rounds 5] [--only made|live|jobs] [--long]

--long makes and frees 10^6 communicators, too: minutes of each round.
"""
import json
import statistics

import pages
from run import Bench, measure, parser_of
from known_mpis import of_tests  # run.py has named its folder

MILLION = 10 ** 6
FEW_COMMUNICATORS = 10 ** 5
DATATYPES = 10 ** 5

NAMES = {"dup-self": "MPI_Comm_dup, 1 member", "dup-world": "MPI_Comm_dup, 2 members",
         "contiguous": "contiguous datatype", "vector": "vector datatype", "struct": "struct datatype",
         "persistent": "persistent send",
         "receive": "Irecv, Isend, 2 Wait", "send": "Isend, Recv, Wait"}

HELD = {"dup-world": "communicators", "struct": "struct datatypes", "receive": "pending receives",
        "send": "messages not received yet"}


class Objects(Bench):
    def program(self, *words):
        return [str(self.build / "bench" / f"objects_{self.mpi}"), *map(str, words)]

    def compare(self, mode, what, count):
        """A row: medians of nanoseconds and bytes, native and under mana."""
        ns, bytes_ = ([], []), ([], [])
        for _ in range(self.options.rounds):
            for under in (False, True):
                _, took, grown = self.run(under, *self.program(mode, what, count))[1].split()
                ns[under].append(float(took))
                bytes_[under].append(int(grown))
        row = {"what": what, "count": count}
        for side, under in (("native", False), ("mana", True)):
            row |= {f"{side}_ns": statistics.median(ns[under]), f"{side}_bytes": statistics.median(bytes_[under])}
        row["ratio"] = row["mana_ns"] / row["native_ns"]
        print(f"{self.mpi:8} {mode} {row}", flush=True)
        return row

    def made(self):
        communicators = MILLION if self.options.long else FEW_COMMUNICATORS
        return [self.compare("made", what, communicators if what.startswith("dup") else MILLION) for what in NAMES]

    def live(self):
        counts = {"dup-world": of_tests(self.mpi, "communicators"), "contiguous": DATATYPES, "struct": DATATYPES,
                  "persistent": of_tests(self.mpi, "requests"), "receive": of_tests(self.mpi, "requests")}
        return [self.compare("live", what, count) for what, count in counts.items()]

    def jobs(self):
        """Each with half as many objects, too: what is linear doubles."""
        rows = []
        for share in (2, 1):
            comms, types = ("dup-world", of_tests(self.mpi, "communicators") // share), ("struct", DATATYPES // share)
            receives, sends = ("receive", of_tests(self.mpi, "requests") // share), ("send", of_tests(self.mpi, "unreceived") // share)
            for held in ((comms,), (types,), (comms, types), (receives,), (sends,)):
                what = " and ".join(f"{count} {HELD[kind]}" for kind, count in held)
                words = [word for pair in held for word in pair]
                rows.append(self.image_of(what, *self.program("hold", *words)))
        return rows


def markdown(results):
    def columns(part, cells):
        lines = {}
        for mpi, parts in results.items():
            for row in parts.get(part, []):
                lines.setdefault((mpi, row["what"]), [mpi, NAMES.get(row["what"], row["what"]), *cells(row)])
        return list(lines.values())

    times = lambda r: [f"{r['native_ns']:.0f}", f"{r['mana_ns']:.0f}", f"{r['ratio']:.2f}"]  # noqa: E731
    made = columns("made", lambda r: [f"{r['count']}", *times(r), f"{r['native_bytes'] / 1024:.0f}",
                                      f"{r['mana_bytes'] / 1024:.0f}"])
    live = columns("live", lambda r: [f"{r['count']}", f"{r['native_bytes']:.0f}", f"{r['mana_bytes']:.0f}", *times(r)])
    jobs = columns("jobs", lambda r: [f"{r['checkpoint_s']:.2f}", f"{r['image_mib_per_rank']:.1f}",
                                      f"{r['restart_s']:.2f}"])
    head, ns = ["MPI", "object"], ["native, ns", "mana, ns", "ratio"]
    lines = pages.table([*head, "made and freed", *ns, "native grew, KiB", "mana grew, KiB"], made)
    lines += ["", *pages.table([*head, "live", "native, bytes", "mana, bytes", *ns], live)]
    lines += ["", *pages.table(["MPI", "live", "checkpoint, s", "image, MiB a rank", "restart, s"], jobs)]
    return "\n".join(lines) + "\n"


def main():
    parts = ["made", "live", "jobs"]
    parser = parser_of(__doc__, parts)
    parser.add_argument("--long", action="store_true", help="10^6 communicators, too")
    options = parser.parse_args()
    results = measure(Objects, options, parts)
    (options.out / "objects.json").write_text(json.dumps(results, indent=1) + "\n")
    (options.out / "objects.md").write_text(markdown(results))


if __name__ == "__main__":
    main()
