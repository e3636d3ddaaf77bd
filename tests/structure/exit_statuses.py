#!/usr/bin/python3
"""INV-98: the table of exit statuses, what the code ends with, and what documents say of them. A number keeps its name for ever:
exit_statuses.txt has all so far, and a new row is added there too. exit_statuses.py ROOT PRINTS_THE_TABLE
"""
import pathlib
import re
import subprocess
import sys
import tempfile

FROZEN = "tests/structure/exit_statuses.txt"
ROW = re.compile(r"^\| (\d+) \| (\w+) \|", re.M)
NAMED = re.compile(r"(?<!stopped-)\b[Ss]tatus(?:es)? (\d+)\b|\bexits? (?:with|status) (\d+)\b")
LITERAL = re.compile(r"\b_*[eE]xit\((\d+)\)")
OF_ANY_PROGRAM = {0, 1}
OF_OTHER_PROGRAMS = ("docs/fidelity.md", "docs/conformance.md")      # what tests' programs end with


def sources(root: pathlib.Path):
    for folder in ("runtime", "arch", "mpis", "include"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in (".hpp", ".cpp"):
                yield str(file.relative_to(root)), file.read_text()


def check_numbers(rows: dict, frozen: dict) -> list[str]:
    wrong = [f"{number} {name} of {FROZEN} is {rows.get(number, 'not there')} in the table: a number keeps its name"
             for number, name in frozen.items() if rows.get(number) != name]
    return wrong + [f"{FROZEN}: the table's row {number} {rows[number]} is missing: append it" for number in rows if number not in frozen]


def check_code(root: pathlib.Path, rows: dict) -> list[str]:
    wrong, used = [], set()
    for place, text in sources(root):
        used |= set(re.findall(r"\bexit_status::(\w+)", text))
        if place.endswith("words/exit_status.hpp"):
            continue
        wrong += [f"{place}: {found[0]}: name the status, of runtime/words/exit_status.hpp" for found in LITERAL.finditer(text)
                  if int(found[1]) not in OF_ANY_PROGRAM]
        wrong += [f"{place}: {found[0]} is the table's exit_status::{found[1]}"
                  for found in re.finditer(r"\bint (\w+) = \d+;", text) if found[1] in rows.values()]
    unused = set(rows.values()) - used - {"success"}
    return wrong + [f"the table's row {name}: nothing ends with it" for name in sorted(unused)]


def check_documents(root: pathlib.Path, rows: dict) -> list[str]:
    wrong = []
    for file in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        place = str(file.relative_to(root))
        if place in OF_OTHER_PROGRAMS or not file.exists():
            continue
        for found in NAMED.finditer(file.read_text()):
            number = int(found[1] or found[2])
            if number not in rows and number not in OF_ANY_PROGRAM:
                wrong.append(f"{place}: \"{found[0]}\": mana has no such status")
    return wrong


def check(root: pathlib.Path, printed: str) -> list[str]:
    rows = {int(number): name for number, name in ROW.findall(printed)}
    frozen = {int(line.split()[0]): line.split()[1] for line in (root / FROZEN).read_text().splitlines() if not line.startswith("#")}
    return check_numbers(rows, frozen) + check_code(root, rows) + check_documents(root, rows)


def self_test() -> None:
    """A number with another name, one in the code and one of no row are found."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        files = {FROZEN: "64 usage\n", "README.md": "ends with status 64\n", "docs/a.md": "", "runtime/a.cpp": "exit_status::usage;\n"}
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        printed = "| status | name |\n| 64 | usage | x |\n"
        assert check(root, printed) == [], check(root, printed)
        for name, text in ((FROZEN, "64 wrong_use\n"), (FROZEN, "64 usage\n65 not_found\n"), (FROZEN, "# none\n"), ("docs/a.md", "(status 65):\n"),
                           ("docs/a.md", "it exits with 65.\n"), ("runtime/a.cpp", "exit_status::usage; _exit(64);\n"),
                           ("runtime/a.cpp", "exit_status::usage;\nconstexpr int usage = 64;\n"), ("runtime/a.cpp", "")):
            (root / name).write_text(text)
            assert len(check(root, printed)) == 1, (name, text, check(root, printed))
            (root / name).write_text(files[name])


self_test()
problems = check(pathlib.Path(sys.argv[1]), subprocess.run(sys.argv[2], capture_output=True, text=True, check=True).stdout)
print("\n".join(problems) or "each exit status as the table says")
sys.exit(bool(problems))
