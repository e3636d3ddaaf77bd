#!/usr/bin/python3
"""INV-95: whether the table of system calls is whole: each number of the system's headers has one row, under the kernel's name, and each
row has a reason. system_calls.py PROGRAM COMPILER; PROGRAM prints the table (mana-system-calls).
"""
import re
import subprocess
import sys

program, compiler = sys.argv[1:]
ROW = re.compile(r"\| (\d+) \| (\w+) \| ([^|]+) \| ([^|]*) \|$")


def output_of(*command, text=""):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


defined = {name: int(number) for name, number in re.findall(
    r"^#define __NR_(\w+) (\d+)$", output_of(compiler, "-dM", "-E", "-x", "c", "-", text="#include <asm/unistd_64.h>\n"), re.M)}
rows = [ROW.match(line).groups() for line in output_of(program).splitlines() if re.match(r"\| \d", line)]
faults = []
for name, number in defined.items():
    found = [row for row in rows if row[1] == name]
    if not found:
        faults.append(f"{name} ({number}) has no row: say in runtime/split/filter what is done with it")
    elif int(found[0][0]) != number:
        faults.append(f"{name} is {number}, and its row says {found[0][0]}")
for number, name, _, why in rows:
    if sum(row[0] == number or row[1] == name for row in rows) != 1:
        faults.append(f"{name} ({number}) has more than one row")
    if not why.strip():
        faults.append(f"{name} has no reason")
if len(defined) < 300:
    faults.append(f"the headers define {len(defined)} calls only: these are not those of x86-64")
if faults:
    sys.exit("\n".join(faults))
