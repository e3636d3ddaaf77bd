#!/usr/bin/python3
"""The site of docs/ is built and is complete: site.py ROOT OUTPUT [BROWSER].

mkdocs must build it without a warning. Then in OUTPUT each link leads to a file and to an anchor of it, nothing is
loaded from another host, each page is in the navigation, and the search finds the answers to the questions of
docs/index.md. With BROWSER, a Chromium, the search also runs from the disk as a reader uses it.
"""
import html.parser
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse

import lunr
from lunr.stop_word_filter import stop_word_filter

LOADING = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"),
           ("object", "data"), ("image", "href"), ("use", "href"), ("video", "src"), ("audio", "src"), ("embed", "src")}
REMOTE = re.compile(r"(?:[a-z]+:)?//", re.I)
LOADED_BY_STYLE = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")
LOADED_BY_SCRIPT = re.compile(r"(?:\.(?:src|href)\s*=|fetch\(|importScripts\(|\.open\([^,]*,)"
                              r"\s*['\"`]((?:https?:)?//[^'\"`]+)")
# What a reader types, and the page that must be among the first results.
QUESTIONS = [
    ("restart after the time limit", "guide/slurm.html"),
    ("status 83", "guide/troubleshooting.html"),
    ("how large checkpoint", "guide/where-checkpoints-go.html"),
    ("newer machine", "guide/restart-elsewhere.html"),
    ("OpenMP", "guide/what-is-restored.html"),
    ("delete gen-000003", "guide/where-checkpoints-go.html"),
    ("checkpoint refused", "guide/troubleshooting.html"),
    ("who can read my checkpoint", "guide/where-checkpoints-go.html"),
    ("node dies while it writes", "guide/where-checkpoints-go.html"),
    ("Slurm", "guide/slurm.html"),
]
FIRST_RESULTS = 5


class Page(html.parser.HTMLParser):
    """Anchors of a page, what it links to, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if value is None:
                continue
            if name == "id" or (tag, name) == ("a", "name"):
                self.anchors.add(value)
            elif (tag, name) in LOADING:
                self.loads.append(value)
            elif (tag, name) == ("a", "href"):
                self.links.append(value)
            elif name == "style":
                self.loads += [found for pair in LOADED_BY_STYLE.findall(value) for found in pair if found]


def loads_of_style(text: str) -> list[str]:
    without_comments = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return [found for pair in LOADED_BY_STYLE.findall(without_comments) for found in pair if found]


def wrong_links(site: pathlib.Path) -> list[str]:
    """out: each link and each load that leads nowhere, and each load from another host"""
    pages = {path: Page(path.read_text()) for path in sorted(site.rglob("*.html"))}
    wrong = []
    for path, page in pages.items():
        if path.name == "404.html":                          # its links begin at the root of a server
            page.links, page.loads = [], [load for load in page.loads if REMOTE.match(load)]
        for target in page.loads:
            if REMOTE.match(target):
                wrong.append(f"{path.relative_to(site)} loads {target} from another host")
        for target in page.links + page.loads:
            if re.match(r"[a-z]+:|//", target, re.I):
                continue
            name, _, anchor = urllib.parse.unquote(target).partition("#")
            file = (path.parent / name).resolve() if name else path
            if not file.is_file():
                wrong.append(f"{path.relative_to(site)}: {target}: the file does not exist")
            elif anchor and file in pages and anchor not in pages[file].anchors:
                wrong.append(f"{path.relative_to(site)}: {target}: the page has no such anchor")
    return wrong + wrong_loads(site)


def wrong_loads(site: pathlib.Path) -> list[str]:
    """out: what style sheets, pictures and scripts load from another host, or from a file that does not exist"""
    wrong = []
    for path in sorted(site.rglob("*")):
        if path.suffix in (".css", ".svg"):
            text = path.read_text()
            loads = loads_of_style(text) + re.findall(r"<(?:image|use|script)\b[^>]*href=\"([^\"]+)\"", text)
        elif path.suffix == ".js":
            loads = LOADED_BY_SCRIPT.findall(path.read_text())
        else:
            continue
        for target in loads:
            if REMOTE.match(target):
                wrong.append(f"{path.relative_to(site)} loads {target} from another host")
            elif not re.match(r"data:|#", target) and not (path.parent / re.split("[?#]", target)[0]).is_file():
                wrong.append(f"{path.relative_to(site)} loads {target}, which does not exist")
    return wrong


def not_in_navigation(root: pathlib.Path, site: pathlib.Path) -> list[str]:
    """mkdocs itself only mentions such pages."""
    links = {urllib.parse.unquote(link) for link in Page((site / "index.html").read_text()).links}
    pages = [path.relative_to(root / "docs").with_suffix(".html") for path in sorted((root / "docs").rglob("*.md"))]
    return [f"docs/{page.with_suffix('.md')} is not in the navigation of mkdocs.yml"
            for page in pages if str(page) not in links]


def missed_questions(site: pathlib.Path) -> list[str]:
    """The same index and rules as scripts/support/site/search.js has."""
    documents = json.loads((site / "search" / "search_index.json").read_text())["docs"]
    index = lunr.lunr(ref="location", fields=[{"field_name": "title", "boost": 5}, "text"], documents=documents)
    wrong = []
    for question, page in QUESTIONS:
        words = [word for word in re.split(r"\W+", question) if stop_word_filter(word.lower())]
        results = [result["ref"] for result in index.search(" ".join(f"+{word}" for word in words))][:FIRST_RESULTS]
        if not any(result.startswith(page) for result in results):
            wrong.append(f"the search for \"{question}\" does not find {page} first, but {results}")
    return wrong


def missed_in_browser(site: pathlib.Path, browser: str) -> list[str]:
    """Some questions, asked of a page on the disk: one in a folder, whose links to the site's root are longer."""
    wrong = []
    for question, page in (QUESTIONS[1], QUESTIONS[7]):
        with tempfile.TemporaryDirectory() as profile:
            url = (site / "guide" / "limits.html").as_uri() + "?" + urllib.parse.urlencode({"q": question})
            command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--dump-dom",
                       "--virtual-time-budget=20000", url]
            shown = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
        results = re.findall(r"<article><h3><a href=\"\.\./([^\"]+)\"", shown)[:FIRST_RESULTS]
        if not any(result.startswith(page) for result in results):
            wrong.append(f"in {browser}, the search for \"{question}\" does not find {page} first, but {results}")
    return wrong


def test_of_lists(root: pathlib.Path) -> None:
    """A text for CommonMark, and the same for Python-Markdown."""
    where = importlib.util.spec_from_file_location("hooks", root / "scripts/support/site/hooks.py")
    assert where and where.loader
    hooks = importlib.util.module_from_spec(where)
    where.loader.exec_module(hooks)
    for page, expected in (("- a\n  - b\n    c\n\n  d\n- e\n\n      code\n      code\n\nf\n",
                            "- a\n    - b\n        c\n\n    d\n- e\n\n        code\n        code\n\nf\n"),
                           ("1. a\n   - b of\n     98. C\n2. d\n", "1. a\n    - b of\n        98. C\n2. d\n"),
                           ("a\n\n    - code\n\nb\n", "a\n\n    - code\n\nb\n"),
                           ("```\n- a\n  - b\n```\n", "```\n- a\n  - b\n```\n")):
        assert hooks.widened(page) == expected, (page, hooks.widened(page))


def self_test() -> None:
    """A missing file, a missing anchor and each way to load from another host are found. A link to another host is none."""
    with tempfile.TemporaryDirectory() as folder:
        site = pathlib.Path(folder).resolve()
        (site / "b.html").write_text("<h1 id='x'>x</h1>")
        (site / "a.html").write_text("<a href='b.html#x'>1</a><a href='https://example.org/'>2</a><a id='y' href='#y'>3</a>")
        (site / "a.css").write_text("/* url(https://example.org/old) */ a { background: url(a.css?1) }")
        assert wrong_links(site) == [], wrong_links(site)
        (site / "a.html").write_text("<a href='c.html'>1</a><a href='b.html#z'>2</a><img src='p.png'>"
                                     "<script src='//example.org/s.js'></script><img src='HTTPS://example.org/p.png'>")
        (site / "a.css").write_text("@import 'https://example.org/b.css'; a { background: url(missing.png) }")
        (site / "a.svg").write_text('<svg><image href="https://example.org/i.png"/></svg>')
        (site / "a.js").write_text("element.src = 'https://example.org/x.js';")
        assert len(wrong_links(site)) == 9, wrong_links(site)


def main() -> int:
    sys.dont_write_bytecode = True
    root, site = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    self_test()
    test_of_lists(root)
    command = ["mkdocs", "build", "--strict", "--clean", "--config-file", root / "mkdocs.yml", "--site-dir", site]
    built = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    if built.returncode:
        print(built.stdout + built.stderr + "mkdocs did not build the site")
        return 1
    problems = wrong_links(site) + not_in_navigation(root, site) + missed_questions(site)
    if not problems and len(sys.argv) > 3:
        problems = missed_in_browser(site, sys.argv[3])
    print("\n".join(problems) or "the site is complete")
    return 1 if problems else 0


sys.exit(main())
