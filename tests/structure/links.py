#!/usr/bin/python3
"""Every link of a page in the tree leads to a file, and to a heading where it names one: links.py ROOT"""
import pathlib
import re
import sys

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+?)\s*$", re.M)
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.M | re.S)


def anchor(heading: str) -> str:
    """The name of a heading, as renderers of Markdown make it."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def anchors(page: pathlib.Path) -> set[str]:
    return {anchor(h) for h in HEADING.findall(page.read_text())}


def check(root: pathlib.Path) -> list[str]:
    wrong = []
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md")), *sorted((root / "examples").rglob("*.md"))]:
        if not page.exists():
            continue
        for target in LINK.findall(CODE.sub("", page.read_text())):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, name = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            where = f"{page.relative_to(root)}: link to {target}: "
            if not file.exists():
                wrong.append(where + "there is no such file")
            elif name and file.suffix == ".md" and name not in anchors(file):
                wrong.append(where + "there is no such heading")
    return wrong


def self_test() -> None:
    """A missing file and a missing heading are found, a link in code is none."""
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs/a").mkdir(parents=True)
        (root / "docs/a/b.md").write_text("# `mana run`: a *thing*\n\n[x](../c.md) [y](#mana-run-a-thing)\n")
        (root / "docs/c.md").write_text("`[z](nowhere.md)` [b](a/b.md#mana-run-a-thing) [far](https://example.org/)\n")
        assert check(root) == [], check(root)
        (root / "docs/c.md").write_text("[b](a/b.md#other) [d](d.md) ![p](p.svg)\n")
        assert len(check(root)) == 3, check(root)


self_test()
problems = check(pathlib.Path(sys.argv[1]))
print("\n".join(problems) or "all links lead somewhere")
sys.exit(bool(problems))
