#!/usr/bin/python3
"""Every invariant that the code states is in docs/invariants.md, with the file that states it and a test that names it, or a directory of jobs."""
import pathlib
import re
import sys

NAME = re.compile(r"\bINV-\d+\b")
ROW = re.compile(r"^\| (INV-\d+) \|[^|]+\| (\S+) \| (\S+) \|$", re.M)


def check(root: pathlib.Path) -> list[str]:
    stated = {}
    for folder in ("include", "runtime"):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in (".hpp", ".cpp", ".S"):
                for name in NAME.findall(file.read_text()):
                    stated.setdefault(name, set()).add(str(file.relative_to(root)))
    wrong = []
    rows = ROW.findall((root / "docs/invariants.md").read_text())
    for name, where, test in rows:
        if where not in stated.pop(name, set()):
            wrong.append(f"{name}: {where} does not state it, or it has two rows")
        if not (root / test).is_dir() and name not in NAME.findall((root / test).read_text()):
            wrong.append(f"{name}: {test} does not name it")
    wrong += [f"{name} of {', '.join(sorted(files))} is not in docs/invariants.md" for name, files in stated.items()]
    return wrong if rows else ["docs/invariants.md has no rows"]


problems = check(pathlib.Path(sys.argv[1]))
print("\n".join(problems))
sys.exit(1 if problems else 0)
