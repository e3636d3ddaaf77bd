#!/usr/bin/python3
"""Which folder of include/mana may include which: the arrows of the README's flow, and nothing else."""
import pathlib
import re
import sys

ALLOWED = {
    "core": set(),
    "vid": {"core", "lower"},
    "lower": {"core"},
    "clock": {"core"},
    "image": {"core", "lower"},
    "hooks": {"core", "lower"},
    "drain": {"core", "lower", "vid", "wrap", "restart", "hooks"},
    "restart": {"core", "lower", "vid", "wrap", "drain"},
    "wrap": {"core", "lower", "vid", "drain", "clock"},
    "gen": set(),
}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.M)


def check(root: pathlib.Path) -> list[str]:
    wrong = []
    for header in sorted((root / "include/mana").rglob("*.hpp")):
        parts = header.relative_to(root / "include/mana").parts
        if len(parts) == 1:
            continue
        here = parts[0]
        if here not in ALLOWED:
            wrong.append(f"{header}: folder {here} has no row in {__file__}")
            continue
        for name in INCLUDE.findall(header.read_text()):
            target = name.split("/")
            if "runtime" in target:
                wrong.append(f"{header}: includes {name}; include/ never uses runtime/")
            if target[0] == "mana" and len(target) > 2 and target[1] not in ALLOWED[here] | {here, "gen"}:
                wrong.append(f"{header}: {here} may not use {target[1]} ({name})")
    return wrong


if __name__ == "__main__":
    problems = check(pathlib.Path(sys.argv[1]))
    print("\n".join(problems) or "include graph: as it should be")
    sys.exit(bool(problems))
