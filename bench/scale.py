"""Simulates quiesces of up to 2^20 ranks (docs/clock_scale.md) and says which fan-out of the control tree follows.
Writes results.json, table.md and scale.svg.

    python3 bench/scale.py --build build/release --out build/scale [--max-ranks 20] [--pattern halo] [--pace-us 20]
    python3 bench/scale.py --results build/scale/results.json --out build/scale --write docs/clock_scale.md

What results.json has already is not simulated again. --write puts the tables between the page's two marker lines and
the chart beside the page; with --results nothing is simulated.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys

import pages
import pictures

PATTERNS = ["halo", "grid", "straggler", "chain"]
COLOURS = {"halo": "#2a7fbf", "grid": "#2b9348", "straggler": "#e07a1f", "chain": "#b5179e"}
LINKS, FAN_OUTS = [1, 10, 50], [2, 4, 8, 16, 24, 32]
# The largest take minutes and gigabytes each: what decides, and its neighbours.
LARGE, LARGE_LINKS, LARGE_FAN_OUTS = 18, [1, 50], [8, 16, 24]
LARGEST_STAR = 14
MOST_MESSAGES, MOST_MS = 64, 200      # the aim, at the busiest node in a round; beyond the application's own progress


class Failed(Exception):
    pass


def settings(options):
    """(pattern, log2 of ranks, network, fan-outs, links), small ones first."""
    for power in range(10, options.max_ranks + 1, 2):
        large = power >= LARGE
        for pattern in options.pattern:
            yield pattern, power, "tree", LARGE_FAN_OUTS if large else FAN_OUTS, LARGE_LINKS if large else LINKS
            if power <= LARGEST_STAR:
                yield pattern, power, "star", [0], LINKS


def simulate(options, pattern, power, network, fan_outs, links, pace):
    words = [options.build.resolve() / "tests" / "scale" / "mana-clock-scale", "--json", "--pattern", pattern,
             "--ranks", f"2^{power}", "--network", network, "--link-us", ",".join(map(str, links)),
             "--pace-us", str(pace), "--seed", str(options.seed), "--limit-s", "1"]
    if network == "tree":
        words += ["--fan-out", ",".join(map(str, fan_outs))]
    print("simulating", *words[1:], flush=True)
    done = subprocess.run(words, text=True, capture_output=True, check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    if len(rows) != len(fan_outs) * len(links):
        raise Failed(f"{words}: {done.stderr[-2000:]}")
    return rows


def measure(options, results, save):
    have = {(r["pattern"], r["ranks"], r["network"], r["pace_us"]) for r in results}
    for pattern, power, network, fan_outs, links in settings(options):
        for pace in options.pace_us:
            if (pattern, 1 << power, network, pace) not in have:
                results += simulate(options, pattern, power, network, fan_outs, links, pace)
                save(results)


def largest_swept(results, pace):
    """The most ranks of which many fan-outs were simulated."""
    fan_outs = {}
    for r in results:
        if r["network"] == "tree" and r["pace_us"] == pace:
            fan_outs.setdefault(r["ranks"], set()).add(r["fan_out"])
    return max(n for n, tried in fan_outs.items() if len(tried) >= len(LARGE_FAN_OUTS) or len(fan_outs) == 1)


def per_round(r):
    """Messages of the busiest node, by round; the request's own round is numbered 0."""
    return r["busiest"] / (r["rounds"] + 1)


def chosen_fan_out(results, pace):
    """Of those with which all patterns are within the aim at the most ranks, the fastest over the slowest links, all
    patterns together; None if there is none."""
    rows = [r for r in results if r["network"] == "tree" and r["pace_us"] == pace]
    most = largest_swept(results, pace)
    rows = [r for r in rows if r["ranks"] == most]
    slowest_links = max(r["link_us"] for r in rows)
    together = {}
    for fan_out in sorted({r["fan_out"] for r in rows}):
        own = [r for r in rows if r["fan_out"] == fan_out]
        if all(r["line"] and per_round(r) < MOST_MESSAGES and r["beyond_ms"] < MOST_MS for r in own):
            together[fan_out] = sum(r["beyond_ms"] for r in own if r["link_us"] == slowest_links)
    return min(together, key=together.get) if together else None


def counts(r):
    return [str(r["rounds"]), f"{r['messages_per_rank']:.1f}", f"{per_round(r):.0f}", str(r["busiest_in_a_round"])]


def cells(r):
    if not r["line"]:
        return ["no line in 1 s", "", *counts(r), "", ""]
    return [f"{r['beyond_ms']:.2f}", f"{r['native_ms']:.2f}", *counts(r), f"{r['memory_mean']:.0f}",
            f"{r['memory_most'] / 1024:.0f}"]


HEAD = ["beyond, ms", "own, ms", "rounds", "messages per rank", "busiest per round", "most in a round",
        "bytes per process", "most, KiB"]


def table(first, rows):
    """rows: (cells of the first columns, result)"""
    return pages.table(first + HEAD, [[*map(str, own), *cells(r)] for own, r in rows])


def power_of(ranks):
    return f"2^{int(math.log2(ranks))}"


def markdown(results):
    pace = min(r["pace_us"] for r in results)
    fan_out = chosen_fan_out(results, pace)
    most = largest_swept(results, pace)
    shown = fan_out or 16
    unpaced = [r for r in results if r["pace_us"] == pace]
    tree = [r for r in unpaced if r["network"] == "tree"]
    lines = [f"The fastest fan-out with which all patterns stay under {MOST_MESSAGES} messages at the busiest node per "
             f"round and {MOST_MS} ms at {power_of(most)} ranks: "
             f"**{fan_out if fan_out else 'none'}**.", "", f"### Fan-out {shown}, by ranks", ""]
    lines += table(["pattern", "ranks", "link, us"],
                   [((r["pattern"], power_of(r["ranks"]), f"{r['link_us']:g}"), r) for p in PATTERNS for r in tree
                    if r["pattern"] == p and r["fan_out"] == shown])
    lines += ["", f"### {power_of(most)} ranks, by fan-out", ""]
    lines += table(["pattern", "fan-out", "link, us"],
                   [((r["pattern"], r["fan_out"], f"{r['link_us']:g}"), r) for p in PATTERNS for r in tree
                    if r["pattern"] == p and r["ranks"] == most])
    lines += ["", "### Star", ""]
    lines += table(["pattern", "ranks", "link, us"],
                   [((r["pattern"], power_of(r["ranks"]), f"{r['link_us']:g}"), r) for p in PATTERNS for r in unpaced
                    if r["pattern"] == p and r["network"] == "star" and r["link_us"] == 10])
    return "\n".join(lines) + "\n"


def panel(left, title, series, x_of, x_names, aim):
    """One chart with logarithmic axes. title: its two lines; series: [(name, colour, dash, [(x, y)])]"""
    width, top, bottom = 330, 70, 300
    ys = [y for *_, points in series for _, y in points] + [aim]
    low, high = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)))
    y_at = lambda y: bottom - (math.log10(y) - low) / (high - low) * (bottom - top)  # noqa: E731
    x_at = lambda x: left + 45 + x_of(x) * (width - 60)  # noqa: E731
    lines = [f'<text x="{left}" y="{36 + 14 * i}">{line}</text>' for i, line in enumerate(title)]
    for power in range(low, high + 1):
        y = y_at(10.0 ** power)
        lines += [f'<line x1="{left + 40}" x2="{left + width}" y1="{y:.0f}" y2="{y:.0f}" class="grid"/>',
                  f'<text x="{left + 36}" y="{y + 4:.0f}" text-anchor="end">{10.0 ** power:g}</text>']
    lines += [f'<text x="{x_at(x):.0f}" y="{bottom + 16}" text-anchor="middle">{name}</text>' for x, name in x_names]
    lines.append(f'<line x1="{left + 40}" x2="{left + width}" y1="{y_at(aim):.0f}" y2="{y_at(aim):.0f}" stroke="#c44" '
                 'stroke-dasharray="6 3"/>')
    for _, colour, dash, points in series:
        path = " ".join(f"{x_at(x):.1f},{y_at(y):.1f}" for x, y in sorted(points))
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" '
                     f'stroke-dasharray="{dash}"/>')
    return lines


def chart(results):
    """Time beyond the application's own by ranks, tree and star; messages per round of the busiest node by fan-out."""
    pace = min(r["pace_us"] for r in results)
    rows = [r for r in results if r["pace_us"] == pace and r["line"]]
    shown = chosen_fan_out(results, pace) or 16
    patterns = [p for p in PATTERNS if any(r["pattern"] == p for r in rows)]
    sizes, most = sorted({r["ranks"] for r in rows}), max(r["ranks"] for r in rows)
    link = max(r["link_us"] for r in rows)

    def line(pattern, y, x, **fixed):
        value = y if callable(y) else lambda r: r[y]
        own = [r for r in rows if r["pattern"] == pattern and all(r[k] == v for k, v in fixed.items())]
        return [(r[x], value(r)) for r in own]

    by_ranks = [(p, COLOURS[p], dash, line(p, "beyond_ms", "ranks", link_us=link, network=network,
                                           **({"fan_out": shown} if network == "tree" else {})))
                for p in patterns for network, dash in (("tree", ""), ("star", "3 3"))]
    messages = {n: [(p, COLOURS[p], "", line(p, per_round, "fan_out", link_us=link, network="tree", ranks=n))
                    for p in patterns] for n in sizes}
    largest = max((n for n in sizes if len(messages[n][0][3]) >= len(LARGE_FAN_OUTS)), default=most)
    log = lambda low, high: lambda x: math.log(x / low) / math.log(high / low)  # noqa: E731
    title = f"A quiesce with links of {link:g} µs; the aim in red"
    lines = [f'<text x="10" y="18" font-size="14">{title}</text>']
    lines += panel(10, ("Time beyond the program's own, ms, by number of ranks", f"(fan-out {shown}; dotted: star)"), by_ranks,
                   log(sizes[0], sizes[-1]), [(n, power_of(n)) for n in sizes], MOST_MS)
    fan_outs = sorted({x for *_, points in messages[largest] for x, _ in points})
    lines += panel(400, ("Messages of the busiest node in a round, by fan-out", f"({power_of(largest)} ranks)"),
                   messages[largest], log(fan_outs[0], fan_outs[-1]), [(k, str(k)) for k in fan_outs], MOST_MESSAGES)
    for i, p in enumerate(patterns):
        lines += [f'<rect x="{20 + 100 * i}" y="332" width="10" height="10" fill="{COLOURS[p]}"/>',
                  f'<text x="{34 + 100 * i}" y="341">{p}</text>']
    return pictures.drawing(800, 355, title, lines)


def write_page(page, results):
    picture = page.with_suffix(".svg")
    text = f"![time by ranks, messages by fan-out]({picture.name})\n\n{markdown(results)}"
    page.write_text(pages.with_part(page.read_text(), "scale", text))
    picture.write_text(chart(results))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, help="build directory; what is there is not built again")
    parser.add_argument("--results", type=pathlib.Path, help="simulate nothing: write again what was found before")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE", help="put tables and chart there")
    parser.add_argument("--max-ranks", type=int, default=20, metavar="POWER", help="of 2 (20)")
    parser.add_argument("--pattern", action="append", choices=PATTERNS)
    parser.add_argument("--pace-us", type=float, nargs="+", default=[0])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if (options.build is None) == (options.results is None):
        parser.error("either --build or --results")
    options.pattern = options.pattern or PATTERNS
    options.out.mkdir(parents=True, exist_ok=True)
    kept = options.results or options.out / "results.json"
    results = json.loads(kept.read_text()) if kept.exists() else []
    if options.build:
        measure(options, results, lambda rows: kept.write_text(json.dumps(rows, indent=1) + "\n"))
    (options.out / "table.md").write_text(markdown(results))
    (options.out / "scale.svg").write_text(chart(results))
    if options.write:
        write_page(options.write, results)


if __name__ == "__main__":
    try:
        main()
    except (Failed, pages.NoMarkers) as failed:
        sys.exit(f"scale: {failed}")
