"""Where a tool writes into a page of docs/."""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True      # the source tree stays as it is
sys.path.insert(0, str(ROOT / "bench"))
import pages  # noqa: E402


class Page(unittest.TestCase):
    def test_only_what_is_between_the_markers_is_replaced(self):
        first, last = pages.markers("clocks")
        page = f"before\n{first}\nold\n{last}\nafter\n"
        once = pages.with_part(page, "clocks", "new")
        self.assertTrue(once.startswith("before\n") and once.endswith("\nafter\n"))
        self.assertNotIn("old", once)
        self.assertEqual(pages.with_part(once, "clocks", "new"), once)

    def test_a_page_without_markers_is_left_alone(self):
        with self.assertRaises(pages.NoMarkers):
            pages.with_part("no markers", "clocks", "new")

    def test_the_pages_that_tools_write_have_them(self):
        for name, tool in [("clocks.md", "clocks"), ("clock_scale.md", "scale")]:
            self.assertIn("new", pages.with_part((ROOT / "docs" / name).read_text(), tool, "new"))


if __name__ == "__main__":
    unittest.main()
