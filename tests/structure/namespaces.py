#!/usr/bin/env python3
"""A name's namespace says in which folder it is: mana::ROOM in include/mana/ROOM and in runtime/ROOM (INV-100).

The vocabulary that all rooms share is mana's own: kinds of objects and facts of functions and classes (mana), neutral values
(mana::neutral), facts of an MPI family (mana::family), options (mana::option), fault points (mana::fault), and the wrappers that
are written by hand and have the names of MPI's functions (mana::manual). What includes the real mpi.h is mana::real_mpi, in
runtime/lower. A file may say in one line that a class of another room exists, and define what
another room's header declares, as mana::ROOM::name.
"""
import re
import subprocess
import sys
from pathlib import Path

OPENED = re.compile(r"^namespace ((?:mana(?:::\w+)*)?) ?\{(.*)$")
SHARED = {"mana", "mana::family", "mana::fault", "mana::manual", "mana::neutral", "mana::option"}
NAMES = {"lower": ("lower", "real_mpi")}


def room_of(path: Path) -> str:
    """include/mana/ROOM/..., runtime/ROOM/...; empty where a file lies in no room."""
    parts = path.parts[2:-1] if path.parts[0] == "include" else path.parts[1:-1]
    return parts[0] if parts else ""


def is_in(namespace: str, room: str) -> bool:
    return namespace in SHARED or any(f"{namespace}::".startswith(f"mana::{name}::") for name in NAMES.get(room, (room,)))


def faults(root: Path) -> list[str]:
    listed = subprocess.run(["git", "-C", root, "ls-files", "include/mana/*.hpp", "runtime/*.hpp", "runtime/*.cpp"],
                            capture_output=True, text=True, check=True).stdout.split()
    found = []
    for name in listed:
        room = room_of(Path(name))
        for number, line in enumerate((root / name).read_text().splitlines(), 1):
            m = OPENED.match(line)
            if room and m and m[1] and not m[2].endswith("}") and not is_in(m[1], room):
                found.append(f"{name}:{number}: {m[1]}: in this folder names are mana::{room}'s")
    return found


def main() -> int:
    found = faults(Path(sys.argv[1]))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
