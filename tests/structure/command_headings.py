#!/usr/bin/python3
"""The guide's headings of commands name the options that the commands have: command_headings.py GUIDE PRINTS_OPTIONS WORD…, which prints
the table of options (see options_document.cpp). Left out of headings: --ckpt-dir, the same as DIR, and --no-config.
"""
import pathlib
import re
import subprocess
import sys

HEADING = re.compile(r"^### (.*`mana .*)$", re.M)
ROW = re.compile(r"^\| `([^`]+)` \| ([^|]+) \|", re.M)
LEFT_OUT = {"--no-config"}

guide, *command = sys.argv[1:]
has = {}
for option, commands in ROW.findall(subprocess.run(command, capture_output=True, text=True, check=True).stdout):
    names = [word.strip(",") for word in option.split() if word.startswith("-")]
    for name in (part.split()[0] for part in commands.split(",")):
        if names and not LEFT_OUT & set(names):
            has.setdefault(name, []).append(names)
wrong = []
for heading in HEADING.findall(pathlib.Path(guide).read_text()):
    name = re.search(r"`mana ([\w-]+)", heading)[1]
    if name in ("run", "restart"):
        continue
    said = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", heading))
    options = has.pop(name, [])
    wrong += [f"{guide}: the heading of mana {name} lacks {' or '.join(names)}" for names in options
              if not said & set(names) and not ("--ckpt-dir" in names and "DIR" in heading or "WHAT" in heading and "--ckpt-dir" in names)]
    wrong += [f"{guide}: mana {name} has no {word}" for word in sorted(said - {n for names in options for n in names})]
wrong += [f"{guide}: no heading names mana {name}" for name in sorted(has)]
if wrong:
    sys.exit("\n".join(wrong))
