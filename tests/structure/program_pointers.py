#!/usr/bin/python3
"""INV-72: in runtime/split and arch nothing makes a C++ pointer of what a trapped call was given but program_memory, and stub_call.hpp,
whose frame lies where the kernel has written. A program_pointer itself has no way to its target but copies.
"""
import pathlib
import re
import sys

CAST = re.compile(r"\b(?:reinterpret_cast|static_cast|bit_cast)\s*<[^;{}()]*[*&]\s*>\s*\(([^;]*)")
C_CAST = re.compile(r"\(\s*(?:const\s+)?[\w:]+\s*\*+\s*\)\s*(\w[^;]*)")
GIVEN = re.compile(r"\b(?:arg|reg|place|address)\(")
MAY = {"program_memory.hpp", "program_memory.cpp", "stub_call.hpp"}
PLACE = "void* place(int i) const noexcept { return reinterpret_cast<void*>(arg(i)); }"      # which cannot be dereferenced


def check(folder: pathlib.Path) -> list[str]:
    wrong = []
    for file in sorted([*folder.rglob("*.cpp"), *folder.rglob("*.hpp")]):
        if file.name in MAY:
            continue
        text = file.read_text().replace(PLACE, "")
        for pattern in (CAST, C_CAST):
            for found in pattern.finditer(text):
                if GIVEN.search(found[1]):
                    line = text[:found.start()].count("\n") + 1
                    wrong.append(f"{file.name}:{line}: a pointer is made of what the program gave: {found[0][:70]!r}; "
                                 "use trap::pointer<T>(), and get() or put()")
    return wrong


def self_test() -> None:
    """Casts of arguments are found, addresses as numbers are not."""
    import tempfile
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "a.cpp").write_text("auto at = static_cast<std::uintptr_t>(t.arg(0));\nreturn t.pointer<int>(1).put(3);\n")
        assert check(folder) == [], check(folder)
        (folder / "a.cpp").write_text("*reinterpret_cast<int*>(t.arg(1)) = 3;\nx = ((int*)t.arg(2))[0];\n"
                                      "y = *reinterpret_cast<const pair*>(t.reg(reg));\nz = *static_cast<int*>(t.place(0));\n")
        assert len(check(folder)) == 4, check(folder)


self_test()
root = pathlib.Path(sys.argv[1])
problems = check(root / "runtime/split") + check(root / "arch")
print("\n".join(problems))
sys.exit(1 if problems else 0)
