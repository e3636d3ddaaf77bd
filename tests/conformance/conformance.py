"""Runs test suites that others wrote natively and under mana, and keeps the outcomes in a file of JSON per suite and MPI.

A test counts where it passes natively here. What an earlier run found stays, so that parts can be run one by one:

    conformance.py --build build/dev --mpi mpich                    # everything
    conformance.py --build build/dev --mpi openmpi --way plain --only '^coll/' --again
    conformance.py --build build/dev --mpi mpich --program standard       # its library of the standard ABI
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import sys
import threading
import time

import build
import mpi4py_tests
import obtain
import run
import testlists

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "support"))
from known_mpis import FAMILIES, of_tests  # noqa: E402
from live_mpis import STANDARD, live_title  # noqa: E402

SKIPPED = 77
CHECKPOINTED = ("resumed", "restarted")
LONGEST_NATIVE_S = 8    # what takes longer does not count
FEW_RANKS = 4            # tests of more come last; before them those of more ranks than cores, which spin over some MPIs
MOST_RANKS = 10          # tests of more ranks do not end in time on a few cores
MOST_MEMORY_GB = 4
UNKNOWN_S = 0.3          # of a test that was not run natively before
NATIVE_AGAIN = 4         # native runs that must pass before another outcome under mana is called a difference


class Results:
    """The outcomes of one suite over one MPI, in a file that is always whole.

    about  {"suite": its name, "version", "mpi": the family, "live": the MPI for a reader}
    tests  {test: {"category": …, way: outcome}}
    """

    def __init__(self, file, about):
        self.file, self.about = file, about
        self.tests = json.loads(file.read_text()).get("tests", {}) if file.exists() else {}
        self.lock = threading.Lock()

    def outcome(self, test, way):
        return self.tests.get(test.name, {}).get(way)

    def put(self, test, way, outcome):
        with self.lock:
            self.tests.setdefault(test.name, {"category": test.category})[way] = outcome
            new = self.file.with_suffix(".new")
            new.write_text(json.dumps({"about": self.about, "tests": self.tests}, indent=1) + "\n")
            new.rename(self.file)


def mpich_suite(options, place, selected):
    """MPICH's own suite, its programs built."""
    source = options.source or obtain.source_package("mpich", obtain.source_version("libmpich12"), place)
    compiler = build.standard_compiler(options.build.resolve(), place, options.mpi) if options.program else None
    tree = build.configured(source.resolve(), place, options.mpi, compiler)
    tests = [test for test in testlists.tests(tree, source / build.SUITE)
             if test.ranks <= MOST_RANKS and test.memory_gb <= MOST_MEMORY_GB and (test.strict or of_tests(options.mpi, "own_suite"))]
    tests = selected(tests)
    build.build(tree, tests)
    return tree, tests, testlists.judge, build.version(source)


# Of (options, place, selected): (tree, tests, judge, version).
SUITES = {"mpich": mpich_suite, "mpi4py": mpi4py_tests.suite}


def limit_s(options, test, way, native_s):
    """Natively what the suite grants, within reason; under mana many times what the native run took."""
    return min(test.limit_s, LONGEST_NATIVE_S * options.patience) if way == "native" else options.patience * (20 + 8 * native_s)


def unsteady(options, runner, results, tree, test):
    """True if the test does not pass natively either when it is run a few times more; then it does not count."""
    native = results.outcome(test, "native") or {"result": "passed", "seconds": UNKNOWN_S}
    if "steady" not in native:
        outcomes = (runner.run("native", test, tree, 0, limit_s(options, test, "native", 0)) for _ in range(NATIVE_AGAIN))
        native["steady"] = all(outcome["result"] == "passed" for outcome in outcomes)
        results.put(test, "native", native)
    return not native["steady"]


def go(options, runner, results, tree, tests):
    """Takes each test through the ways that are asked for. Returns how many outcomes differ from the native one, of how many."""
    def is_wanted(test, way):
        known = results.outcome(test, way)
        return way in options.way and (options.again or known is None or options.missed and known["result"] == "missed")

    def counts(test):       # without native runs: until it differs
        native = results.outcome(test, "native")
        return native["result"] == "passed" if native else "native" not in options.way

    def goes_on(test):      # what differs without a checkpoint says nothing about checkpoints
        return (results.outcome(test, "plain") or {"result": "passed"})["result"] == "passed"

    def one(test):
        outcomes = []
        for way in (way for way in run.WAYS if is_wanted(test, way)):
            native = results.outcome(test, "native")
            if way != "native" and not counts(test) or way in CHECKPOINTED and not goes_on(test):
                break
            native_s = native["seconds"] if native else UNKNOWN_S
            outcome = runner.run(way, test, tree, native_s, limit_s(options, test, way, native_s))
            if way != "native" and outcome["result"] in ("failed", "timeout") and unsteady(options, runner, results, tree, test):
                outcome["result"] = "unsteady"
            results.put(test, way, outcome)
            outcomes.append((way, outcome))
            if way == "native" and counts(test):
                runner.note_start(test, outcome["seconds"])
        return test, outcomes

    for test in tests:
        if counts(test) and (native := results.outcome(test, "native")):
            runner.note_start(test, native["seconds"])
    wanted = [test for test in tests if any(is_wanted(test, way) for way in run.WAYS)]
    random.Random(options.seed).shuffle(wanted)      # so that what was run before an interruption is of all categories
    wanted.sort(key=lambda test: (test.ranks > FEW_RANKS, test.ranks > os.cpu_count()))
    differ = done = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for test, outcomes in pool.map(one, wanted):
            done += len(outcomes)
            for way, outcome in outcomes:
                if outcome["result"] not in ("passed", "missed", "unsteady"):
                    differ += way != "native"
                    print(f"{way} {test.name}: {outcome['result']}: {outcome.get('why', '')}", flush=True)
    return differ, done


def sample(file):
    """The names in a list of tests: one in a line."""
    return {line.strip() for line in file.read_text().splitlines() if line.strip() and not line.startswith("#")}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build tree")
    parser.add_argument("--mpi", choices=FAMILIES, required=True)
    parser.add_argument("--program", choices=[STANDARD], help="ABI of the programs (default: the MPI's own)")
    parser.add_argument("--source", type=pathlib.Path, help="MPICH's source, instead of the source package of the installed one")
    parser.add_argument("--suite", choices=SUITES, default="mpich")
    parser.add_argument("--way", action="append", choices=run.WAYS, help="may be given several times (default: all)")
    parser.add_argument("--only", default="", help="regular expression: names of tests")
    parser.add_argument("--sample", type=pathlib.Path, help="file: names of tests")
    parser.add_argument("--jobs", type=int, default=2, help="at once")
    parser.add_argument("--patience", type=float, default=1, help="on a busy machine: multiplies all limits of time")
    parser.add_argument("--again", action="store_true", help="also what has an outcome already")
    parser.add_argument("--missed", action="store_true", help="also tests that ended before their checkpoint")
    parser.add_argument("--results", type=pathlib.Path, help="file (default: in the build tree)")
    parser.add_argument("--at-least", type=int, default=1, help="tests that must pass in the last of the ways")
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
        tree, tests, judge, version = SUITES[options.suite](options, place, selected)
    except obtain.Unavailable as why:
        print(f"skipped: {why}")
        return SKIPPED
    if names and not options.only and (unknown := names - {test.name for test in tests}):
        print(f"not in the suite: {sorted(unknown)}")
        return 1
    if options.prepare:
        return 0
    mana = options.build.resolve()
    about = {"suite": options.suite, "version": version, "mpi": options.mpi, "live": live_title(mana, options.mpi, options.program)}
    name = "-".join(filter(None, [options.suite, options.program, options.mpi]))
    results = Results(options.results or place / f"{name}.json", about)
    for test in tests:      # also of those that an interruption leaves
        results.tests.setdefault(test.name, {"category": test.category})
    runner = run.Runner(options.mpi, mana / "bin" / "mana", judge, place / "runs" / name, options.seed, options.program)
    print(f"seed {options.seed}", flush=True)
    differ, done = go(options, runner, results, tree, tests)
    last = [way for way in run.WAYS if way in options.way][-1]
    passed = sum((results.outcome(test, last) or {}).get("result") == "passed" for test in tests)
    print(f"{options.suite} over {about['live']}: {len(tests)} tests, {done} runs, {differ} not as natively; {passed} passed {last}")
    if passed < options.at_least:
        print(f"fewer than {options.at_least} passed")
    return 1 if differ or passed < options.at_least else 0


if __name__ == "__main__":
    sys.exit(main())
