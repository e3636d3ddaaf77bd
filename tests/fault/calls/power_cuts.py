#!/usr/bin/python3
"""Cuts the power at any moment of a commit: whatever a disk may hold then, a restart finds one whole checkpoint.

A small checkpoint is made over existing ones, and its system calls are recorded. The model of the disk is as bad as POSIX
lets it be: bytes that were written since a file's last fsync are there or not, in any combination of blocks, and its size is any
that it had since; names that were made, renamed or removed since their directory's last fsync are so or not, in any combination;
a rename is there or not. Each of the states is laid out and read by the store's own code, which must take the old checkpoint or
the new one, all bytes of it, and pass over nothing; once commit() has returned, the new one.

The same is done with recordings that lack a call, or have it elsewhere (mutants): each must be found.
"""
import argparse
import hashlib
import itertools
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

from recording import CALLS, NO_TRACER, NotTraced, Recording, trace

BLOCK = 512                 # bytes: a disk's sector, which is written whole or not
STATES = 250                # of each recording, unless MANA_TEST_POWER_CUTS says otherwise
MOST_IN_VAIN = 400         # tries at one moment, before it is taken to have no more states


class Disk:
    """What is durable, and what may be, after some of the calls."""

    def __init__(self, recording, calls):
        self.bytes_of = recording.bytes_of
        self.names = {directory: dict(names) for directory, names in recording.before.items()}
        self.now = {directory: dict(names) for directory, names in recording.before.items()}
        old = {number for names in recording.before.values() for number in names.values()} - set(recording.before)
        self.held = {number: bytearray(self.bytes_of[number]) for number in old}
        self.pending_names = {directory: [] for directory in self.names}
        self.pending_writes = {number: [] for number in old}
        self.length = {number: len(held) for number, held in self.held.items()}
        self.pending_lengths = {number: [] for number in old}
        for call in calls:
            getattr(self, "_" + call[0])(*call[1:])

    def _make(self, directory, name, number):
        self.held[number], self.pending_writes[number] = bytearray(), []
        self.length[number], self.pending_lengths[number] = 0, []
        self._name(directory, {name: number})

    def _mkdir(self, directory, name, number):
        self.names[number], self.now[number], self.pending_names[number] = {}, {}, []
        self._name(directory, {name: number})

    def _rename(self, directory, old, new):
        self._name(directory, {old: None, new: self.now[directory][old]})

    def _unlink(self, directory, name):
        self._name(directory, {name: None})

    def _name(self, directory, change):
        self.pending_names[directory].append(change)
        self._apply(self.now[directory], change)

    @staticmethod
    def _apply(names, change):
        for name, number in change.items():
            if number is None:
                names.pop(name, None)
            else:
                names[name] = number

    def _write(self, number, offset, n):
        end = offset + n
        while offset < end:
            part = min(end, (offset // BLOCK + 1) * BLOCK) - offset
            self.pending_writes[number].append((offset, part))
            offset += part

        self._lengthen(number, end)

    def _lengthen(self, number, n):
        self._cut(number, max(self.length[number], n))

    def _cut(self, number, n):
        if n != self.length[number]:
            self.pending_lengths[number].append(n)
        self.length[number] = n

    def _sync(self, number):
        for change in self.pending_names.get(number, []):
            self._apply(self.names[number], change)
        if number in self.pending_names:
            self.pending_names[number] = []
            return
        self.held[number] = self._of_length(self._with(number, self.pending_writes[number]), self.length[number])
        self.pending_writes[number], self.pending_lengths[number] = [], []

    def _with(self, number, writes):
        """What a file holds when these writes have reached the disk."""
        held = bytearray(self.held[number])
        held.extend(bytes(max([offset + n for offset, n in writes], default=0) - len(held)))
        for offset, n in writes:
            held[offset:offset + n] = self.bytes_of[number][offset:offset + n]
        return held

    @staticmethod
    def _of_length(held, n):
        held.extend(bytes(max(0, n - len(held))))
        return held[:n]

    def _returned(self):
        pass

    def state(self, chance):
        """One that may be after the cut: {path: bytes, or None for a directory}."""
        share = chance.choice([0, 0.02, 0.5, 0.98, 1, chance.random(), chance.random()])
        takes = lambda: chance.random() < share     # noqa: E731
        one_differs = chance.random() < 0.3
        names = {}
        for directory, durable in self.names.items():
            names[directory] = dict(durable)
            for change in self.pending_names[directory]:
                if takes() != (one_differs and chance.random() < 0.2):
                    self._apply(names[directory], change)
        laid, left = {}, [(next(iter(self.names)), "")]
        while left:
            directory, path = left.pop()
            for name, number in sorted(names[directory].items()):
                if number in names:
                    laid[f"{path}/{name}"] = None
                    left.append((number, f"{path}/{name}"))
                else:
                    laid[f"{path}/{name}"] = self._bytes(number, chance, takes)
        return laid

    def _bytes(self, number, chance, takes):
        writes, lengths = self.pending_writes[number], self.pending_lengths[number]
        if not writes and not lengths:
            return bytes(self.held[number])
        sizes = sorted({len(self.held[number]), *lengths, *(offset + n for offset, n in writes)})
        size = self.length[number] if takes() else chance.choice(sizes)
        return bytes(self._of_length(self._with(number, [write for write in writes if takes()]), size))


class Judge:
    """The store's own code, which reads a directory."""

    def __init__(self, program, directory):
        self.directory = directory
        self.process = subprocess.Popen([program, "judge"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def of(self, laid):
        shutil.rmtree(self.directory, ignore_errors=True)
        self.directory.mkdir(mode=0o700)
        for path, held in laid.items():
            if held is None:
                os.mkdir(f"{self.directory}{path}", 0o700)
        for path, held in laid.items():
            if held is not None:
                descriptor = os.open(f"{self.directory}{path}", os.O_WRONLY | os.O_CREAT, 0o600)
                os.write(descriptor, held)
                os.close(descriptor)
        return self.of_directory(self.directory)

    def of_directory(self, directory):
        self.process.stdin.write(f"{directory}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def hash_of(laid):
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(laid):
        digest.update(path.encode() + b"\0" + (b"" if laid[path] is None else hashlib.blake2b(laid[path], digest_size=16).digest()))
    return digest.digest()


def allowed(calls, cut, old, new):
    """What a restart may take when the power was cut after so many calls."""
    before = calls[:cut]
    if ("returned",) in before:
        return {new}
    return {old, new} if any(call[0] == "rename" for call in before) else {old}


def examine(recording, calls, judge, states, seed, old, new):
    """(number of distinct states, of them old, of them new, the first that is wrong or None)"""
    chance = random.Random(seed)
    seen, counts = set(), {old: 0, new: 0}
    disks = [Disk(recording, calls[:cut]) for cut in range(len(calls) + 1)]
    in_vain = dict.fromkeys(range(len(disks)), 0)       # by moment: tries since it last had a state of its own
    while len(seen) < states and in_vain:
        cut = chance.choice(list(in_vain))
        laid = disks[cut].state(chance)
        key = hash_of(laid), ("returned",) in calls[:cut]
        if key in seen:
            in_vain[cut] += 1
            if in_vain[cut] == MOST_IN_VAIN:
                del in_vain[cut]
            continue
        seen.add(key)
        in_vain[cut] = 0
        said = judge.of(laid)
        if said not in allowed(calls, cut, old, new):
            return len(seen), counts[old], counts[new], f"after call {cut} ({calls[cut - 1] if cut else 'none'}): {said}"
        counts[said] += 1
    return len(seen), counts[old], counts[new], None


class Case:
    """before: what makes the checkpoints that are there. what: makes the one that is recorded. keep: so many stay."""

    def __init__(self, words, before, what, keep):
        self.words, self.before, self.what, self.keep = words, before, what, keep

    def record(self, program, directory):
        done, top = directory / "done", directory / "ckpt"
        marks = itertools.count(1)
        for what in self.before:
            subprocess.run([program, what, top, str(next(marks)), "1000", done], check=True)
            done.unlink()
        mark = [] if self.what == "compact" else [str(next(marks))]
        recording = Recording(top, done)
        traced = trace([program, self.what, top, *mark, str(self.keep), done], directory / "trace", ["-e", f"trace={CALLS}"])
        if traced.returncode != 0:
            raise SystemExit(f"the checkpoint that was to be recorded failed: {traced.stderr}")
        return recording.read((directory / "trace").read_text())


CASES = [
    Case("the old checkpoint is kept", ["write"], "write", 2),
    Case("the old checkpoint is removed", ["write"], "write", 1),
    Case("changes since the old checkpoint", ["write"], "extend", 1),
    Case("a whole checkpoint takes the place of two, one of changes", ["write", "extend"], "write", 1),
    Case("a checkpoint of changes is made whole, and what it was built on is removed", ["write", "extend"], "compact", 1),
]


# Mutants: (name, calls → calls). Which file is which is told by its name.

def number_of(recording, suffix):
    return next(call[3] for call in recording.calls if call[0] in ("make", "mkdir") and call[2].endswith(suffix))


def without(calls, which):
    return [call for at, call in enumerate(calls) if not which(at, call)]


def mutants(recording):
    calls = recording.calls
    generation = next(call for call in calls if call[0] == "mkdir")
    renamed = next(at for at, call in enumerate(calls) if call[0] == "rename")
    own, top = generation[3], generation[1]
    image, manifest = number_of(recording, "rank-00001.mana"), number_of(recording, "manifest.json.new")
    is_sync = lambda number: lambda at, call: call == ("sync", number)      # noqa: E731
    moved = without(calls, lambda at, call: at == renamed)
    moved.insert(next(at for at, call in enumerate(calls) if call == ("sync", manifest)), calls[renamed])
    late = without(calls, is_sync(image))
    late.insert(late.index(calls[renamed]) + 1, ("sync", image))
    removals = [call for call in calls if call[0] == "unlink"]
    early = without(calls, lambda at, call: call[0] == "unlink")
    early[early.index(calls[renamed]) + 1:0] = removals
    return [
        ("an image is not made durable", without(calls, is_sync(image))),
        ("an image is made durable after the manifest has its name", late),
        ("the images' names are not durable before the manifest", without(calls, lambda at, c: at < renamed and c == ("sync", own))),
        ("the generation's name is not durable", without(calls, is_sync(top))),
        ("the manifest's bytes are not durable", without(calls, is_sync(manifest))),
        ("the manifest has its name before its bytes are durable", moved),
        ("the manifest's name is not durable when all is said to be done",
         without(calls, lambda at, c: at > renamed and c == ("sync", own))),
        *([("what was there goes before the manifest's name is durable", early)] if removals else []),
    ]


def run(program, directory, states, seed):
    judge = Judge(program, directory / "state")
    wrong = 0
    for case in CASES:
        place = directory / f"{case.what}-over-{len(case.before)}-keep-{case.keep}"
        place.mkdir()
        recording = case.record(program, place)
        old, new = judge.of(Disk(recording, []).state(random.Random(0))), judge.of_directory(place / "ckpt")
        if not old.startswith(f"{len(case.before)} ") or not new.startswith(f"{len(case.before) + 1} "):
            raise SystemExit(f"{case.words}: before: {old}, after: {new}")
        n, olds, news, bad = examine(recording, recording.calls, judge, states, seed, old, new)
        wrong += bad is not None
        print(f"{case.words}: {len(recording.calls)} calls, {n} states: {olds} old, {news} new; "
              + (f"WRONG {bad}" if bad else "all as they should be"), flush=True)
        for name, calls in mutants(recording):
            n, _, _, bad = examine(recording, calls, judge, states, seed, old, new)
            missed = bad is None
            wrong += missed
            print(f"  mutant: {name}: " + ("NOT FOUND in" if missed else "found by state") + f" {n}" + ("" if missed else f": {bad[:150]}"))
    judge.end()
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, required=True, help="small_checkpoint")
    parser.add_argument("--states", type=int, default=int(os.environ.get("MANA_TEST_POWER_CUTS", STATES)))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="mana-power-cuts-", dir=place) as directory:
        try:
            wrong = run(options.program.resolve(), pathlib.Path(directory), options.states, options.seed)
        except NotTraced as why:
            print(f"not run: {why}")
            return NO_TRACER
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
