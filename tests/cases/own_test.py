"""The parts of the cases' tests that need no MPI."""
import contextlib
import io
import pathlib
import tempfile
import types
import unittest

import case_test
from mana_job import Failed      # case_test.py has its folder in the path

LIMIT_S = 0.5


class Limit(unittest.TestCase):
    def test_a_run_over_its_limit_says_what_it_printed_and_what_it_was_doing(self):
        with tempfile.TemporaryDirectory() as place, contextlib.redirect_stdout(io.StringIO()) as shown:
            case = types.SimpleNamespace(place=pathlib.Path(place), hold=pathlib.Path(place) / "hold", tools={},
                                         how={"env": "", "ul": "", "stdin": ""}, limit_s=lambda key: LIMIT_S)
            run = case_test.Run(case, ["sh", "-c", "echo to stderr >&2; echo FINAL to stdout; exec tail -f /dev/null"], "hanging")
            self.assertIn("FINAL to stdout", run.next_line())
            with self.assertRaises(Failed) as failed:
                run.wait()
            self.assertRegex(str(failed.exception), f"not ended within {LIMIT_S} s: FINAL to stdout\nto stderr\n; see .*hang-")
            self.assertIn("tail -f /dev/null", shown.getvalue())
            self.assertIsNotNone(run.process.poll())


if __name__ == "__main__":
    unittest.main()
