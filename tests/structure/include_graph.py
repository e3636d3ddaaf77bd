#!/usr/bin/python3
"""Which folder of include/mana may include which: the arrows of the README's flow, and nothing else. And of runtime/: a header
is named by its path from the root, folders do not include each other in a circle, and none has more than MOST files.
"""
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "support"))
from includes import INCLUDE, arrows, circle  # noqa: E402

MOST = 40

ALLOWED = {
    "arch": set(),
    "core": {"arch"},
    "vid": {"core", "lower"},
    "lower": {"core", "arch"},
    "clock": {"core"},
    "image": {"core", "lower"},
    "hooks": {"core", "lower"},
    "drain": {"arch", "core", "lower", "vid", "wrap", "restart", "hooks"},
    "restart": {"core", "lower", "vid", "wrap", "drain"},
    "wrap": {"arch", "core", "lower", "vid", "drain", "clock", "mpis"},
    "gen": set(),
}
QUOTED = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


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


def check_rooms(root: pathlib.Path) -> list[str]:
    wrong = []
    for folder in sorted(path for path in (root / "runtime").rglob("*") if path.is_dir()):
        count = sum(path.is_file() for path in folder.iterdir())
        if count > MOST:
            wrong.append(f"{folder}: {count} files; a room has {MOST} at most")
    for file in sorted((root / "runtime").rglob("*.?pp")):
        wrong += [f'{file}: "{name}" is included; name it from the root: <runtime/…>' for name in QUOTED.findall(file.read_text())]
    if found := circle(arrows(root / "runtime", "runtime/")):
        wrong.append("folders include each other in a circle: " + " -> ".join(found))
    return wrong


def self_test() -> None:
    """A circle, a quoted name and a crowded room are found."""
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for folder in ("a", "b", "c"):
            (root / "runtime" / folder).mkdir(parents=True)
        (root / "runtime/a/x.hpp").write_text("#include <runtime/b/x.hpp>\n")
        (root / "runtime/b/x.hpp").write_text("#include <runtime/c/x.hpp>\n")
        (root / "runtime/c/x.hpp").write_text("#include <vector>\n")
        assert check_rooms(root) == [], check_rooms(root)
        (root / "runtime/c/x.hpp").write_text('#include <runtime/a/x.hpp>\n#include "y.hpp"\n')
        for i in range(MOST):
            (root / f"runtime/c/{i}.cpp").touch()
        assert len(check_rooms(root)) == 3, check_rooms(root)


if __name__ == "__main__":
    self_test()
    tree = pathlib.Path(sys.argv[1])
    problems = check(tree) + check_rooms(tree)
    print("\n".join(problems) or "include graph: as it should be")
    sys.exit(bool(problems))
