"""Writes docs/conformance.md from the outcomes that conformance.py keeps and from causes.toml."""
import argparse
import collections
import json
import pathlib
import re
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
from testlists import category_of  # noqa: E402

SUITES = {"mpich": "MPICH's test suite", "mpi4py": "mpi4py's test suite"}
WAYS = {"plain": "under `mana run`", "resumed": "checkpointed and resumed", "restarted": "killed or stopped, and restarted"}
UNEXPLAINED = "Unexplained"

HEAD = """# Test suites that others wrote

`tests/conformance/report.py` generates this page. Do not edit it. A test counts if it passes natively on this machine over that
MPI. Each counting test is then run three more ways under mana. The end of this page says how, and how to repeat it. Debian 12 is
bookworm, Debian 13 trixie, and testing forky.

"""

TAIL = """
## How it is done

`tests/conformance/conformance.py --build DIR --mpi mpich|openmpi` fetches the source package of the installed MPICH. It uses its
own configuration of apt-get and the system's mirrors, and needs no privileges. The suite's own configure and Makefiles build its
programs with this MPI's compiler; with `--program standard`, with mana's header of the standard ABI and this MPI's library of it.
In another system the same command runs in a root directory (`scripts/support/system_root.py`). `--source DIR` takes the suite from
a directory. The mirror used for this page has MPICH's source package for Debian 12 only. Newer suites are those of the same version
in the project's public repository. The suite is configured without accelerators.
Each test of the suite's lists then goes through

1. a *native* run, judged by the rules of the suite's script `runtests`: "No Errors", no other output, status 0. If the test makes
   an error on purpose, a bad status is right;
2. `mana run` (*plain*);
3. `mana run --checkpoint-on USR2`: a rank gets the signal at a random moment between MPI_Init and the end (*resumed*). If the
   test is over before, it runs once more with a signal that waits for the end of MPI_Init. If that is too late too, the outcome
   is *missed*;
4. the same, but the job ends by SIGKILL once the checkpoint exists; then `mana restart` (*restarted*). If the test takes less than
   a second, the job ends with its checkpoint instead (`--stop-on USR2`).

Left out are

- Fortran, except its tests of windows; C++
- files and dynamic processes, which mana refuses as a whole
- the repetitions with MPICH's own settings (testlist.cvar)
- tests of more than ten ranks, of more than 4 GB, of a GPU, or of more than 8 seconds natively
- over Open MPI, the tests that the suite marks as not asked for by the standard

The suite of 4.0.2 has no tests of sessions except those of `init`. Its `basic` has no list and says nothing of errors, so
that its programs pass with status 0. A test that differs under mana is first run natively four times more. If one of these runs
does not pass, the test is *unsteady* and does not count.

`--suite mpi4py` does the same with the tests of mpi4py's source package, run by the installed python3-mpi4py. The mirror used for
this page has the package's description but not its archive. So the files are those of the same version in the project's public
repository, put where the package would be. By itself mpi4py asks for MPI_THREAD_MULTIPLE, for which Open MPI 4.1 has no windows
of one rank: then the tests of windows leave themselves out. They run with MPI_THREAD_SERIALIZED. A test is a file of the suite,
with 1, 2 or 3 ranks; left out are MPI-IO and dynamic processes.

Natively Open MPI gets OMPI_MCA_osc=^ucx, as mana sets it: Debian's own setting leaves a window of one rank no component. Open MPI 6
got OMPI_MCA_osc=^ucx in all ways: otherwise it prints a line about UCX in each test of windows. It also had OMPI_MCA_btl=^tcp. On a busy
machine `--patience` multiplies the limits of time. `report.py --earlier PAGE` keeps the rows of categories that were not run again.

`tests/conformance/report.py --build DIR…` writes this page. `scripts/test` runs the tests of `tests/conformance/sample.txt` in the
way *resumed*, over both MPIs.
"""


def matches(cause, mpi, way, test, outcome):
    return (re.search(cause.get("why", ""), outcome.get("why", "")) and re.search(cause.get("test", ""), test) and
            cause.get("mpi", mpi) == mpi and cause.get("way", way) == way)


def counting(tests):
    """The tests that count: {name: {way: outcome}}"""
    return {name: ways for name, ways in tests.items() if "native" in ways and ways["native"]["result"] == "passed" and
            ways["native"].get("steady", True)}


def not_run(tests):
    """What to say of tests that were not run, and of those that were not run in each way."""
    never = sum("native" not in ways for ways in tests.values())
    # What differs without a checkpoint is not run with one.
    partly = sum(ways.get("plain", {"result": "passed"})["result"] == "passed" and any(way not in ways for way in WAYS)
                 for ways in counting(tests).values())
    lines = [f"{never} of these tests were not run: time was short."] * (never > 0)
    lines += [f"{partly} of those that count were not run in each way."] * (partly > 0)
    return [" ".join(lines), ""] if lines else []


def earlier_sections(page):
    """{heading: lines} of a page: what stays of suites and MPIs that were not run again."""
    titles = "|".join(map(re.escape, SUITES.values()))
    found = re.findall(rf"^(## (?:{titles}) .*?)\n(?=## )", page, re.MULTILINE | re.DOTALL)
    return {text.partition("\n")[0]: [*text.rstrip("\n").split("\n"), ""] for text in found}


class Earlier:
    """What a page says of one suite over one MPI: rows and causes of tests that are not run again."""

    def __init__(self, page, heading):
        text = page.partition(f"\n{heading}\n")[2].partition("\n## ")[0]
        rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
        self.rows = {row[0].removesuffix(" †"): row[1:] for row in rows if row[0] != "category" and not row[0].startswith("**")}
        self.causes = {}        # text: names, as the page shows them
        for cause, names in re.findall(r"^(?:† )?\*\*(.+?)\*\* \d+ tests?:\n\n(`.+)$", text, re.MULTILINE):
            self.causes[cause] = re.findall(r"`[^`]+`(?: ×\d+)?", names)
        unsteady = re.search(r"^Natively these pass only at times, and do not count: (.+)\.$", text, re.MULTILINE)
        self.unsteady = re.findall(r"`[^`]+`", unsteady[1]) if unsteady else []

    def without(self, tests):
        """The same without what is known of these tests' categories."""
        again = {ways["category"] for ways in tests.values()}
        self.rows = {category: row for category, row in self.rows.items() if category not in again}
        def stays(name):
            return category_of(name.strip("`").split()[0].rpartition("/")[0]) in self.rows
        self.causes = {cause: kept for cause, names in self.causes.items() if (kept := [*filter(stays, names)])}
        self.unsteady = [*filter(stays, self.unsteady)]
        return self


def add(cells):
    """The sum of cells of one column: numbers, or what cell() says."""
    if all(re.fullmatch(r"\d+", text) for text in cells):
        return str(sum(map(int, cells)))
    parts = [[int(number or 0) for number in match.groups()]
             for text in cells if (match := re.match(r"(\d+) of (\d+)(?: \((\d+) missed\))?", text))]
    if not parts:
        return "–"
    passed, ran, missed = map(sum, zip(*parts, strict=True))
    return f"{passed} of {ran}" + (f" ({missed} missed)" if missed else "")


def cell(tests, way):
    outcomes = collections.Counter(ways[way]["result"] for ways in tests if way in ways)
    if not outcomes:
        return "–"
    text = f"{outcomes['passed']} of {outcomes.total() - outcomes['missed']}"
    return text + (f" ({outcomes['missed']} missed)" if outcomes["missed"] else "")


def table(tests, earlier):
    """Rows per category, and their sum."""
    lines = ["| category | tests | pass natively | " + " | ".join(WAYS.values()) + " |", "|---|---|---|---|---|---|"]
    good = counting(tests)
    rows = {f"{category} †": row for category, row in earlier.rows.items()}
    for category in {ways["category"] for ways in tests.values()}:
        def of(some, category=category):
            return [ways for ways in some.values() if category == ways["category"]]
        rows[category] = [str(len(of(tests))), str(len(of(good))), *(cell(of(good), way) for way in WAYS)]
    lines += ["| " + " | ".join([category, *rows[category]]) + " |" for category in sorted(rows)]
    lines.append("| " + " | ".join(["**all**", *map(add, zip(*rows.values(), strict=True))]) + " |")
    return lines


def program_of(name):
    """What a test runs: mpi4py's are files of one program's."""
    match = re.search(r"\\b(\w+)\(", name)
    return match[1] if match else name.split()[0]


def differences(tests, mpi, causes):
    """{text of the cause: {way: [names]}}, and what the unexplained ones said."""
    found, said = {}, {}
    for name, ways in counting(tests).items():
        for way in WAYS:
            outcome = ways.get(way, {})
            if outcome.get("result") in (None, "passed", "missed", "unsteady"):
                continue
            cause = next((cause for cause in causes if matches(cause, mpi, way, name, outcome)), None)
            text = f"{cause['text'].removesuffix('.')} ({cause['kind']})." if cause else UNEXPLAINED
            found.setdefault(text, {}).setdefault(name, []).append(way)
            if not cause:
                said[name, way] = f"{outcome['result']}: {outcome.get('why', '')}"
    return found, said


def show_differences(tests, mpi, causes, earlier):
    found, said = differences(tests, mpi, causes)
    if not found and not earlier.causes:
        return ["No difference.", ""]
    lines = []
    for text, names in sorted(found.items(), key=lambda item: (item[0] == UNEXPLAINED, -len(item[1]))):
        lines += [f"**{text}** {len(names)} test{'s' if len(names) > 1 else ''}:", ""]
        if text == UNEXPLAINED:
            lines += [f"- `{name}`, {way}: {what[:160]}" for (name, way), what in said.items()]
        else:
            by_program = collections.Counter(program_of(name) for name in names)
            lines.append(", ".join(f"`{name}`" + (f" ×{count}" if count > 1 else "") for name, count in by_program.items()))
        lines.append("")
    for text, names in earlier.causes.items():
        lines += [f"† **{text}** {len(names)} test{'s' if len(names) > 1 else ''}:", "", ", ".join(names), ""]
    return lines


def section(results, causes, page):
    about, tests, mpi = results["about"], results["tests"], results["about"]["mpi"]
    for ways in tests.values():
        ways["category"] = "files" if ways["category"] == "." else ways["category"]
    heading = f"## {SUITES[about['suite']]} {about['version']} over {about['live']}"
    earlier = Earlier(page, heading).without(tests)
    lines = [heading, "", *table(tests, earlier), ""]
    lines += not_run(tests)
    if earlier.rows:
        lines += ["† Of an earlier state of mana, and not run again since.", ""]
    unsteady = earlier.unsteady + [f"`{name}`" for name, ways in tests.items()
                                   if not ways.get("native", {}).get("steady", True)]
    lines += show_differences(tests, mpi, causes, earlier)
    if unsteady:
        lines += ["Natively these pass only at times, and do not count: " + ", ".join(unsteady) + ".", ""]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, action="append", required=True,
                        help="build tree; may be given several times, as for systems of system_root.py")
    parser.add_argument("--out", type=pathlib.Path, default=HERE.parents[1] / "docs" / "conformance.md")
    parser.add_argument("--earlier", type=pathlib.Path, help="page whose rows and sections stay for what was not run again")
    options = parser.parse_args()
    page = options.earlier.read_text() if options.earlier else ""
    causes = tomllib.loads((HERE / "causes.toml").read_text())["cause"]
    sections = earlier_sections(page)
    for file in (file for build in options.build for suite in SUITES for file in sorted((build / "conformance").glob(f"{suite}-*.json"))):
        new = section(json.loads(file.read_text()), causes, page)
        sections[new[0]] = new
    of_suites = [[lines for heading, lines in sections.items() if heading.startswith(f"## {title}")] for title in SUITES.values()]
    lines = [line for of_suite in of_suites for section_lines in of_suite for line in section_lines]
    if not lines:
        sys.exit("report: there are no outcomes; run conformance.py first")
    options.out.write_text(HEAD + "\n".join(lines) + TAIL)


if __name__ == "__main__":
    main()
