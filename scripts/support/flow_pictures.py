#!/usr/bin/python3
"""Draws the sequence diagrams of docs/developer/flows.md: flow_pictures.py [--check]. Writes docs/pictures/flow-*.svg, or says which are
not what it would write. A picture's style is that of docs/pictures/two-halves.svg.
"""
import html
import pathlib
import sys

PICTURES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "pictures"
LANE, ROW, TOP, LEFT = 210, 34, 64, 20      # pixels
WIDE = 196                                  # of a box
LETTERS = 29                                # that a box, or the room between two lanes, has place for

# (lane, text): a step of that lane; (from, to, text): what one lane says to another.
FLOWS = {
    "flow-message": ("A message: MPI_Send and MPI_Recv under mana", ["program", "wrappers (upper half)", "lower half", "other rank"], [
        (0, 1, "MPI_Send(…, comm)"), (1, "enter: not parked in here"), (1, "virtual ids → real handles"), (1, "count it as sent"),
        (1, 2, "cross: send"), (2, 3, "real MPI_Send"), (2, 1, "neutral error class"), (1, "leave: park here if asked"),
        (1, 0, "MPI_SUCCESS"), (0, 1, "MPI_Recv(…, comm)"), (1, "look into the inbox first"), (1, 2, "cross: receive"),
        (3, 2, "a message arrives"), (2, 1, "status, or a pending request"), (1, "pending: poll, or park"), (1, "count it as received"),
        (1, 0, "buffer and status")]),
    "flow-checkpoint": ("A checkpoint", ["mana checkpoint", "coordinator (rank 0)", "each rank", "disk"], [
        (0, 1, "key, ask_checkpoint"), (1, 2, "requested"), (2, 1, "counts of collectives"), (1, 2, "clock: who must continue"),
        (1, 2, "line: no collective half done"), (2, "park all threads"), (2, 1, "parked"), (1, 3, "a new directory gen-N"),
        (1, 2, "proceed"), (2, "complete collectives"), (2, "drain messages"), (2, 1, "drained"), (2, 3, "write the image, fsync"),
        (2, 1, "written: size, checksum"),
        (1, 3, "manifest: fsync, rename"), (1, 2, "verdict: committed"), (2, "let the threads go"), (1, 3, "remove old checkpoints"),
        (1, 0, "path, size, time")]),
    "flow-restart": ("A restart", ["mpirun", "mana restart, rank", "other ranks", "disk"], [
        (0, 1, "starts each rank"), (1, 3, "which MPI? newest manifest"), (1, "become the lower half"), (1, 2, "MPI_Init of the real MPI"),
        (1, 2, "rank 0 names a candidate"), (1, 3, "check own image"), (2, 1, "all agree, or take an older"), (1, 2, "shared files and memory"),
        (1, "map the window"), (3, 1, "memory, checksums"), (1, "registers, files, sockets"), (1, 2, "join the control network"),
        (1, "start the saved threads"), (1, "clocks continue"), (1, "make MPI objects again"), (1, "the program continues")]),
}


def style() -> str:
    text = (PICTURES / "two-halves.svg").read_text()
    return text[text.index("<style>"):text.index("</defs>") + len("</defs>")]


def middle(lane: int) -> int:
    return LEFT + lane * LANE + WIDE // 2


def drawn(title: str, lanes: list[str], steps: list[tuple]) -> str:
    height, width = TOP + ROW * (len(steps) + 1) + 16, LEFT * 2 + LANE * (len(lanes) - 1) + WIDE
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
             f'aria-labelledby="t">', f'  <title id="t">{title}</title>', "  " + style(), '  <rect class="back" width="100%" height="100%"/>']
    for i, lane in enumerate(lanes):
        x = middle(i)
        parts += [f'  <path class="dash" d="M{x} 48V{height - 12}"/>',
                  f'  <rect class="{("upper", "upper", "lower", "file")[i]}" x="{x - WIDE // 2}" y="14" width="{WIDE}" height="34" rx="4"/>',
                  f'  <text class="mid" x="{x}" y="36">{html.escape(lane)}</text>']
    for row, step in enumerate(steps):
        y, text = TOP + ROW * (row + 1), html.escape(step[-1])
        assert len(step[-1]) <= LETTERS, step
        if len(step) == 2:
            x = middle(step[0])
            parts += [f'  <rect class="box" x="{x - WIDE // 2}" y="{y - 17}" width="{WIDE}" height="24" rx="4"/>',
                      f'  <text class="small mid" x="{x}" y="{y}">{text}</text>']
        else:
            a, b = middle(step[0]), middle(step[1])
            place = b + (LANE // 2 if a > b else -LANE // 2)        # beside the end: no other lane crosses it
            parts += [f'  <path class="line" d="M{a} {y}H{b}" marker-end="url(#tip)"/>',
                      f'  <text class="small mid" x="{place}" y="{y - 6}">{text}</text>']
    return "\n".join([*parts, "</svg>", ""])


def main() -> int:
    wrong = []
    for name, flow in FLOWS.items():
        file, text = PICTURES / f"{name}.svg", drawn(*flow)
        if "--check" not in sys.argv:
            file.write_text(text)
        elif not file.exists() or file.read_text() != text:
            wrong.append(f"docs/pictures/{name}.svg is not what scripts/support/flow_pictures.py draws: run it")
    print("\n".join(wrong) or "the pictures are as they are drawn")
    return bool(wrong)


sys.exit(main())
