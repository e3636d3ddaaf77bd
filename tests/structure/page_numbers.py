#!/usr/bin/python3
"""A number that a page takes from another page, or from the code, is the number there: page_numbers.py ROOT"""
import pathlib
import re
import sys

GUIDE, FIDELITY, COVERAGE, SPEED = "docs/guide/", "docs/fidelity.md", "docs/coverage.md", "docs/performance.md"
NUMBER = r"([\d.,]+)"


def works(names: float, refused: float) -> list[float]:
    return [names - refused, refused]


def same(*numbers: float) -> list[float]:
    return list(numbers)


# (page, what it says, source, what that says, how the first follows from the second). # stands for a number. Each text stands
# there once at least; white space counts for nothing. A number of the page may be rounded.
CLAIMS = [
    (GUIDE + "what-is-restored.md", "lists # test programs: # keep everything, # get an error from a call, # cause a warning",
     FIDELITY, "# programs: .*?; # keep everything .*? # are refused.*? # are named", same),
    (GUIDE + "limits.md", "# functions work, # are refused", COVERAGE, "declare # functions: .* # that mana refuses at the call", works),
    (GUIDE + "when-not-to-use.md", "# work, # are refused", COVERAGE, "declare # functions: .* # that mana refuses at the call", works),
    (GUIDE + "limits.md", r"threads of a process at once \| #", "include/mana/lower/abi.hpp", "max_threads = #;", same),
    (GUIDE + "what-is-restored.md", "threads of a rank, up to #:", "include/mana/lower/abi.hpp", "max_threads = #;", same),
    (GUIDE + "interval.md", r"pause # % of a plain checkpoint's: # s instead of # s", SPEED,
     r"pause of a plain checkpoint.*? \| # s \| \| of a forked one \| # s \(# %\)", lambda plain, forked, part: [part, forked, plain]),
    (GUIDE + "where-checkpoints-go.md", "# deaths at fault points, # power cuts", "docs/reliability.md",
     r"# \| 0 \|.*? # of # cases passed", lambda states, done, _: [done, 5 * states]),
    ("README.md", r"heat2d, run time .*? \| # \| # \|", SPEED, r"heat2d \| # \| # \| # \| # \| # \| # \|", lambda *n: [n[2], n[5]]),
    ("README.md", r"hpcc, .*? \| – \| # \|", SPEED, r"hpcc, N = 3000 \| - \| - \| - \| # \| # \| # \|", lambda *n: [n[2]]),
    ("README.md", r"2 ranks of 256 MiB, .*? \| # s \| # s \|.*?restart of the same, .*? \| # s \| # s \|", SPEED,
     r"256 MiB per rank \| # \| # \| # \| # \| # \| # \| # \| # \|", lambda *n: [n[0], n[4], n[3], n[7]]),
]


def numbers(pattern: str, text: str) -> list[list[str]]:
    found = re.finditer(pattern.replace("#", NUMBER), " ".join(text.split()))
    return [list(match.groups()) for match in found]


def value(text: str) -> float:
    return float(text.rstrip(".,").replace(",", ""))


def agrees(said: str, is_so: float) -> bool:
    """Rounded to as many places as the page has."""
    places = len(said.rstrip(".,").partition(".")[2])
    return abs(value(said) - is_so) <= 0.5 * 10 ** -places + 1e-9


def check(root: pathlib.Path, claims=None) -> list[str]:
    wrong = []
    for page, says, source, there, follow in claims or CLAIMS:
        facts = numbers(there, (root / source).read_text())
        said = numbers(says, (root / page).read_text())
        if not facts or not said:
            wrong.append(f"{page if facts else source}: no text like \"{says if facts else there}\"")
            continue
        wanted = follow(*map(value, facts[0]))
        wrong += [f"{page} says {', '.join(one)}; by {source} it is {', '.join(map(str, wanted))}"
                  for one in said if len(one) != len(wanted) or not all(map(agrees, one, wanted))]
    return wrong


def self_test() -> None:
    """A stale number is found, a rounded one is not, nor one that a text calls otherwise."""
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "source").write_text("it took 1,234.56 s of\n10\n")
        claims = [("page", "about # s", "source", "took # s of #", lambda s, _: [s])]
        for text, count in (("about 1,234.6\ns", 0), ("about 1235 s", 0), ("about 1233 s", 1), ("no number", 1)):
            (root / "page").write_text(text)
            assert len(check(root, claims)) == count, (text, check(root, claims))


self_test()
problems = check(pathlib.Path(sys.argv[1]))
print("\n".join(problems) or "pages repeat numbers as they are")
sys.exit(bool(problems))
