#!/usr/bin/python3
"""docs/guide/troubleshooting.md has each exit status of mana, and quotes messages as the code has them: troubleshooting.py ROOT

A quotation is what stands in backquotes in the first column of a table of messages; "…" is what the code puts in.
"""
import pathlib
import re
import sys

PAGE, STATUSES = "docs/guide/troubleshooting.md", "runtime/words/exit_status.hpp"
NUMBER = re.compile(r"^ *ROW\((\w+), (\d+),", re.M)
HEADS = ("message", "the message contains", "the warning contains")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
JOINED = re.compile(r'"\s*\\?\n\s*"')      # literals of two lines that are one text


def rows(page: str):
    """(head of the first column, its cell) of each row of a table"""
    head = None
    for line in page.splitlines():
        if not line.startswith("|"):
            head = None
        elif head is None:
            head = line.split("|")[1].strip()
        elif not line.startswith("|--"):
            yield head, line.split("|")[1].strip()


def texts(root: pathlib.Path) -> str:
    """All literals of the code, one a line."""
    found = []
    for folder in ("include", "runtime", "mpis"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in (".hpp", ".cpp"):
                found += LITERAL.findall(JOINED.sub("", file.read_text()))
    return "\n".join(found).replace('\\"', '"')


def check(root: pathlib.Path) -> list[str]:
    page, said = (root / PAGE).read_text(), texts(root)
    statuses = {cell for head, cell in rows(page) if head == "status"}
    wrong = [f"{PAGE}: no row for status {number}, {name}" for name, number in NUMBER.findall((root / STATUSES).read_text())
             if number not in statuses]
    quoted = [text for head, cell in rows(page) if head in HEADS for text in re.findall(r"`([^`]+)`", cell) if not text.startswith("-")]
    for text in quoted:
        wrong += [f"{PAGE}: `{text}`: no message of the code has \"{part.strip()}\"" for part in text.split("…")
                  if len(part.strip()) > 3 and part.strip() not in said]
    return wrong if quoted else [f"{PAGE} quotes no message"]


def self_test() -> None:
    """A missing status and a message that nobody says are found."""
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name in ("docs/guide", "runtime/words", "include", "mpis"):
            (root / name).mkdir(parents=True)
        (root / STATUSES).write_text('  ROW(usage, 64, "x", \\\n')
        (root / "runtime/a.cpp").write_text('say("rank " + name + " has \\"ended\\" too "\n    "early");')
        page = "| status | cause |\n|---|---|\n| 64 | x |\n\n| message | remedy |\n|---|---|\n| `rank … has \"ended\" too early` | `--none` |\n"
        for text, count in ((page, 0), (page.replace("64", "65"), 1), (page.replace("early", "late"), 1), (page.replace("`", ""), 1)):
            (root / PAGE).write_text(text)
            assert len(check(root)) == count, (text, check(root))


self_test()
problems = check(pathlib.Path(sys.argv[1]))
print("\n".join(problems) or "the page on troubleshooting says what the code says")
sys.exit(bool(problems))
