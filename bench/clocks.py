"""Compares the clock policies on real MPI: native and each policy in turn, round after round. Writes results.json,
table.md and clocks.svg.

    python3 bench/clocks.py --build build --out build/clocks [--rounds 5] [--mpi mpich] [--ranks 2] [--policy needs]
    python3 bench/clocks.py --results build/clocks/results.json --out build/clocks --write docs/clocks.md

The policies are those that the library lists. --write puts the table between the page's two marker lines and the chart
beside the page; with --results nothing is measured.
"""
import argparse
import json
import math
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

import pages
import pictures

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts" / "support"))
from known_mpis import FAMILIES  # noqa: E402
from mana_job import Failed, Job, mana, mpi_environment, mpirun  # noqa: E402

NATIVE = "native"
REFUSED = "refused"
GIVEN_UP = "given up"
MOMENTS = {"collectives": "nothing but collectives", "entered": "the others wait in a collective for the straggler",
           "apart": "nobody has entered the straggler's collective"}
# A rank cannot say that it is inside a call; but one that has run for so long since it said that it would enter it, is.
# All of them run: they compute, or poll while they wait.
INSIDE_NS = 1_000_000


def overlap(comm, compute, total):
    """Share of the communication, in percent, that went on while the rank computed."""
    return 100 * max(0.0, min(1.0, 1 - (total - compute) / comm))


def in_turn(names, round_number):
    """Each round begins with another one: none is always first on a cold machine."""
    at = round_number % len(names)
    return names[at:] + names[:at]


def parse_blocking(output):
    """{(call, bytes): ns}"""
    found = {}
    for line in output.splitlines():
        name, size, ns = line.split()
        found[name, int(size)] = float(ns)
    return found


def parse_nonblocking(output):
    """{(call, bytes): [comm, compute, total] in ns, or REFUSED}"""
    found = {}
    for line in output.splitlines():
        name, size, *values = line.split()
        found[name, int(size)] = REFUSED if values == [REFUSED] else [float(v) for v in values]
    return found


def ran_ns(pid):
    """How long the process's first thread has run. Exact: a rank that yields while it waits seldom runs when the clock
    ticks."""
    return int(pathlib.Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[0])


class Bench:
    """One MPI library with one number of ranks."""

    def __init__(self, options, mpi, ranks, policies):
        self.options, self.mpi, self.ranks, self.policies = options, mpi, ranks, policies
        build = options.build.resolve()
        self.mana = str(build / "bin" / "mana")
        self.programs = build / "bench"
        self.directory = options.out.resolve() / f"{mpi}-{ranks}"
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(parents=True)

    def words(self, policy, program, *arguments, limit=()):
        under = [] if policy == NATIVE else [self.mana, "run", "--ckpt-dir", "ckpt", "--clock", policy, *limit, "--"]
        return [*mpirun(self.mpi, self.ranks), *under, str(self.programs / f"{program}_{self.mpi}"), *arguments]

    def collectives(self, policy, kind):
        """The lines of bench/collectives.c."""
        words = self.words(policy, "collectives", kind, str(self.options.sample_ms), str(self.options.samples),
                           *self.options.call)
        done = subprocess.run(words, cwd=self.directory, env=mpi_environment(), text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, check=False, timeout=self.options.timeout)
        if done.returncode != 0:
            raise Failed(f"{' '.join(words)} ended with status {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def rounds(self, kind, parse):
        """[{policy: what parse() found}], a member per round"""
        rounds = []
        for number in range(self.options.rounds):
            this = {}
            for policy in in_turn([NATIVE, *self.policies], number):
                begin = time.monotonic()
                this[policy] = parse(self.collectives(policy, kind))
                print(f"{self.mpi} {self.ranks} ranks, {kind}, round {number + 1}: {policy}, "
                      f"{time.monotonic() - begin:.0f} s", flush=True)
            rounds.append(this)
        return rounds

    def blocking(self):
        rounds = self.rounds("blocking", parse_blocking)
        return [{"call": call, "bytes": size, "ns": {p: [one[p][call, size] for one in rounds] for p in rounds[0]}}
                for call, size in rounds[0][NATIVE]]

    def nonblocking(self):
        rounds = self.rounds("nonblocking", parse_nonblocking)
        rows = []
        for call, size in rounds[0][NATIVE]:
            cells = {p: [one[p][call, size] for one in rounds] for p in rounds[0]}
            rows.append({"call": call, "bytes": size,
                         "ns": {p: REFUSED if REFUSED in times else times for p, times in cells.items()}})
        return rows

    def moments(self):
        """Seconds from the request to the recovery line, in the situations of bench/request_moments.c."""
        rows = []
        for moment in MOMENTS:
            found = {policy: [] for policy in self.policies}
            for number in range(self.options.rounds):
                for policy in in_turn(self.policies, number):
                    found[policy] += self.lines(policy, moment)
            rows.append({"moment": moment, "seconds": found})
            print(f"{self.mpi} {self.ranks} ranks, {moment}: {found}", flush=True)
        return rows

    def lines(self, policy, moment):
        """Seconds from request to line; GIVEN_UP for a checkpoint that came to none within the limit."""
        shutil.rmtree(self.directory / "ckpt", ignore_errors=True)
        seconds = () if moment == "collectives" else (str(self.options.straggle),)
        job = Job(self.words(policy, "request_moments", moment, *seconds, limit=("--limit", str(self.options.limit))),
                  self.directory, self.directory / "log")
        place = str(self.directory / "ckpt")
        try:
            self.await_ranks(job)
            return [self.line(place) for _ in range(self.options.requests if moment == "collectives" else 1)]
        finally:
            job.kill()

    def await_ranks(self, job):
        """Returns when all ranks are where the request is meant to meet them."""
        ready = {}
        for _ in range(self.ranks):
            line = job.next_line(60)
            if line is None or not line.startswith("ready "):
                raise Failed(f"{line!r} in place of a rank's 'ready'; see {job.log}")
            pid = int(line.split()[1])
            ready[pid] = ran_ns(pid)
        deadline = time.monotonic() + 60
        while any(ran_ns(pid) < before + INSIDE_NS for pid, before in ready.items()):
            if time.monotonic() > deadline:
                raise Failed(f"a rank does not run; see {job.log}")
            time.sleep(0.01)

    def line(self, place):
        """Seconds from a request to its line."""
        try:
            mana(self.mana, "checkpoint", "--ckpt-dir", place)
        except Failed:
            took = self.phases(place)
            if "parking" in took:
                raise
            return GIVEN_UP
        return self.phases(place)["quiescing"]

    def phases(self, place):
        return json.loads(mana(self.mana, "status", "--ckpt-dir", place, "--json")[1])["seconds_by_phase"]


# ---- What was found, for people.

def size_name(size):
    return "" if size == 0 else " 1 MiB" if size == 1 << 20 else " 1 KiB" if size == 1024 else f" {size} B"


def ratio(row, policy):
    """Of medians, policy to native."""
    return statistics.median(row["ns"][policy]) / statistics.median(row["ns"][NATIVE])


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(v) for v in values))


def percent(value):
    return f"{100 * (value - 1):+.1f} %"


def overlap_cell(times):
    return REFUSED if times == REFUSED else f"{statistics.median(overlap(*t) for t in times):.0f} %"


def communication_cell(row, policy):
    """The pure communication time against the native one."""
    if row["ns"][policy] == REFUSED:
        return REFUSED
    comm = {p: statistics.median(t[0] for t in row["ns"][p]) for p in (NATIVE, policy)}
    return percent(comm[policy] / comm[NATIVE])


def seconds_cell(seconds):
    """Median and the longest; how many were given up."""
    lines = [s for s in seconds if s != GIVEN_UP]
    given_up = f"{len(seconds) - len(lines)} of {len(seconds)} {GIVEN_UP}" if len(lines) != len(seconds) else ""
    if not lines:
        return given_up
    unit, scale = ("s", 1) if statistics.median(lines) >= 1 else ("ms", 1e3)
    cell = f"{statistics.median(lines) * scale:.2f} {unit}"
    if len(lines) > 1:
        cell += f" (longest {max(lines) * scale:.2f})"
    return f"{cell}, {given_up}" if given_up else cell


def one_setting(setting, policies):
    """The Markdown of one MPI library with one number of ranks."""
    lines = []
    blocking, nonblocking, moments = (setting.get(part, []) for part in ("blocking", "nonblocking", "moments"))
    if blocking:
        rows = [[row["call"] + size_name(row["bytes"]), f"{statistics.median(row['ns'][NATIVE]) / 1e3:.2f}",
                 *(percent(ratio(row, p)) for p in policies)] for row in blocking]
        means = [geometric_mean([ratio(row, p) for row in blocking]) for p in policies]
        rows.append(["geometric mean", "", *(percent(mean) for mean in means)])
        lines += [*pages.table(["blocking: time of a call", "native, µs", *policies], rows), ""]
    if nonblocking:
        head = ["non-blocking: overlap; time of start and wait", "native", "native, µs"]
        rows = [[row["call"] + size_name(row["bytes"]), overlap_cell(row["ns"][NATIVE]),
                 f"{statistics.median(t[0] for t in row['ns'][NATIVE]) / 1e3:.2f}",
                 *(REFUSED if row["ns"][p] == REFUSED else
                   f"{overlap_cell(row['ns'][p])}; {communication_cell(row, p)}" for p in policies)]
                for row in nonblocking]
        lines += [*pages.table([*head, *policies], rows), ""]
    if moments:
        rows = [[MOMENTS[row["moment"]], *(seconds_cell(row["seconds"][p]) for p in policies)] for row in moments]
        lines += [*pages.table(["from request to recovery line", *policies], rows), ""]
    return lines


def markdown(results):
    lines = [f"{results['rounds']} rounds.", ""]
    for setting in results["settings"]:
        lines += [f"### {setting['mpi']}, {setting['ranks']} ranks", "", *one_setting(setting, results["policies"])]
    return "\n".join(lines)


COLOURS = ("#2b7", "#47c", "#e93", "#c44", "#85b", "#888")
CLIP = 2.0      # a bar as long as the scale: what the label says may be more


def bars(setting, policies, x, y):
    """A part of the chart with its corner at x, y: a group of bars per call. Returns (lines of SVG, its lower end)."""
    bar, left, unit = 10, x + 100, 100
    top, y = y, y + 8
    lines = [f'<text x="{x}" y="{top}" font-weight="bold">{setting["mpi"]}, {setting["ranks"]} ranks</text>']
    for row in setting.get("blocking", []):
        middle = y + bar * len(policies) / 2 + 4
        lines.append(f'<text x="{x}" y="{middle:.0f}">{row["call"] + size_name(row["bytes"])}</text>')
        for i, policy in enumerate(policies):
            value = ratio(row, policy)
            width = max(0.0, min(value - 1, CLIP)) * unit
            lines += [f'<rect x="{left}" y="{y + bar * i}" width="{width:.1f}" height="{bar - 1}" '
                      f'fill="{COLOURS[i % len(COLOURS)]}"/>',
                      f'<text x="{left + width + 4:.1f}" y="{y + bar * i + 8}" font-size="9">{percent(value)}</text>']
        y += bar * len(policies) + 5
    lines.append(f'<line class="axis" x1="{left}" y1="{top + 4}" x2="{left}" y2="{y}"/>')
    return lines, y


def chart(results):
    """What each policy adds to blocking calls, as an SVG of bars; two settings side by side."""
    policies, columns, width, y = results["policies"], 2, 400, 62
    title = "What each policy adds to a call (medians)"
    lines = [f'<text x="10" y="18" font-size="14">{title}</text>']
    for i, policy in enumerate(policies):
        lines += [f'<rect x="{10 + 130 * i}" y="28" width="10" height="10" fill="{COLOURS[i % len(COLOURS)]}"/>',
                  f'<text x="{24 + 130 * i}" y="37">{policy}</text>']
    for first in range(0, len(results["settings"]), columns):
        parts = [bars(setting, policies, 10 + width * i, y)
                 for i, setting in enumerate(results["settings"][first:first + columns])]
        for of_setting, _ in parts:
            lines += of_setting
        y = max(bottom for _, bottom in parts) + 26
    return pictures.drawing(max(columns * width, 130 * len(policies)), y - 10, title, lines)


def write_page(path, results):
    picture = path.with_suffix(".svg")
    text = markdown(results)
    if any(setting.get("blocking") for setting in results["settings"]):
        picture.write_text(chart(results))
        text += f"\n![what each policy adds]({picture.name})\n"
    path.write_text(pages.with_part(path.read_text(), "clocks", text))


def measure(options):
    names = subprocess.run([options.build.resolve() / "bench" / "clock_names"], check=True, text=True,
                           capture_output=True).stdout.split()
    unknown = set(options.policy) - set(names)
    if unknown:
        raise Failed(f"no such policy: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    policies = [name for name in names if not options.policy or name in options.policy]
    results = {"schema": 1, "rounds": options.rounds, "policies": policies, "settings": []}
    for mpi in options.mpi:
        for ranks in options.ranks:
            bench = Bench(options, mpi, ranks, policies)
            setting = {"mpi": mpi, "ranks": ranks}
            results["settings"].append(setting)
            for part in options.only:
                setting[part] = getattr(bench, part)()
                (options.out / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, help="build tree")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="where the results go")
    parser.add_argument("--results", type=pathlib.Path, help="results.json of an earlier run, in place of measuring")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE", help="put the table into this page")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--mpi", action="append", choices=FAMILIES)
    parser.add_argument("--ranks", type=int, action="append", help="(default: 2 and 4)")
    parser.add_argument("--policy", action="append", default=[], help="only this one (default: all that there are)")
    parser.add_argument("--only", action="append", choices=["blocking", "nonblocking", "moments"])
    parser.add_argument("--call", nargs="+", default=[], metavar="WORD", help="only this call, and only these bytes")
    parser.add_argument("--sample-ms", type=float, default=10, help="least length of a sample")
    parser.add_argument("--samples", type=int, default=15, help="samples of each number")
    parser.add_argument("--requests", type=int, default=10, help="checkpoints of each run that does collectives")
    parser.add_argument("--straggle", type=float, default=5, help="seconds that the straggler computes")
    parser.add_argument("--limit", type=float, default=30, help="seconds after which a checkpoint is given up")
    parser.add_argument("--timeout", type=float, default=1800, help="longest run of one program, s")
    options = parser.parse_args()
    if (options.build is None) == (options.results is None):
        parser.error("either --build or --results")
    options.mpi = options.mpi or FAMILIES
    options.ranks = options.ranks or [2, 4]
    options.only = options.only or ["blocking", "nonblocking", "moments"]
    options.out.mkdir(parents=True, exist_ok=True)
    results = json.loads(options.results.read_text()) if options.results else measure(options)
    (options.out / "table.md").write_text(markdown(results))
    (options.out / "clocks.svg").write_text(chart(results))
    if options.write:
        write_page(options.write, results)


if __name__ == "__main__":
    try:
        main()
    except (Failed, pages.NoMarkers) as failed:
        sys.exit(f"clocks: {failed}")
