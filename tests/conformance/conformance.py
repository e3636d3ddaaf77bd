"""Runs test suites that others wrote natively and under mana, and keeps the outcomes in a file of JSON per suite and MPI.

A test counts where it passes natively here. What an earlier run found stays, so that parts can be run one by one:

    conformance.py --build build/dev --mpi mpich                    # everything
    conformance.py --build build/dev --mpi openmpi --way plain --only '^coll/' --again
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import sys
import threading
import time

import build

import obtain
import run
import testlists

SKIPPED = 77
AT_ONCE = 2              # jobs
LONGEST_NATIVE_S = 60
MOST_RANKS = 12          # more of them than this machine's cores by far: tests of more do not count
MOST_MEMORY_GB = 4


class Results:
    """The outcomes of one suite over one MPI: {test: {"category": …, way: outcome}}, in a file that is always whole."""

    def __init__(self, file):
        self.file = file
        self.tests = json.loads(file.read_text()) if file.exists() else {}
        self.lock = threading.Lock()

    def outcome(self, test, way):
        return self.tests.get(test.name, {}).get(way)

    def put(self, test, way, outcome):
        with self.lock:
            self.tests.setdefault(test.name, {"category": test.category})[way] = outcome
            new = self.file.with_suffix(".new")
            new.write_text(json.dumps(self.tests, indent=1) + "\n")
            new.rename(self.file)


def mpich_suite(place, mpi, selected):
    """(tree, tests, judge) of MPICH's own suite, its programs built."""
    version = obtain.source_version("libmpich12")
    source = obtain.source_package("mpich", version, place)
    tree = build.configured(source, place, mpi)
    tests = [test for test in testlists.tests(tree, source / build.SUITE)
             if test.ranks <= MOST_RANKS and test.memory_gb <= MOST_MEMORY_GB and (test.strict or mpi == "mpich")]
    tests = selected(tests)
    build.build(tree, tests)
    return tree, tests, testlists.judge


SUITES = {"mpich": mpich_suite}


def limit_s(test, way, native):
    """Natively what the suite grants, within reason; under mana ten times what the native run took."""
    return min(test.limit_s, LONGEST_NATIVE_S) if way == "native" else 30 + 10 * native["seconds"]


def go(options, runner, results, tree, tests):
    """Runs the tests in the ways that are asked for. Returns how many of them did not pass though they do natively."""
    bad = done = 0

    def one(way, test):
        native = results.outcome(test, "native")
        outcome = runner.run(way, test, tree, native and native["seconds"], limit_s(test, way, native))
        results.put(test, way, outcome)
        return way, test, outcome

    for way in run.WAYS:
        if way not in options.way:
            continue
        for test in tests:
            native = results.outcome(test, "native") or {}
            if native.get("result") == "passed":
                runner.starts[test.ranks] = min(native["seconds"], runner.starts.get(test.ranks, native["seconds"]))
        wanted = [test for test in tests if (options.again or results.outcome(test, way) is None) and
                  (way == "native" or (results.outcome(test, "native") or {}).get("result") == "passed")]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for _, test, outcome in pool.map(lambda test, way=way: one(way, test), wanted):
                done += 1
                if outcome["result"] not in ("passed", "missed"):
                    bad += way != "native"
                    print(f"{way} {test.name}: {outcome['result']}: {outcome.get('why', '')}", flush=True)
        print(f"{runner.mpi}: {way}: {len(wanted)} run", flush=True)
    return bad, done


def sample(file):
    """The names in a list of tests: one in a line."""
    return {line.strip() for line in file.read_text().splitlines() if line.strip() and not line.startswith("#")}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build tree")
    parser.add_argument("--mpi", choices=["mpich", "openmpi"], required=True)
    parser.add_argument("--suite", choices=SUITES, default="mpich")
    parser.add_argument("--way", action="append", choices=run.WAYS, help="may be given several times (default: all)")
    parser.add_argument("--only", default="", help="regular expression: names of tests")
    parser.add_argument("--sample", type=pathlib.Path, help="file: names of tests")
    parser.add_argument("--again", action="store_true", help="also what has an outcome already")
    parser.add_argument("--results", type=pathlib.Path, help="file (default: in the build tree)")
    parser.add_argument("--prepare", action="store_true", help="obtain and build, run nothing")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000, help="of the moments of checkpoints")
    options = parser.parse_args()
    options.way = options.way or list(run.WAYS)
    return options


def main():
    options = parse()
    place = options.build.resolve() / "conformance"
    place.mkdir(parents=True, exist_ok=True)
    names = sample(options.sample) if options.sample else None

    def selected(tests):
        return [test for test in tests if re.search(options.only, test.name) and (names is None or test.name in names)]

    try:
        tree, tests, judge = SUITES[options.suite](place, options.mpi, selected)
    except obtain.Unavailable as why:
        print(f"skipped: {why}")
        return SKIPPED
    if options.prepare:
        return 0
    results = Results(options.results or place / f"{options.suite}-{options.mpi}.json")
    runner = run.Runner(options.mpi, options.build.resolve() / "bin" / "mana", judge,
                        place / "runs" / f"{options.suite}-{options.mpi}", options.seed)
    print(f"seed {options.seed}", flush=True)
    bad, done = go(options, runner, results, tree, tests)
    print(f"{options.suite} over {options.mpi}: {len(tests)} tests, {done} runs, {bad} not as natively")
    if names and names - {test.name for test in tests}:
        print(f"not in the suite: {sorted(names - {test.name for test in tests})}")
        return 1
    return 1 if bad or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
