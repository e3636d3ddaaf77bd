#!/usr/bin/python3
"""All interleavings of small programs that post, start, complete and wait by the counts of tokens of docs/design/rma.md.

A program is a list of epochs, each a set of pairs (origin, target). Every rank goes through them in order: it posts to its origins,
starts towards its targets, puts a number to each, completes, and waits. A store to a count is one step. A look that finds a
token missing changes nothing, so it is no step. Hence every execution is finite, and a state without a step before the
program's end is a deadlock.

Checked in each state: a count is that of the tokens taken, or one more (INV-129); data comes only to a target that is exposed to
its origin in the same epoch; all data comes before MPI_Win_wait returns. At each end all tokens are taken. Each mutant, a
change of the algorithm, has to be found out by some program.
"""
import itertools
import sys

from explored import main

MUTANTS = {
    "start_takes_none": "MPI_Win_start takes no posts",
    "wait_takes_none": "MPI_Win_wait takes no completions",
    "start_waits_for_one": "MPI_Win_start returns when one target has posted",
    "wait_waits_for_one": "MPI_Win_wait returns when one origin has completed",
    "start_takes_all": "MPI_Win_start takes all posts that have come, also of targets that it does not start",
    "one_count": "posts and completions have one count",
    "shared_count": "all senders have one count at a receiver",
    "completes_unflushed": "MPI_Win_complete sends its token before its data has come",
    "start_does_not_wait": "MPI_Win_start looks at nothing",
    "post_sends_twice": "MPI_Win_post sends its token again when it begins to wait",
}
POSTED, COMPLETED = 0, 1


def compile_rank(r, epochs, mutant):
    """Steps of rank r: (kind, epoch, ranks)."""
    steps = []
    for k, pairs in enumerate(epochs):
        origins = tuple(sorted(o for o, t in pairs if t == r))
        targets = tuple(sorted(t for o, t in pairs if o == r))
        if origins:
            steps.append(("expose", k, origins))
            steps += [("send", k, (POSTED, o)) for o in origins]
        if targets:
            if mutant != "start_does_not_wait":
                steps.append(("await", k, (POSTED, targets)))
                steps.append(("take", k, (POSTED, targets)))
            steps += [("put", k, t) for t in targets]
            for t in targets:
                ends = [("flush", k, t), ("send", k, (COMPLETED, t))]
                steps += reversed(ends) if mutant == "completes_unflushed" else ends
        if origins:
            if mutant == "post_sends_twice":
                steps += [("send", k, (POSTED, o)) for o in origins]
            steps.append(("await", k, (COMPLETED, origins)))
            steps.append(("take", k, (COMPLETED, origins)))
            steps.append(("hide", k, origins))
    return steps


class Broken(Exception):
    """What a state must not have."""


def place(home, token, sender, n, mutant):
    """Where a count lies."""
    if mutant == "shared_count":
        sender = 0
    return (2 * home + (0 if mutant == "one_count" else token)) * n + sender


def put(values, at, value):
    return values[:at] + (value,) + values[at + 1:]


def steps_of(state, r, code, mutant):
    """States after one step of rank r.

    A state: counts; those taken; by rank: (step, what it is exposed to: (epoch, origins still to come) or None, data under way)
    """
    counts, taken, ranks = state
    n = len(ranks)
    at, exposed, under_way = ranks[r]
    for one in under_way:                # data comes at any moment
        k, t = one
        there = ranks[t][1]
        if there is None or there[0] != k or r not in there[1]:
            raise Broken(f"data comes to rank {t}, which is not exposed to rank {r}")
        sent = put(ranks, r, (at, exposed, tuple(u for u in under_way if u != one)))
        yield counts, taken, put(sent, t, (sent[t][0], (k, tuple(o for o in there[1] if o != r)), sent[t][2]))
    if at == len(code[r]):
        return
    kind, k, what = code[r][at]
    after = at + 1
    if kind == "expose":
        exposed = (k, what)
    elif kind == "hide":
        if exposed[1]:
            raise Broken(f"rank {r} has waited, and data of {exposed[1]} is missing")
        exposed = None
    elif kind == "put":
        under_way = tuple(sorted(under_way + ((k, what),)))
    elif kind == "flush":
        if (k, what) in under_way:
            return
    elif kind == "send":
        token, to = what
        at_home = place(to, token, r, n, mutant)
        counts = put(counts, at_home, counts[at_home] + 1)
        if counts[at_home] - taken[at_home] > 1:
            raise Broken("a token is sent before the last one is taken")
    else:
        token, others = what
        call = ("start", "wait")[token]
        places = [place(r, token, o, n, mutant) for o in others]
        there = [counts[p] > taken[p] for p in places]
        if kind == "await":
            if not (any(there) if mutant == f"{call}_waits_for_one" else all(there)):
                return
        elif mutant == f"{call}_takes_all":          # of completions this would be right: none come but those awaited
            own = range((2 * r + token) * n, (2 * r + token + 1) * n)
            taken = tuple(counts[i] if i in own else t for i, t in enumerate(taken))
        elif mutant != f"{call}_takes_none":
            for p in places:
                taken = put(taken, p, taken[p] + 1)
    yield counts, taken, put(ranks, r, (after, exposed, under_way))


def explore(n, epochs, mutant=None):
    """All states of a program of n ranks.      out: (what is wrong or None, number of states)"""
    code = [compile_rank(r, epochs, mutant) for r in range(n)]
    none = (0,) * (2 * n * n)
    start = (none, none, ((0, None, ()),) * n)
    seen, todo = {start}, [start]
    while todo:
        state = todo.pop()
        moved = False
        try:
            for r in range(n):
                for after in steps_of(state, r, code, mutant):
                    moved = True
                    if after not in seen:
                        seen.add(after)
                        todo.append(after)
        except Broken as broken:
            return str(broken), len(seen)
        if not moved:
            if any(state[2][r][0] < len(code[r]) for r in range(n)):
                return "deadlock", len(seen)
            if state[0] != state[1]:
                return "a token is not taken", len(seen)
    return None, len(seen)


NAMED = [
    (2, [{(0, 1)}] * 4),
    (2, [{(0, 1), (1, 0)}] * 3),
    (2, [{(0, 0)}, {(0, 1), (0, 0)}, {(1, 1)}]),
    (3, [{(0, 1), (0, 2)}, {(1, 0), (2, 0)}]),
    (3, [{(1, 0), (2, 0)}, {(1, 0), (2, 0)}]),
    (3, [{(0, 1)}, {(2, 1)}, {(0, 1)}]),
    (3, [{(0, 1)}, {(0, 2)}, {(1, 2), (2, 1)}]),
    (3, [{(0, 1), (1, 2), (2, 0)}] * 2),
]


def family(ranks, epochs):
    """Programs of so many epochs, with one or two pairs each."""
    pairs = list(itertools.product(range(ranks), repeat=2))
    choices = [{p} for p in pairs] + [set(two) for two in itertools.combinations(pairs, 2)]
    for program in itertools.product(choices, repeat=epochs):
        yield ranks, list(program)


def all_programs(long):
    yield from NAMED
    yield from family(2, 2)
    yield from family(3, 2) if long else itertools.islice(family(3, 2), 0, None, 7)
    if long:
        yield from family(2, 4)


def check(mutant, long):
    """out: what is wrong or None, programs, states"""
    states = 0
    for count, (n, epochs) in enumerate(all_programs(long), 1):
        wrong, found = explore(n, epochs, mutant)
        states += found
        if wrong:
            return f"{wrong}: {[sorted(pairs) for pairs in epochs]}", count, states
    return None, count, states


if __name__ == "__main__":
    sys.exit(main(__doc__, {"the counts of tokens": lambda long: check(None, long)}, MUTANTS, check))
