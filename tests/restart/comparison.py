"""Whether the output of a run that was killed and restarted is that of the native run.

A run that is killed prints in pieces. What it printed between a checkpoint and the kill comes again after the restart:
pieces may overlap, but together they must be all of the native lines, in order, and nothing else.
"""
import difflib
import re

# Open MPI's mpirun says what it thinks of a killed job between two such lines. The first may follow half a line of the program's.
HALF_LINE = re.compile(r"^(?P<half>.*[^-\n])-{74}$", re.M)


class Comparison:
    """`lines`: compiled regular expression of the lines that count, as in parts_that_count. `buffered`: the program writes its output in blocks, so
    that a piece may begin and end within a line."""

    def __init__(self, lines, buffered=False):
        self.lines, self.buffered = lines, buffered
        self.expected = []

    def of(self, text):
        """The lines of `text` that count."""
        return parts_that_count(self.lines, text.splitlines())

    def differs(self, text):
        """What differs from the native output, None if nothing does."""
        got = self.of(text)
        return None if got == self.expected else difference(self.expected, got)

    def pieces_differ(self, pieces):
        """The same for a run in pieces, each a string."""
        covered, rest = 0, ""
        for i, piece in enumerate(pieces):
            last = i + 1 == len(pieces)
            whole, end = (piece, "") if last else cut(piece)
            reached = [self._reach(lines, covered + gap, last) for lines, gap in self._readings(whole, rest, i > 0)]
            reached = [to for to in reached if to is not None]
            if not reached:
                head = f"piece {i + 1} of {len(pieces)} is not a part of the native output that follows its line {covered}\n"
                return head + difference(self.expected[max(0, covered - 5):], self.of(whole))
            covered, rest = max(covered, *reached), end
        return None

    def _readings(self, piece, rest, resumed):
        """(lines, how many expected lines may be missing before them): the ways to read a piece."""
        readings = [(self.of(piece), 0)]
        if resumed and self.buffered:
            readings.append((self.of(rest + piece), 0))
            readings.append((self.of(piece.partition("\n")[2]), 1))      # its first line began in what a kill cut off
        return readings

    def _reach(self, lines, covered, last):
        """To which expected line `lines` go when they begin at most at line `covered`; None if they fit nowhere."""
        starts = [len(self.expected) - len(lines)] if last else range(min(covered, len(self.expected)) + 1)
        fits = [s + len(lines) for s in starts if 0 <= s <= covered and self.expected[s:s + len(lines)] == lines]
        return max(fits, default=None)


def parts_that_count(expression, lines):
    """Those of `lines` that match; of each its group `counts` only, if `expression` has one."""
    found = (expression.search(line) for line in lines)
    return [match["counts"] if "counts" in expression.groupindex else match.string for match in found if match]


def cut(piece):
    """(whole lines, the unfinished line at the end)"""
    if half := HALF_LINE.search(piece):
        return piece[:half.start()], half["half"]
    at = piece.rfind("\n") + 1
    return piece[:at], piece[at:]


def difference(expected, got):
    return "\n".join(list(difflib.unified_diff(expected, got, "native", "here", n=1, lineterm=""))[:30])
