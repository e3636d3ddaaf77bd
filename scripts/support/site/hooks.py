"""What mkdocs does differently for docs/: its Markdown is that of the pages, and its search works without a server.

Pages are written for CommonMark, where a list item's text begins behind its marker. Python-Markdown, which mkdocs has,
wants four columns for each level. mkdocs's own search reads its index by a request, which a browser refuses for files
of a disk.
"""
import pathlib
import re
import shutil

ITEM = re.compile(r"( *)([-*+]|\d+\.) +")
FENCE = re.compile(r" *```")
LEVEL = 4          # columns of a level for Python-Markdown


def begins_item(line: str, items: list[int]) -> bool:
    """in: items  columns of the texts of the open items
    A number other than 1 that begins no item of an open list is a number."""
    found = ITEM.match(line)
    if not found or len(found[1]) >= LEVEL + (items[-1] if items else 0):
        return False
    return found[2] in ("-", "*", "+", "1.") or bool(items) and len(found[1]) < items[-1]


def widened(markdown: str) -> str:
    """in: text of CommonMark
    out: the same text, in which each level of a list has four columns"""
    lines, fenced, items = [], False, []         # items: the column of the text of each open item, outermost first
    for line in markdown.splitlines():
        indent = len(line) - len(line.lstrip(" "))
        item = not fenced and begins_item(line, items)
        fenced ^= bool(FENCE.match(line))
        if not line.strip():
            lines.append(line)
            continue
        if item or lines and not lines[-1].strip():
            while items and indent < items[-1]:
                items.pop()
        if items and (item or indent):
            line = " " * (LEVEL * len(items) + max(0, indent - items[-1])) + line[indent:]
        if item:
            items.append(ITEM.match(" " * indent + line.lstrip(" ")).end())
        lines.append(line)
    return "\n".join(lines) + "\n"


def on_page_markdown(markdown: str, **_) -> str:
    return widened(markdown)


def on_post_build(config, **_) -> None:
    """Puts search.js in the place of the search that comes with mkdocs, and the index into a script."""
    folder = pathlib.Path(config["site_dir"]) / "search"
    index = (folder / "search_index.json").read_text()
    (folder / "search_index.js").write_text(f"window.mana_search_index = {index};\n")
    shutil.copy(pathlib.Path(__file__).with_name("search.js"), folder / "main.js")
    (folder / "worker.js").unlink()
