"""The system calls by which a checkpoint comes to its directory, as strace saw them."""
import itertools
import os
import pathlib
import re
import subprocess

CALLS = "openat,mkdirat,write,pwrite64,io_submit,fsync,fdatasync,renameat,renameat2,unlinkat,fallocate,ftruncate"
LINE = re.compile(r"^\d+ +(\w+)\((.*)\) += (-?\d+)")
PLACE = r"(?:AT_FDCWD|\d+)<([^>]*)>"
NO_TRACER = 77      # exit status of a test that cannot be run here


class NotTraced(Exception):
    """strace is not there, or may not trace."""


def trace(words, output, options=()):
    """Runs words under strace. Returns the process that has ended."""
    try:
        done = subprocess.run(["strace", "-f", "-y", "-o", str(output), *options, *map(str, words)], capture_output=True, text=True,
                              timeout=240, check=False)
    except FileNotFoundError:
        raise NotTraced("strace is not installed") from None
    if "PTRACE_TRACEME" in done.stderr or "ptrace(" in done.stderr:
        raise NotTraced(done.stderr)
    return done


class Recording:
    """calls: what changes names or bytes under the directory, or makes them durable, in order:

    ("make", directory, name, file) ("mkdir", directory, name, new) ("rename", directory, old, new) ("unlink", directory, name)
    ("write", file, offset, bytes) ("lengthen", file, bytes) ("cut", file, bytes) ("sync", file or directory) ("returned",)

    Files and directories are numbers. bytes_of: what each file holds in the end.
    """

    def __init__(self, top, done):
        self.top, self.done = pathlib.Path(top), str(done)
        self.numbers, self.bytes_of, self.positions = {}, {}, {}
        self.calls, self.fresh = [], itertools.count()
        self.before = self._tree()

    def _number(self, path):
        return self.numbers.setdefault(str(path), next(self.fresh))

    def _tree(self):
        """{directory: {name: what it is}} now."""
        tree = {}
        for directory, subdirectories, files in os.walk(self.top):
            here = tree.setdefault(self._number(directory), {})
            for name in subdirectories:
                here[name] = self._number(f"{directory}/{name}")
                tree.setdefault(here[name], {})
            for name in files:
                here[name] = self._number(f"{directory}/{name}")
                self.bytes_of[here[name]] = pathlib.Path(directory, name).read_bytes()
        return tree

    def read(self, text):
        for line in text.splitlines():
            found = LINE.match(line)
            if found and int(found[3]) >= 0:
                getattr(self, "_" + found[1], lambda *_: None)(found[2], int(found[3]))
        for path, number in self.numbers.items():
            if number not in self.bytes_of and os.path.isfile(path):
                self.bytes_of[number] = pathlib.Path(path).read_bytes()
        return self

    def _is_ours(self, path):
        return path == str(self.top) or path.startswith(f"{self.top}/")

    def _place(self, text):
        """(directory, name) of a descriptor and a name, or None if they are not ours."""
        found = re.match(PLACE + r', "([^"]*)"', text)
        if not found:
            return None
        path = os.path.normpath(os.path.join(found[1], found[2]))
        return (os.path.dirname(path), os.path.basename(path)) if self._is_ours(path) else None

    def _openat(self, text, _):
        if f'"{self.done}"' in text:
            self.calls.append(("returned",))
        place = self._place(text)
        path = place and "/".join(place)
        if place and "O_CREAT" in text and path not in self.numbers:
            self.calls.append(("make", self._number(place[0]), place[1], self._number(path)))
        if place and "O_CREAT" in text:
            self.positions[path] = 0

    def _mkdirat(self, text, _):
        place = self._place(text)
        if place:
            self.calls.append(("mkdir", self._number(place[0]), place[1], self._number("/".join(place))))

    def _written(self, path, offset, n):
        if self._is_ours(path):
            self.calls.append(("write", self.numbers[path], offset, n))

    def _write(self, text, n):
        path = re.match(PLACE, text)[1]
        self._written(path, self.positions.get(path, 0), n)
        self.positions[path] = self.positions.get(path, 0) + n

    def _pwrite64(self, text, n):
        self._written(re.match(PLACE, text)[1], int(text.rpartition(", ")[2]), n)

    def _io_submit(self, text, _):
        for path, n, offset in re.findall(r"PWRITE, aio_fildes=\d+<([^>]*)>.*?aio_nbytes=(\d+), aio_offset=(\d+)", text):
            self._written(path, int(offset), int(n))

    def _fsync(self, text, _):
        path = re.match(PLACE, text)[1]
        if self._is_ours(path):
            self.calls.append(("sync", self.numbers[path]))

    _fdatasync = _fsync

    def _renameat(self, text, _):
        found = re.match(PLACE + r', "([^"]*)", ' + PLACE + r', "([^"]*)"', text)
        if not self._is_ours(found[1]):
            return
        if found[1] != found[3]:
            raise ValueError(f"a name goes from one directory to another: {text}")
        old, new = f"{found[1]}/{found[2]}", f"{found[3]}/{found[4]}"
        self.calls.append(("rename", self.numbers[found[1]], found[2], found[4]))
        self.numbers[new] = self.numbers.pop(old)

    _renameat2 = _renameat

    def _unlinkat(self, text, _):
        place = self._place(text)
        if place:
            self.calls.append(("unlink", self._number(place[0]), place[1]))
            self.numbers.pop("/".join(place), None)

    def _fallocate(self, text, _):
        path = re.match(PLACE, text)[1]
        mode, offset, n = (int(word) for word in text.split(", ")[-3:])
        if self._is_ours(path):
            if mode != 0:
                raise ValueError(f"this is not modelled: {text}")
            self.calls.append(("lengthen", self.numbers[path], offset + n))

    def _ftruncate(self, text, _):
        path = re.match(PLACE, text)[1]
        if self._is_ours(path):
            self.calls.append(("cut", self.numbers[path], int(text.rpartition(", ")[2])))
