#!/usr/bin/python3
"""Folders do not include each other in a circle, in include/mana and in runtime/; a header is named by its path from the root; no
folder there or in tests/ has more than MOST files. Rooms that others build on may use what their row in PURE says, and nothing else.
"""
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "support"))
from includes import INCLUDE, arrows, circle  # noqa: E402

MOST = 40

PURE = {
    "arch": set(),
    "core": {"arch"},
    "vid": {"core", "lower"},
    "lower": {"arch", "core"},
    "clock": {"core"},
    "image": {"core", "lower"},
    "hooks": {"core", "lower"},
    "drain": {"core", "lower"},
}
QUOTED = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def check_pure(root: pathlib.Path) -> list[str]:
    wrong = []
    for header in sorted((root / "include/mana").rglob("*.h*")):
        room = header.relative_to(root / "include/mana").parts[0]
        for name in INCLUDE.findall(header.read_text()):
            target = name.split("/")
            if "runtime" in target:
                wrong.append(f"{header}: includes {name}; include/ never uses runtime/")
            if room in PURE and target[0] == "mana" and len(target) > 2 and target[1] not in PURE[room] | {room, "gen"}:
                wrong.append(f"{header}: {room} may not use {target[1]} ({name})")
    return wrong


def is_data(folder: pathlib.Path) -> bool:
    """Of tests: what fuzzers begin with, a set that nobody reads file by file."""
    return "corpus" in folder.parts or "__pycache__" in folder.parts


def crowded(root: pathlib.Path) -> list[str]:
    wrong = []
    for folder in sorted(path for top in ("runtime", "include/mana", "tests") for path in (root / top).rglob("*") if path.is_dir()):
        count = sum(path.is_file() for path in folder.iterdir())
        if count > MOST and not is_data(folder.relative_to(root)):
            wrong.append(f"{folder}: {count} files; a room has {MOST} at most")
    return wrong


def check_rooms(root: pathlib.Path) -> list[str]:
    wrong = crowded(root)
    for file in sorted((root / "runtime").rglob("*.?pp")):
        wrong += [f'{file}: "{name}" is included; name it from the root: <runtime/…>' for name in QUOTED.findall(file.read_text())]
    for top, prefix in (("runtime", "runtime/"), ("include/mana", "mana/")):
        if found := circle(arrows(root / top, prefix)):
            wrong.append(f"folders of {top} include each other in a circle: " + " -> ".join(found))
    return wrong


def self_test() -> None:
    """A circle, a quoted name and two crowded rooms are found."""
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for folder in ("a", "b", "c"):
            (root / "runtime" / folder).mkdir(parents=True)
        (root / "runtime/a/x.hpp").write_text("#include <runtime/b/x.hpp>\n")
        (root / "runtime/b/x.hpp").write_text("#include <runtime/c/x.hpp>\n")
        (root / "runtime/c/x.hpp").write_text("#include <vector>\n")
        assert check_rooms(root) == [], check_rooms(root)
        (root / "runtime/c/x.hpp").write_text('#include <runtime/a/x.hpp>\n#include "y.hpp"\n')
        for room in ("tests/a", "tests/corpus/a"):
            (root / room).mkdir(parents=True)
        for i in range(MOST + 1):
            (root / f"runtime/c/{i}.cpp").touch()
            (root / f"tests/a/{i}.c").touch()
            (root / f"tests/corpus/a/{i}").touch()
        assert len(check_rooms(root)) == 4, check_rooms(root)


if __name__ == "__main__":
    self_test()
    tree = pathlib.Path(sys.argv[1])
    problems = check_pure(tree) + check_rooms(tree)
    print("\n".join(problems) or "include graph: as it should be")
    sys.exit(bool(problems))
