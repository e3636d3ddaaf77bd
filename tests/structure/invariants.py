#!/usr/bin/python3
"""Every invariant that the code states is in docs/invariants.md, with the file that states it and a test that names it, or a
directory of jobs. One number has one statement: "INV-N words" at the beginning of a comment begins like the table's row; what
is said of one elsewhere is "INV-N: words".
"""
import pathlib
import re
import sys

NAME = re.compile(r"\bINV-\d+\b")
ROW = re.compile(r"^\| (INV-\d+) \|([^|]+)\| (\S+) \| (\S+) \|$", re.M)
STATEMENT = re.compile(r"^ *(?://+|#) (INV-\d+) (.+)$", re.M)
FIRST = 3                  # words that are compared


def first_words(text: str) -> list[str]:
    return re.findall(r"[\w'>=+-]+", text)[:FIRST]


def check(root: pathlib.Path) -> list[str]:
    stated, statements = {}, []
    for folder in ("include", "runtime", "arch", "mpis"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in (".hpp", ".cpp", ".S"):
                text, place = file.read_text(), str(file.relative_to(root))
                for name in NAME.findall(text):
                    stated.setdefault(name, set()).add(place)
                statements += [(*statement, place) for statement in STATEMENT.findall(text)]
    wrong = []
    rows = ROW.findall((root / "docs/invariants.md").read_text())
    words = {name: text for name, text, _, _ in rows}
    for name, text, place in statements:
        if name in words and first_words(text) != first_words(words[name]):
            wrong.append(f"{name} has two statements: {place} says \"{text[:50]}\", the table \"{words[name].strip()[:50]}\"")
    for name, _, where, test in rows:
        if where not in stated.pop(name, set()):
            wrong.append(f"{name}: {where} does not state it, or it has two rows")
        if not (root / test).is_dir() and name not in NAME.findall((root / test).read_text()):
            wrong.append(f"{name}: {test} does not name it")
    wrong += [f"{name} of {', '.join(sorted(files))} is not in docs/invariants.md" for name, files in stated.items()]
    return wrong if rows else ["docs/invariants.md has no rows"]


def self_test() -> None:
    """Two statements of one number are found; a remark is none."""
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name in ("include", "runtime", "docs", "tests"):
            (root / name).mkdir()
        (root / "docs/invariants.md").write_text("| INV-1 | all bytes are there | include/a.hpp | tests |\n")
        (root / "include/a.hpp").write_text("/// INV-1 all bytes are there, always.\n")
        (root / "runtime/b.cpp").write_text("/// INV-1: holds here too.\n")
        assert check(root) == [], check(root)
        (root / "runtime/b.cpp").write_text("  /// INV-1 no byte is anywhere.\n")
        assert len(found := check(root)) == 1 and "two statements" in found[0], found


self_test()
problems = check(pathlib.Path(sys.argv[1]))
print("\n".join(problems))
sys.exit(1 if problems else 0)
