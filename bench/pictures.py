"""Drawings in SVG for docs/, readable on light and on dark pages: each has a background of its own."""

STYLE = """<style>
  text { fill: #1b1f24; }
  .back { fill: #ffffff; }
  .grid { stroke: #d0d7de; }
  .axis { stroke: #6e7781; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .back { fill: #0d1117; }
    .grid { stroke: #30363d; }
    .axis { stroke: #8b949e; }
  }
</style>"""


def drawing(width, height, title, lines):
    """in: width, height  in pixels; lines  of SVG. out: the file's text. Lines of the axes have the classes grid and axis."""
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
                      'role="img" aria-labelledby="t" font-family="sans-serif" font-size="11">',
                      f'<title id="t">{title}</title>', STYLE, f'<rect class="back" width="{width}" height="{height}"/>',
                      *lines, "</svg>"]) + "\n"


def bar_chart(title, bars, unit=None):
    """A bar in a row, its number before it. in: bars  [(name, value, number as text, colour)]; unit  a value that a line marks."""
    row, name_at, left, most = 16, 10, 310, 430
    longest = max((value for _, value, _, _ in bars), default=1)
    height = 40 + row * len(bars)
    lines = [f'<text x="{name_at}" y="18" font-size="14">{title}</text>']
    for i, (name, value, number, colour) in enumerate(bars):
        y = 30 + row * i
        lines += [f'<text x="{name_at}" y="{y + 11}">{name}</text>',
                  f'<text x="{left - 6}" y="{y + 11}" text-anchor="end">{number}</text>',
                  f'<rect x="{left}" y="{y + 2}" width="{value / longest * most:.1f}" height="11" fill="{colour}"/>']
    if unit is not None:
        x = left + unit / longest * most
        lines.append(f'<line class="axis" x1="{x:.1f}" y1="26" x2="{x:.1f}" y2="{height - 8}" stroke-dasharray="3"/>')
    return drawing(left + most + 20, height, title, lines)
