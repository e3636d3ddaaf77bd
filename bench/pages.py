"""Tables in Markdown, and pages of docs/ with a part that a tool writes: what stands between its two marker lines."""


class NoMarkers(Exception):
    """The page does not have a tool's lines."""


def markers(tool):
    """The lines around the part of bench/<tool>.py."""
    return f"<!-- begin: bench/{tool}.py --write -->", f"<!-- end: bench/{tool}.py --write -->"


def with_part(page, tool, text):
    """The page with text in place of what stands between the tool's lines."""
    first, last = markers(tool)
    begin, end = page.find(first), page.find(last)
    if begin < 0 or end < begin:
        raise NoMarkers(f"the page has no lines {first} and {last}")
    return page[:begin + len(first)] + "\n\n" + text.strip() + "\n\n" + page[end:]


def table(head, rows):
    """Lines of a table; cells are texts."""
    return ["| " + " | ".join(head) + " |", "|---" * len(head) + "|", *("| " + " | ".join(r) + " |" for r in rows)]
