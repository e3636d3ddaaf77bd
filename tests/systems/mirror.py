"""system_root.py takes the mirror from apt's lists: both forms of a list, entries that are off, options and comments."""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "support"))
import system_root  # noqa: E402

LINES = """
# deb http://comment.test/debian here main
deb-src http://source.test/debian here main
deb [arch=amd64 signed-by=/a/key] http://line.test/debian here main contrib   # the end
"""
STANZAS = """# http://comment.test/debian
Types: deb deb-src
URIs: http://stanza.test/debian http://second.test/debian
Suites: here
 here-updates
Components: main
Signed-By: /a/key

Enabled: no
Types: deb
URIs: http://off.test/debian
Suites: here
Components: main

Types: deb
URIs: http://foreign.test/nodes
Suites: other
Components: main
"""


def directory_with(place, **files):
    (place / "sources.list.d").mkdir(parents=True)
    for name, text in files.items():
        (place / ("sources.list" if name == "lines" else "sources.list.d/debian.sources")).write_text(text)
    return place


def main():
    with tempfile.TemporaryDirectory() as scratch:
        place = pathlib.Path(scratch)
        lines = list(system_root.entries(directory_with(place / "lines", lines=LINES)))
        assert lines == [("http://line.test/debian", ["here"], ["main", "contrib"])], lines
        stanzas = list(system_root.entries(directory_with(place / "stanzas", stanzas=STANZAS)))
        assert stanzas == [("http://stanza.test/debian", ["here", "here-updates"], ["main"]),
                           ("http://foreign.test/nodes", ["other"], ["main"])], stanzas
        both = directory_with(place / "both", lines=LINES, stanzas=STANZAS)
        assert system_root.mirror(both, "here") == "http://line.test/debian"
        assert system_root.mirror(both, "other") == "http://foreign.test/nodes"
        try:
            system_root.mirror(both, "unknown")
        except system_root.Impossible as why:
            assert "unknown" in str(why), why
        else:
            raise AssertionError("a suite that no entry names has a mirror")


if __name__ == "__main__":
    main()
