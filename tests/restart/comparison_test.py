"""What comparison.py accepts of a run in pieces, and what it does not."""
import re
import sys

from comparison import Comparison, parts_that_count

STEPS = 10


def steps(first, end):
    return "".join(f"step {k}\n" for k in range(first, end))


CASES = [      # (buffered, pieces, whether they are the native run)
    (False, [steps(0, 10)], True),
    (False, [steps(0, 5), steps(4, 8), steps(6, 10)], True),
    (False, [steps(0, 5) + "mana: a message\n", steps(5, 10)], True),
    (False, [steps(0, 10), ""], True),
    (False, ["", steps(0, 10)], True),
    (False, [steps(0, 5), steps(6, 8), steps(7, 10)], False),      # step 5 is lost
    (False, [steps(0, 5), steps(4, 9)], False),                    # the end is missing
    (False, [steps(0, 5), ""], False),
    (False, [steps(0, 5), steps(5, 7) + steps(6, 10)], False),     # step 6 comes twice in one piece
    (False, [steps(0, 5), steps(5, 9) + "step 8\n"], False),
    (False, [steps(0, 5) + "step " + "-" * 74 + "\nmpirun: rank 1 was killed\n" + "-" * 74 + "\n", steps(5, 10)], True),
    (True, [steps(0, 5) + "st", "ep 5\n" + steps(6, 10)], True),
    (True, [steps(0, 5) + "st", "p 3\n" + steps(4, 10)], True),    # what came after the checkpoint comes again
    (True, [steps(0, 5) + "st", "p 3\n" + steps(7, 10)], False),
]


def only_what_counts():
    """A group `counts` leaves out the rest of its line, other groups do not."""
    lines = ["energy -1.5 in 3 s", "a message"]
    good = parts_that_count(re.compile(r"^(?P<counts>energy \S+)"), lines) == ["energy -1.5"]
    good = good and parts_that_count(re.compile(r"^(energy) \S+"), lines) == lines[:1]
    if not good:
        print("parts_that_count takes other parts of lines than those that count")
    return good


def main():
    wrong = 0
    for buffered, pieces, good in CASES:
        comparison = Comparison(re.compile("^step"), buffered)
        comparison.expected = comparison.of(steps(0, STEPS))
        if (comparison.pieces_differ(pieces) is None) != good:
            wrong += 1
            print(f"{pieces}: {'refused' if good else 'accepted'}")
    return 1 if wrong or not only_what_counts() else 0


if __name__ == "__main__":
    sys.exit(main())
