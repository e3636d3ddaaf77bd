#!/usr/bin/python3
"""INV-94: each row of the table of an image's sections names one file that has both directions, and no other file of the runtime
reads or writes that section: sections.py ROOT, which reads include/mana/image/section_table.hpp. What `mana` shows of a section
(runtime/tools, and core dumps) it reads through that file's functions or as a document.
"""
import pathlib
import re
import sys
import tempfile

TABLE = "include/mana/image/section_table.hpp"
ROW = re.compile(r"^ROW\((\w+), (\d+), (\w+), (\w+), (\w+), (.*)\)$")
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
USE = re.compile(r"\bsections::(\w+)|\bsection\(\"(\w+)\"\)")
LOOKS = ("runtime/tools/", "arch/x86_64/core_notes.cpp")      # what shows images to people
STEPS = ("opened", "descriptors", "memory", "registers")


def rows(text: str) -> list[tuple[str, ...]]:
    """name, saved, restored, code"""
    start = text.index("#define MANA_IMAGE_SECTIONS(ROW)")
    table = text[start:text.index("\n\n", start)].replace("\\\n", " ")
    found = []
    for part in re.split(r"\s+(?=ROW\()", table)[1:]:
        row = ROW.match(part.strip())
        if row is None:
            sys.exit(f"{TABLE}: this is no row: {part.strip()[:80]}")
        found.append((row[1], row[4], row[5], TEXT.findall(row[6])[-1]))
    return found


def check(root: pathlib.Path) -> list[str]:
    wrong, code_of = [], {}
    for name, saved, restored, code in rows((root / TABLE).read_text()):
        code_of[name] = code
        text = (root / code).read_text() if (root / code).exists() else ""
        needed = [f"save_{name}("] if saved == "when_stopped" else []
        needed += [f"restore_{name}("] if restored in STEPS else []
        header = (root / code).with_suffix(".hpp")
        if saved != "when_stopped" and f"sections::{name}" not in text + (header.read_text() if header.exists() else ""):
            wrong.append(f"{code}: does not write the section \"{name}\", as its row says")
        wrong += [f"{code}: has no {function[:-1]}, as the row of the section \"{name}\" says" for function in needed if function not in text]
    for folder in ("runtime", "arch"):
        for file in sorted((root / folder).rglob("*.?pp")):
            place = str(file.relative_to(root))
            own = {name for name, code in code_of.items() if pathlib.Path(place).with_suffix("") == pathlib.Path(code).with_suffix("")}
            used = {name for match in USE.findall(file.read_text()) for name in match if name in code_of}
            if place.startswith(LOOKS) or place.endswith("sections/sections.cpp"):
                continue
            wrong += [f"{place}: the section \"{name}\" is for {code_of[name]}" for name in sorted(used - own)]
    return wrong


def self_test() -> None:
    """A direction that is missing or elsewhere is found."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        table = '#define MANA_IMAGE_SECTIONS(ROW) \\\n  ROW(a, 0, always, when_stopped, opened, \\\n      "x", \\\n      "y", "runtime/a.cpp")\n\n'
        for name, text in ((TABLE, table), ("runtime/a.cpp", "bytes save_a() {}\nvoid restore_a() { sections::a; }\n")):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        assert check(root) == [], check(root)
        (root / "runtime/b.cpp").write_text('image.section("a");\n')
        assert check(root) == ['runtime/b.cpp: the section "a" is for runtime/a.cpp'], check(root)
        (root / "runtime/b.cpp").unlink()
        (root / "runtime/a.cpp").write_text("bytes save_a() {}\n")
        assert len(check(root)) == 1 and "has no restore_a" in check(root)[0], check(root)


self_test()
problems = check(pathlib.Path(sys.argv[1]))
print("\n".join(problems) or "each section in its file")
sys.exit(bool(problems))
