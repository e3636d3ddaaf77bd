#!/usr/bin/python3
"""Finds patterns of docs/developer/style.md, and long sentences: style.py ROOT [FILE…]. It reads the pages that style.toml
lists, and the comments and string literals of the listed source files.
Quoted text, code and the rows of generated tables are not prose, and are left out.
"""
import pathlib
import re
import sys
import tomllib

FENCE = re.compile(r"^ *```")
MARKER = re.compile(r"^(?: {0,3}(?:[-*+]|\d+\.) +|> ?|#+ +)")
SENTENCE_END = re.compile(r"(?<=[.?!])(?<!e\.g\.)(?<!i\.e\.)\**\s+(?=[\"(A-Z0-9`*\[]|mana )")
GENERATED = ("| status | meaning |", "| status | name |", "| option |")
EXAMPLES = ("not", "instead of", "members")       # columns of examples, and of names
SOURCES = (".hpp", ".cpp", ".h", ".c", ".S", ".j2")
# A comment, or a string literal: what looks like a comment inside a string is none.
TOKEN = re.compile(r'//(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/|R"\((?P<raw>.*?)\)"|"(?P<text>(?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\\n]|\\.)\'',
                   re.DOTALL)
ROW = re.compile(r"^ *(?:(?:in|out|errors|in, out): |\S.*\S {2,}\S)")      # of a docstring, or of a table in a comment
CONTINUED = "…"        # before a literal that begins with a blank: it continues a text
FEWEST_WORDS = 4       # a shorter string literal is a name or a part of one


class prose_reader:
    """Paragraphs, list items and cells of a page in Markdown, with the line where each begins."""

    def __init__(self) -> None:
        self.blocks: list[tuple[int, str]] = []
        self.open: list[str] = []
        self.begin = 0
        self.in_item = False

    def close(self) -> None:
        if self.open:
            self.blocks.append((self.begin, " ".join(self.open)))
        self.open = []

    def add(self, number: int, line: str) -> None:
        """in: line  of prose, of a list, or a heading, which is no sentence"""
        if MARKER.match(line):
            self.close()
            self.in_item = not line.startswith("#")
        if line.startswith("#"):
            return
        if not self.open:
            self.begin = number
        self.open.append(MARKER.sub("", line).strip())


class table_reader:
    """The rows of one table: which of its cells are prose."""

    def __init__(self, head: str) -> None:
        self.is_generated = head.startswith(GENERATED)
        self.names = self.cells_of(head)

    @staticmethod
    def cells_of(line: str) -> list[str]:
        return [cell.strip() for cell in line.strip("|").split("|")]

    def cells(self, line: str) -> list[str]:
        if self.is_generated or line.startswith(("|--", "|:-")):
            return []
        cells = self.cells_of(line)
        return [cell for i, cell in enumerate(cells) if i >= len(self.names) or self.names[i] not in EXAMPLES]


def prose(text: str) -> list[tuple[int, str]]:
    """out: (line number, text without code) of each block"""
    reader, fenced, table = prose_reader(), False, None
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
            reader.close()
        elif fenced:
            continue
        elif line.startswith("|"):
            reader.close()
            table = table or table_reader(line)
            reader.blocks += [(number, cell) for cell in table.cells(line)]
        elif not line.strip():
            reader.close()
            table = None
        elif reader.open or not line.startswith("      " if reader.in_item else "    "):
            table = None
            if not line.startswith(" "):
                reader.in_item = False
            reader.add(number, line)
    reader.close()
    return [(number, without_code(block)) for number, block in reader.blocks]


class source_reader:
    """Comments and messages of a source file, with the line where each begins. Neighbours without code between are one text."""

    def __init__(self) -> None:
        self.blocks: list[tuple[int, str]] = []
        self.kind = ""

    def add(self, kind: str, line: int, text: str, code_before: str) -> None:
        """in: code_before  what stands between this text and the one before"""
        if self.blocks and kind == self.kind and not code_before.strip() and text.strip():
            self.blocks[-1] = (self.blocks[-1][0], self.blocks[-1][1] + "\n" * code_before.count("\n") + text)
        else:
            self.blocks.append((line, text))
        self.kind = kind


def row_apart(line: str) -> str:
    """in: line  of a comment. out: a list item if it is a row of a docstring or a table, so that it begins a text of its own"""
    return "- " + line.strip() if ROW.match(line) else line


def source_prose(text: str) -> list[tuple[int, str]]:
    """out: (line number, text without code) of each paragraph of a comment, and of each string literal of several words"""
    reader, line, at = source_reader(), 1, 0
    for found in TOKEN.finditer(text):
        before = text[at:found.start()]
        line += before.count("\n")
        at = found.end()
        if (comment := found["line"]) is not None:
            reader.add("comment", line, row_apart(re.sub(r"^[/<!]*", "", comment)), before)
        elif (comment := found["block"]) is not None:
            reader.add("comment", line, re.sub(r"(?m)^ *\* ?", "", comment.strip("*")), before)
        elif (literal := found["text"]) is not None and len(literal.split()) >= FEWEST_WORDS:
            reader.add("string", line, CONTINUED + literal if literal.startswith(" ") else literal, before)
        line += found[0].count("\n")
    paragraphs = []
    for begin, block in reader.blocks:
        paragraphs += [(begin + number - 1, paragraph) for number, paragraph in prose(block)]
    return paragraphs


def without_code(block: str) -> str:
    block = re.sub(r"<!--.*?-->", "", block)
    block = re.sub(r"`+[^`]*`+", "CODE", block)
    block = re.sub(r'"[^"]*"', "QUOTED", block)
    block = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", block)
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", block).replace("**", "")


def check(name: str, text: str, rules: dict) -> list[str]:
    wrong = []
    for number, block in (source_prose if name.endswith(SOURCES) else prose)(text):
        for sentence in SENTENCE_END.split(block):
            for pattern in rules["pattern"]:
                if found := re.search(pattern["find"], sentence):
                    wrong.append(f"{name}:{number}: \"{found[0]}\": write {pattern['write']}: {sentence[:70]}")
            if (words := len(re.findall(r"[\w'/…-]+", sentence))) > rules["most_words"]:
                wrong.append(f"{name}:{number}: a sentence of {words} words, {rules['most_words']} at most: {sentence[:70]}")
    return wrong


def self_test(rules: dict) -> None:
    """Each pattern's bad example is found by it, its good one by none; code, quotations and generated tables are left out."""
    for pattern in rules["pattern"]:
        found = check("page", pattern["bad"] + "\n", rules)
        assert any(pattern["write"] in line for line in found), (pattern["find"], found)
        assert not check("page", pattern["good"] + "\n", rules), check("page", pattern["good"] + "\n", rules)
    bad = "It goes on."
    for page, count in ((f"# What a page is\n\nIt stops\nhere. {bad}\n", 1), (f"| a | {bad} |\n", 1), (f"- one\n- {bad}\n", 1),
                        (f"1. one\n\n       {bad}\n", 0), (f"`{bad}` is code. \"{bad}\" is quoted.\n", 0),
                        (f"Run\n\n    {bad}\n", 0), (f"```\n{bad}\n```\n", 0), (f"{GENERATED[0]} |\n| {bad} |\n", 0),
                        (f"| not | write |\n|---|---|\n| {bad} | a verb |\n\n| is |\n| {bad} |\n", 1)):
        assert len(check("page", page, rules)) == count, (page, check("page", page, rules))
    assert len(check("page", "word " * (rules["most_words"] + 1) + "end.\n", rules)) == 1
    assert check("page", f"one\n\ntwo\n{bad}\n", rules)[0].startswith("page:3:")
    for source, count in ((f"int a; // {bad}\n", 1), (f"// It\n// goes on.\n", 1), (f"/* {bad} */ int a; /* {bad} */\n", 2),
                          (f'say("// the rank of {bad}");\n', 1), ("char quote = '\"'; // It goes on.\n", 1),
                          ("goes(on); // goes on to `goes on`\n", 1), ("goes on;\n", 0), ('say("goes on");\n', 0),
                          ('say(" (a job of one process)");\n', 0),
                          ('say("(a job of one process)");\n', 1)):
        assert len(check("a.cpp", source, rules)) == count, (source, check("a.cpp", source, rules))


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    rules = tomllib.loads((root / "tests/structure/style.toml").read_text())
    self_test(rules)
    problems = []
    for name in sys.argv[2:] or rules["files"]:
        files = sorted(root.glob(name))
        problems += [f"{name}: style.toml lists a file that does not exist"] if not files else []
        for file in files:
            problems += check(str(file.relative_to(root)), file.read_text(), rules)
    print("\n".join(problems) or "the listed files follow docs/developer/style.md")
    return 1 if problems else 0


sys.exit(main())
