#!/usr/bin/python3
"""All interleavings of fences in which ranks meet by words, as docs/design/rma.md has it.

A rank enters a fence when its data has come everywhere. In round k it writes the number of the fence into a word of the rank that is
2^k places on, and waits until its own word of that round has this number or a greater one. A store to a word is one step. A
look that finds a smaller number changes nothing, so it is no step. Hence every execution is finite, and a state without a
step before the last fence's end is a deadlock.

Checked: all ranks have entered a fence before one leaves it; a word is at most two ahead of the fences that its owner has left
(INV-130). At the end all words have the number of the last fence. Each mutant, a change of the algorithm, has to be found out.
"""
import sys

from explored import main

MUTANTS = {
    "waits_for_equal": "a rank waits for exactly the number of its fence",
    "one_word": "all rounds have one word",
    "a_round_less": "the last round is left out",
    "next_alone": "each round has the next rank",
    "waits_first": "a rank waits before it writes",
    "writes_before_data": "a rank writes its first word before its data has come",
    "two_values": "a word says only whether the fence is an even one",
    "number_kept": "a fence has the number of the one before",
}
SIZES = [(2, 4), (3, 3), (4, 2), (5, 2)]
LONG = [*SIZES, (3, 6), (4, 4), (6, 2), (7, 1)]


def rounds(n):
    return (n - 1).bit_length()


def compile_rank(n, fences, mutant):
    """Steps of a rank: (kind, fence, round)."""
    steps = []
    for fence in range(1, fences + 1):
        enter, all_rounds = [("enter", fence, 0)], []
        for k in range(rounds(n) - (mutant == "a_round_less")):
            two = [("write", fence, k), ("await", fence, k)]
            all_rounds += reversed(two) if mutant == "waits_first" else two
        if mutant == "writes_before_data":
            enter = [all_rounds.pop(0), *enter]
        steps += [*enter, *all_rounds, ("leave", fence, 0)]
    return steps


def says(fence, mutant):
    return fence % 2 if mutant == "two_values" else max(1, fence - 1) if mutant == "number_kept" else fence


def has_come(value, fence, mutant):
    wanted = says(fence, mutant)
    return value == wanted if mutant in ("waits_for_equal", "two_values") else value >= wanted


def step(state, r, code, n, mutant):
    """The state after a step of rank r, or None if it waits. Raises Broken."""
    positions, words = state
    if positions[r] == len(code):
        return None
    kind, fence, k = code[positions[r]]
    place = 0 if mutant == "one_word" else k
    if kind == "await" and not has_come(words[r][place], fence, mutant):
        return None
    if kind == "leave" and not all(has_entered(positions[other], code, fence) for other in range(n)):
        raise Broken(f"rank {r} leaves fence {fence} before all have entered it")
    if kind == "write":
        to = (r + (1 if mutant == "next_alone" else 2 ** k)) % n
        own = words[to][:place] + (says(fence, mutant),) + words[to][place + 1:]
        words = words[:to] + (own,) + words[to + 1:]
        if fence > 2 + sum(kind == "leave" for kind, _, _ in code[:positions[to]]):
            raise Broken(f"a word of rank {to} is three ahead")
    return positions[:r] + (positions[r] + 1,) + positions[r + 1:], words


class Broken(Exception):
    """What an execution must not have."""


def has_entered(position, code, fence):
    return ("enter", fence, 0) in code[:position]


def explore(n, fences, mutant):
    """out: what is wrong or None, states"""
    code = compile_rank(n, fences, mutant)
    first = ((0,) * n, ((0,) * max(1, rounds(n)),) * n)
    seen, left = {first}, [first]
    while left:
        state = left.pop()
        try:
            following = [made for r in range(n) if (made := step(state, r, code, n, mutant)) is not None]
        except Broken as broken:
            return str(broken), len(seen)
        if not following and any(position < len(code) for position in state[0]):
            return "deadlock", len(seen)
        if not following and any(value != fences for own in state[1] for value in own):
            return "a word has another number", len(seen)
        for made in following:
            if made not in seen:
                seen.add(made)
                left.append(made)
    return None, len(seen)


def check(mutant, long):
    """out: what is wrong or None, programs, states"""
    states, sizes = 0, LONG if long else SIZES
    for count, (n, fences) in enumerate(sizes, 1):
        wrong, found = explore(n, fences, mutant)
        states += found
        if wrong:
            return f"{wrong}: {n} ranks, {fences} fences", count, states
    return None, len(sizes), states


if __name__ == "__main__":
    sys.exit(main(__doc__, {"the fences": lambda long: check(None, long)}, MUTANTS, check))
