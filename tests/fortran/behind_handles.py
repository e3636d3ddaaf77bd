#!/usr/bin/python3
"""Each function of a Fortran library that looks behind a handle is the wrapper library's: behind_handles.py MPICC WRAPPERS SONAME…

A virtual handle is the address of nothing. Functions of Open MPI's Fortran libraries know the structures of their C library. The
machine code shows it: a handle of MPI_*_f2c, or of a function that makes one, is the base of a memory operand. SONAME: the libraries,
where they are installed.
"""
import collections
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "codegen"))
import symbols  # noqa: E402

LINE = re.compile(r"^\s*([0-9a-f]+):\s+(?:(?:bnd|notrack|data16|cs) )*(\S+)\s*(.*?)(?:\s+#.*)?$")
HEAD = re.compile(r"^[0-9a-f]+ <(.+?)(?:@@?\w+)?>:$")
BASE = re.compile(r"(-?0x[0-9a-f]+)?\(%(\w+)")
TO_HANDLE = re.compile(r"P?MPIX?_(\w+)_f2c")
MAKES = re.compile(r"P?MPIX?_(?:I[a-z].*|\w+_init(?:_c)?|(?:Group|Comm|Type|Win|Op)_.*|Grequest_start)")
SCRATCH = ("ax", "cx", "dx", "si", "di", "8", "9", "10", "11")
REFUSED = {"File", "Session"}       # mana makes none that a program could pass
AWAY = ("jmp", "ret", "hlt", "ud2")
SHARED = "0x0"                      # the beginning of a structure: nobody reads it, but two paths may share a register
NEVER = {                           # they look behind the handle if ompi_fortran_string_f2c fails, and ours does not return then
    "ompi_comm_set_name_f", "ompi_comm_create_from_group_f", "ompi_intercomm_create_from_groups_f"}


def register(name):
    """ax of %rax and %eax, 8 of %r8 and %r8d; None for parts of registers"""
    found = re.fullmatch(r"[re]?([abcd]x|[sd]i|[sb]p)|r(\d+)d?", name)
    return found and (found[1] or found[2])


def operands(text):
    found, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return found


def functions(library):
    """{name: [(address, operation, operands)]}"""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", library], capture_output=True, text=True, check=True).stdout
    found, body = {}, None
    for line in text.splitlines():
        if head := HEAD.match(line):
            body = None if "@plt" in line else found.setdefault(head[1], [])
        elif body is not None and (match := LINE.match(line)):
            body.append((int(match[1], 16), match[2], match[3]))
    return found


class Function:
    """State: what is a handle, by the name of its register or by the text of its place in the stack."""

    def __init__(self, body):
        self.body = body
        self.at = {address: number for number, (address, _, _) in enumerate(body)}
        self.looked_at = set()

    def step(self, state, operation, text):
        """The state after one instruction."""
        state = dict(state)
        if operation not in ("lea", "nop", "nopw", "nopl"):
            for offset, base in BASE.findall(text):
                if (kind := state.get(register(base))) and not kind.startswith("&"):
                    self.looked_at.add((kind, offset or "0x0"))
        if operation.startswith("call"):
            name = re.search(r"<([^@>+]+)", text)
            made = {place[1:]: "new" for place in state.values() if place.startswith("&")} if name and MAKES.fullmatch(name[1]) else {}
            for scratch in SCRATCH:
                state.pop(scratch, None)
            if name and (handle := TO_HANDLE.fullmatch(name[1])):
                state["ax"] = handle[1]
            return {**state, **made}
        words = operands(text)
        if len(words) == 1 and operation.startswith("pop"):
            state.pop(register(words[0][1:]), None)
        if len(words) != 2 or operation.startswith(("cmp", "test", "push")):
            return state
        source, target = words
        value = None
        if operation.startswith("mov"):
            value = state.get(register(source[1:])) if source.startswith("%") else state.get(source)
        elif operation == "lea" and re.fullmatch(r"(-?0x[0-9a-f]+)?\(%r[sb]p\)", source):
            value = "&" + source
        name = register(target[1:]) if target.startswith("%") else target
        if value and name:
            state[name] = value
        else:
            state.pop(name, None)
        return state

    def follow(self):
        """{(kind of handle, distance)} of all memory operands that some path reaches."""
        states, todo = {0: {}}, [0]
        while todo:
            number = todo.pop()
            _, operation, text = self.body[number]
            after = self.step(states[number], operation, text)
            following = [number + 1] if not operation.startswith(AWAY) else []
            if operation.startswith("j") and (target := re.match(r"([0-9a-f]+)", text)):
                following.append(self.at.get(int(target[1], 16), len(self.body)))
            for successor in following:
                if successor >= len(self.body):
                    continue
                known = states.get(successor)
                merged = after if known is None else {**after, **known}
                if merged != known:
                    states[successor] = merged
                    todo.append(successor)
        return {(kind, offset) for kind, offset in self.looked_at if kind not in REFUSED and offset != SHARED}


def main(mpicc, wrappers, *sonames):
    ours = symbols.symbols(wrappers)
    looked, faults = 0, []
    for soname in sonames:
        library = symbols.installed(mpicc, soname)
        found = collections.Counter()
        for name, body in functions(library).items():
            if name in NEVER or not any(operation.startswith("call") for _, operation, _ in body):
                continue
            if places := Function(body).follow():
                looked += 1
                found[name in ours] += 1
                if name not in ours:
                    faults.append(f"{library}: {name} looks behind a handle: " + ", ".join(f"{kind} + {at}" for kind, at in sorted(places)))
        print(f"{library}: {found.total()} functions look behind a handle, {found[True]} of them replaced")
    for fault in faults:
        print(fault)
    if looked == 0:
        print("no function found that looks behind a handle: has the form of the code changed?")
    return 1 if faults or looked == 0 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
