#!/usr/bin/python3
"""INV-97: what is one MPI's, or one processor's, is in its folder. In include/, runtime/ and codegen's templates no condition asks
which MPI's mpi.h it is but those that are generated from a list, and none asks its version: versions of an MPI have functions of a
later standard. Outside of arch/ and include/mana/arch no code names registers
or has instructions of a processor. rooms.py ROOT
"""
import pathlib
import re
import sys

FAMILY = re.compile(r"^\s*#\s*(?:if|elif|ifdef|ifndef)\b.*\b(?:MPICH_?\w*|OPEN_MPI|OMPI_\w+|MANA_MPI_\w+|MPIR_\w+|I_MPI_\w+)", re.M)
VERSION = re.compile(r"^\s*#\s*(?:if|elif)\b.*\bMPI_(?:SUB)?VERSION\b|\bMPI_(?:SUB)?VERSION *[<>=]=?", re.M)
# An empty template orders the compiler alone; a single name is another name of a symbol.
INSTRUCTION = re.compile(r'\b(?:__asm__|asm)\s*(?:volatile)?\s*\(\s*"(?:[^"]*[\s%\\][^"]*|syscall|incq|ud2|pause)"')
MACHINE = re.compile(r"\bgregs\b|\bREG_(?:R\w\w?|E\w\w|CSGSFS|ERR|CR2)\b|%[fg]s\b|\bEM_X86_64\b|\bcpuid\.h\b|\bAUDIT_ARCH_\w+|"
                     r"\b__x86_64__\b|\b__builtin_ia32_\w+|\bARCH_[GS]ET_[FG]S\b")
ARCHITECTURE = {
    "runtime/split/filter/system_calls.hpp": "the name of a call that a program makes, in a remark",
    "runtime/split/filter/system_calls_document.cpp": "the same, in a page",
    "runtime/split/filter/trapped_calls.hpp": "the rows of this processor's calls",
    "runtime/split/traps/process/process.cpp": "the text of a refusal says the name of the call that the program made",
    "runtime/split/README.md": "prose",
}


def sources(root, *folders):
    for folder in folders:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in (".hpp", ".cpp", ".h", ".S", ".c"):
                yield file, str(file.relative_to(root))


def check(root: pathlib.Path) -> list[str]:
    wrong = []
    for file, name in sources(root, "include", "runtime", "arch"):
        text = file.read_text()
        for found in FAMILY.finditer(text):
            wrong.append(f"{name}: {found[0].strip()}: what only one MPI has is in its folder of mpis/, as a constant or a function "
                         "of namespace family")
        wrong += [f"{name}: {found[0].strip()}: ask MANA_DECLARES_<function> (include/mana/call/declared.hpp)"
                  for found in VERSION.finditer(text)]
        if name.startswith(("arch/", "include/mana/arch/")) or name in ARCHITECTURE:
            continue
        for pattern in (INSTRUCTION, MACHINE):
            wrong += [f"{name}: {found[0][:40]}: this is one processor's; it is for arch/" for found in pattern.finditer(text)]
    return wrong + [f"{name}: a file of the exceptions that is not there" for name in ARCHITECTURE if not (root / name).exists()]


def self_test() -> None:
    """Conditions, instructions and registers are found, barriers and names of symbols are not."""
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name in [*ARCHITECTURE, "arch/x/a.cpp", "include/mana/arch/a.hpp", "runtime/a.cpp"]:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text('__asm__("mov %%gs:0, %0");\n' if name.startswith(("arch", "include")) else "")
        harmless = '__asm__ volatile("" : : : "memory");\nint f() __asm__("mana_f");\n#if defined(MANA_DECLARES_MPI_Psend_init)\n'
        (root / "runtime/a.cpp").write_text(harmless)
        assert check(root) == [], check(root)
        for bad in ("#if defined(OPEN_MPI)\n", "#elif defined(MPICH_VERSION)\n", "#ifdef MANA_MPI_mpich\n", 'asm volatile("syscall");\n',
                    '__asm__("nop\\n\\tnop");\n', "x = c.uc_mcontext.gregs[0];\n", "set(REG_RIP);\n", "case EM_X86_64:\n",
                    "#if MPI_VERSION >= 4\n", "bool large() { return MPI_VERSION >= 4; }\n"):
            (root / "runtime/a.cpp").write_text(harmless + bad)
            assert len(check(root)) == 1, (bad, check(root))


self_test()
problems = check(pathlib.Path(sys.argv[1]))
print("\n".join(problems) or "each MPI and each processor in its room")
sys.exit(bool(problems))
