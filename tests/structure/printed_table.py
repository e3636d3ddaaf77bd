#!/usr/bin/python3
"""A table of a document that a program prints from the code: printed_table.py DOCUMENT PROGRAM [WORD…]. The first line that the
program prints is the table's; the table ends with the first line that is none of its.
"""
import difflib
import pathlib
import subprocess
import sys

document, *command = sys.argv[1:]
wanted = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
lines = pathlib.Path(document).read_text().splitlines()
if wanted[0] not in lines:
    sys.exit(f"{document} has no table with the head {wanted[0]!r}")
begin = lines.index(wanted[0])
end = next((i for i in range(begin, len(lines)) if not lines[i].startswith("|")), len(lines))
difference = list(difflib.unified_diff(lines[begin:end], wanted, document, " ".join(command), lineterm=""))
if difference:
    sys.exit("\n".join(difference))
