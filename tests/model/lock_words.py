#!/usr/bin/python3
"""All interleavings of small programs that lock windows by the lock words of docs/design/rma.md.

A rank locks targets, reads and writes a number there, and unlocks. Each atomic on a word is one step. A look that grants nothing
changes nothing, so it is no step: then every step adds to a word, every execution is finite, and a state without a step
before the program's end is a deadlock.

Checked in each state: a writer of a target is alone with it. At each end: all who asked are done, in every word; no number that was
added is lost. Each mutant, a change of the algorithm, has to be found out by some program.
"""
import itertools
import sys

from explored import main

HALF = 32                                # bits of a word's first class
MUTANTS = {
    "reader_ignores_writers": "a reader has the lock at once",
    "writer_ignores_readers": "a writer waits for the writers before it only",
    "reader_waits_for_readers": "a reader waits for all before it",
    "all_skips_room": "a lock of all takes no place",
    "writer_skips_room": "a writer takes a place at the target only",
    "room_at_target": "a writer takes its place in the room at its target's home",
    "target_before_room": "a writer asks for the target before the room",
    "room_again": "a writer that is in the room takes a place there for its next target",
    "room_left_first": "a writer leaves the room before the target",
    "unlocked_unflushed": "a place is left before what was put has come",
    "own_place_counts": "a place is taken for one that others took before",
    "asks_again": "each look takes a place",
    "left_as_other": "a writer leaves the target as a reader",
    "room_left_as_all": "a writer leaves the room as one of the alls",
    "room_kept": "a writer does not leave the room",
}
FIRST, SECOND = 1, 2                     # classes: readers and alls, writers


class Rules:
    """The algorithm, as steps of a rank.

    in: mutant  a name of MUTANTS, or None;  half  bits of a word's first class
    """

    def __init__(self, mutant=None, half=HALF):
        self.mutant = mutant
        self.unit = {FIRST: 1, SECOND: 1 << half}
        self.low = (1 << half) - 1
        self.half = half

    def compile(self, program, targets):
        """Steps of a rank: (kind, word or target, class, waits for classes).

        The words: asked and done of each target, then of the room.
        in: program  of one rank, words of PROGRAM below
        """
        room, steps, held = targets, [], []

        def ask(word, unit, waits_for):
            steps.append(("ask", word, unit, waits_for))
            steps.append(("look", word, unit, waits_for))

        def in_room():
            return any(kind == "x" for kind, _ in held)

        for kind, target in program:
            if kind == "s":
                ask(target, FIRST, {"reader_ignores_writers": (), "reader_waits_for_readers": (FIRST, SECOND)}.get(self.mutant, (SECOND,)))
                held.append((kind, target))
            elif kind == "x":
                at = target if self.mutant == "room_at_target" and target != 0 else None
                place = (room if at is None else room + at, SECOND, (FIRST,))
                own = (target, SECOND, (SECOND,) if self.mutant == "writer_ignores_readers" else (FIRST, SECOND))
                takes_room = self.mutant != "writer_skips_room" and (not in_room() or self.mutant == "room_again")
                order = [place, own] if takes_room else [own]
                for one in reversed(order) if self.mutant == "target_before_room" else order:
                    ask(*one)
                held.append((kind, target))
            elif kind == "a":
                if self.mutant != "all_skips_room":
                    ask(room, FIRST, (SECOND,))
                held.append((kind, target))
            elif kind == "w":            # reads a number, writes the next
                steps.append(("get", target, 0, ()))
                steps.append(("put", target, 0, ()))
            elif kind == "m":            # all ranks meet
                steps.append(("meet", 0, 0, ()))
            elif kind == "u":
                lock = next(h for h in held if h[1] == target)
                held.remove(lock)
                steps.extend(self._unlock(lock, room, in_room(), tuple(held)))
            steps.append(("note", tuple(held), 0, ()))
        return steps

    def _unlock(self, lock, room, stays, still_held):
        kind, target = lock
        leave, flush = [], [("flush", target, 0, ())]
        if kind == "s":
            leave = [("leave", target, FIRST, ())]
        elif kind == "a":
            leave = [] if self.mutant == "all_skips_room" else [("leave", room, FIRST, ())]
        else:
            at = room + target if self.mutant == "room_at_target" else room
            leave = [("leave", target, FIRST if self.mutant == "left_as_other" else SECOND, ())]
            if not (self.mutant in ("writer_skips_room", "room_kept") or (stays and self.mutant != "room_again")):
                leave.append(("leave", at, FIRST if self.mutant == "room_left_as_all" else SECOND, ()))
            if self.mutant == "room_left_first":
                leave.reverse()
            leave.insert(1 + leave.index(next(l for l in leave if l[1] == target)), ("note", still_held, 0, ()))
        return leave + flush if self.mutant == "unlocked_unflushed" else flush + leave

    def is_granted(self, before, done, waits_for):
        if waits_for == (FIRST, SECOND):
            return done == before
        if waits_for == (FIRST,):
            return done & self.low == before & self.low
        if waits_for == (SECOND,):
            return done >> self.half == before >> self.half
        return True


def explore(programs, targets, rules):
    """All states.

    in:  programs  by rank
    out: (what is wrong or None, number of states)
    """
    n = len(programs)
    code = [merge_notes(rules.compile(p, targets)) for p in programs]
    words = 2 * (targets + (targets if rules.mutant == "room_at_target" else 1))
    writes = [sum(1 for p in programs for kind, t in p if kind == "w" and t == target) for target in range(targets)]
    start = ((0,) * words, (0,) * targets, ((0, 0, 0, None),) * n, 0)      # a rank: step, before, read, put that is under way
    seen, todo = {start}, [start]
    while todo:
        state = todo.pop()
        moved = False
        for r in range(n):
            for after in steps_of(state, r, code, rules, n):
                moved = True
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
        if broken := two_holders(state, code, n):
            return broken, len(seen)
        if not moved:
            if any(state[2][r][0] < len(code[r]) for r in range(n)):
                return "deadlock", len(seen)
            if any(state[0][w] != state[0][w + 1] for w in range(0, words, 2)):
                return "a place is left over", len(seen)
            if list(state[1]) != writes:
                return "a number is lost", len(seen)
    return None, len(seen)


def merge_notes(steps):
    """What a rank holds goes with the step after which it holds it.  out: steps with what is held before each"""
    held, out = (), []
    for step in steps:
        if step[0] == "note":
            held = step[1]
        else:
            out.append((step, held))
    return out


def steps_of(state, r, code, rules, n):
    """States after a step of rank r: at most two."""
    words, numbers, ranks, met = state
    at, before, read, under_way = ranks[r]
    if under_way is not None:            # what was put comes at any moment up to the flush
        target, value = under_way
        yield (words, put(numbers, target, value), put(ranks, r, (at, before, read, None)), met)
    if at == len(code[r]):
        return
    (kind, where, unit, waits_for), _ = code[r][at]
    moved = at + 1
    if kind == "ask":
        # `done` may have been read before the place was taken: if it grants, the look is over.
        old = words[2 * where]
        mine = old + rules.unit[unit] if rules.mutant == "own_place_counts" else old
        words = put(words, 2 * where, old + rules.unit[unit])
        if rules.is_granted(mine, words[2 * where + 1], waits_for):
            moved += 1
        yield (words, numbers, put(ranks, r, (moved, mine, read, under_way)), met)
    elif kind == "look":
        if rules.is_granted(before, words[2 * where + 1], waits_for):
            yield (words, numbers, put(ranks, r, (moved, 0, read, under_way)), met)
        elif rules.mutant == "asks_again" and words[2 * where] < 4 * rules.unit[SECOND]:
            yield (put(words, 2 * where, words[2 * where] + rules.unit[unit]), numbers, ranks, met)
    elif kind == "leave":
        yield (put(words, 2 * where + 1, words[2 * where + 1] + rules.unit[unit]), numbers, put(ranks, r, (moved, 0, read, under_way)), met)
    elif kind == "get":
        yield (words, numbers, put(ranks, r, (moved, 0, numbers[where], under_way)), met)
    elif kind == "put":
        yield (words, numbers, put(ranks, r, (moved, 0, 0, (where, read + 1))), met)
    elif kind == "flush":
        if under_way is None or under_way[0] != where:
            yield (words, numbers, put(ranks, r, (moved, 0, 0, under_way)), met)
    elif kind == "meet":
        if read == 0:
            yield (words, numbers, put(ranks, r, (at, 0, 1, under_way)), met + 1)
        elif met % n == 0 or met // n > 0:
            yield (words, numbers, put(ranks, r, (moved, 0, 0, under_way)), met)


def put(values, at, value):
    return values[:at] + (value,) + values[at + 1:]


def two_holders(state, code, n):
    """What two ranks must not hold together."""
    holds = []
    for r in range(n):
        at = state[2][r][0]
        for kind, target in code[r][at][1] if at < len(code[r]) else ():
            holds.append((r, kind, target))
    for (r, kind, target), (q, other, its) in itertools.combinations(holds, 2):
        if r != q and "x" in (kind, other) and (target == its or "a" in (kind, other)):
            return f"a writer of target {its if kind == 'a' else target} is not alone"
    return None


# A program: (what, target): s, x, a: locks, shared, exclusive, of all (target -1); w: adds one; u: unlocks; m: all meet.
def one_lock(kind, target):
    inside = [("w", target)] if kind == "x" else []
    return [(kind, target), *inside, ("u", target)]


NAMED = {
    "contended": (1, [one_lock("x", 0) * 2, one_lock("x", 0), one_lock("x", 0)]),
    "readers_meet": (1, [[("s", 0), ("m", 0), ("u", 0)]] * 3),
    "alls_meet": (2, [[("a", -1), ("m", 0), ("u", -1)]] * 3),
    "writers_meet": (2, [[("x", 0), ("m", 0), ("u", 0)], [("x", 1), ("m", 0), ("u", 1)]]),
    "reader_and_all_meet": (2, [[("s", 1), ("m", 0), ("u", 1)], [("a", -1), ("m", 0), ("u", -1)]]),
    "two_writers_and_all": (1, [one_lock("x", 0), one_lock("x", 0), one_lock("a", -1)]),
    "two_targets": (2, [[("x", 0), ("x", 1), ("w", 1), ("u", 1), ("w", 0), ("u", 0)], one_lock("a", -1), one_lock("x", 1)]),
    "two_kinds": (2, [[("x", 0), ("s", 1), ("u", 0), ("u", 1)], one_lock("a", -1), one_lock("s", 0)]),
    "four_ranks": (1, [one_lock("x", 0), one_lock("s", 0), one_lock("a", -1), one_lock("x", 0)]),
    "all_twice": (1, [one_lock("a", -1) * 2, one_lock("x", 0) * 2, one_lock("s", 0)]),
    "target_one": (2, [one_lock("x", 1), one_lock("a", -1), one_lock("x", 0)]),
}
LOCKS = [("x", 0), ("s", 0), ("x", 1), ("a", -1)]


def family(ranks, each):
    """Programs of `ranks` ranks, each with one to `each` locks after another, up to the numbering of ranks."""
    choices = [sum((one_lock(*lock) for lock in locks), [])
               for count in range(1, each + 1) for locks in itertools.product(LOCKS, repeat=count)]
    for programs in itertools.combinations_with_replacement(choices, ranks):
        yield 2, list(programs)


def all_programs(long):
    yield from NAMED.values()
    yield from family(3, 1)
    yield from family(4, 1)
    yield from family(2, 2)
    if long:
        yield from family(3, 2)


def describe(programs):
    return "; ".join(" ".join(f"{kind}{target}" if target >= 0 else kind for kind, target in p) for p in programs)


def check(rules, long=False):
    """out: what is wrong or None, programs, states"""
    states = 0
    for count, (targets, programs) in enumerate(all_programs(long), 1):
        wrong, n = explore(programs, targets, rules)
        states += n
        if wrong:
            return f"{wrong}: {describe(programs)}", count, states
    return None, count, states


def carries():
    """Readers whose number exceeds the half of a word: three ranks, halves of two bits, six readers.  out: as check"""
    rules, states = Rules(half=2), 0
    cases = [(1, [one_lock("s", 0) * 2] * 3), (1, [one_lock("s", 0) * 5, one_lock("x", 0)]),
             (1, [one_lock("s", 0) * 4, one_lock("x", 0), one_lock("s", 0)]), (1, [one_lock("a", -1) * 5, one_lock("x", 0) * 2])]
    for targets, programs in cases:
        wrong, n = explore(programs, targets, rules)
        states += n
        if wrong:
            return f"{wrong}: {describe(programs)}", len(cases), states
    return None, len(cases), states


if __name__ == "__main__":
    as_it_is = {"the lock words": lambda long: check(Rules(), long), "with full counts": lambda _: carries()}
    sys.exit(main(__doc__, as_it_is, MUTANTS, lambda mutant, long: check(Rules(mutant), long)))
