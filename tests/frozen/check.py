#!/usr/bin/python3
"""The layout that images depend on is the one that was frozen for this abi_version and format_version.

    check.py PROGRAM lower_slots.hpp FROZEN [--freeze]
PROGRAM prints the layout; the slots of mpi_slots are read from the generated header, in their order.
"""
import difflib
import pathlib
import re
import subprocess
import sys

program, slots, frozen = (pathlib.Path(word) for word in sys.argv[1:4])
now = subprocess.run([program], capture_output=True, text=True, check=True).stdout
now += "".join(f"  slot {name}\n" for name in re.findall(r"\(\*(\w+)\)\(", slots.read_text()))
if sys.argv[4:] == ["--freeze"]:
    frozen.write_text(now)
then = frozen.read_text() if frozen.exists() else ""
if now != then:
    print("".join(difflib.unified_diff(then.splitlines(True), now.splitlines(True), frozen.name, "now", n=0)))
    print("Images of this version would be misread. Undo the change, or raise abi_version or format_version and freeze anew.")
    sys.exit(1)
