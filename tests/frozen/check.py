#!/usr/bin/python3
"""The layout that images depend on is the one that was frozen, or that with something appended by a later minor.

    check.py PROGRAM lower_slots.hpp values.hpp layout.h stub.map FROZEN [--freeze]
PROGRAM prints the layout; the functions of mpi_slots and of services (abi.hpp beside values.hpp), the neutral values, the
trampolines' numbers and their names are read from the files.
"""
import difflib
import pathlib
import re
import subprocess
import sys

# What a later minor may append to. Of a struct in SPARE, the member `spare` may give its beginning to others.
GROWING = {"minors", "services", "signatures of services", "bridge", "upper_functions", "program_needs", "saved_state", "slots by minor", "mpi_slots",
           "inventory", "trampolines", "names of trampolines"}
SPARE = {"thread_block"}
UNORDERED = {"values"}

HANDLE = re.compile(r"real<\w+::\w+>")


def blocks(text):
    """{heading: (what stands behind it, [lines])}"""
    found, lines = {}, []
    for line in text.splitlines():
        if line.startswith("  "):
            lines.append(line.strip())
            continue
        heading, size = re.fullmatch(r"(.*?)((?: \d+)?(?: bytes)?)", line).groups()
        lines = []
        found[heading] = (size.strip(), lines)
    return found


def newest_minor(layout):
    return int(layout["minors"][1][-1].split()[0])


def may_follow(heading, then, now):
    """Whether the block `now` is what a later minor may have made of `then`."""
    if heading in GROWING:
        return now[1][:len(then[1])] == then[1]
    if heading in UNORDERED:
        return set(then[1]) <= set(now[1])
    if heading in SPARE:
        kept = [line for line in then[1] if not line.startswith("spare ")]
        return now[0] == then[0] and now[1][:len(kept)] == kept
    return now == then


def fault(frozen, text):
    """Why images of the frozen layout would be misread with the one of the text; empty: they would not."""
    if frozen == text:
        return ""
    then, now = blocks(frozen), blocks(text)
    if not then or then["major"] != now["major"]:
        return "Another major: its layout is frozen anew, with --freeze."
    changed = [h for h in then if h not in now or not may_follow(h, then[h], now[h])]
    if changed:
        return (f"Images of this major would be misread: {', '.join(changed)}. Undo the change: what is new stands behind all "
                "else. Where there is no other way, raise layout_major and freeze anew.")
    if newest_minor(now) == newest_minor(then):
        return "What is appended comes with a minor of its own: add a row to sizes_by_minor (include/mana/lower/version.hpp)."
    return ""


def members(header, struct):
    """[(result, name, parameters)] of the functions of a struct."""
    text = re.sub(r"//.*", "", header.read_text())
    text = re.search(rf"\nstruct {struct} {{(.*?)\n}};", text, re.DOTALL).group(1)
    found = re.findall(r"([\w:]+) \(\*(\w+)\)\(([^)]*)\);", text)
    return [(result, name, " ".join(given.split())) for result, name, given in found]


def signatures(header, struct):
    """One a line. A handle is a number of 64 bits, of whatever kind: registers.py shows that."""
    text = "".join(f"  {result} {name}({given})\n" for result, name, given in members(header, struct))
    return HANDLE.sub("std::uint64_t", text)


def layout(program, slots, values, numbers, names):
    text = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    text += signatures(slots, "mpi_slots")
    text += "signatures of services\n" + signatures(values.parent / "abi.hpp", "services")
    text += "values\n" + "".join(f"  {name} {value}\n" for name, value in
                                sorted(re.findall(r"\b(\w+) = (-?\w+)[,;]", values.read_text())))
    text += "trampolines\n" + "".join(f"  {name} {value}\n" for name, value in
                                     re.findall(r"#define (STUB_\w+) +(\S+)", numbers.read_text()))
    return text + "names of trampolines\n" + "".join(f"  {name}\n" for name in re.findall(r"\b(\w+\*?);", names.read_text()))


def main(words):
    *sources, frozen = (pathlib.Path(word) for word in words if word != "--freeze")
    now = layout(*sources)
    then = frozen.read_text() if frozen.exists() else ""
    if "--freeze" in words:
        frozen.write_text(now)
        return ""
    why = fault(then, now)
    if why:
        print("".join(difflib.unified_diff(then.splitlines(True), now.splitlines(True), frozen.name, "now", n=0)))
    return why


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) or None)
