"""The parts of the conformance tests that need neither a network nor MPI."""
import pathlib
import tempfile
import unittest

import mpi4py_tests
import obtain
import report
import run
import testlists
from mana_job import Job      # run.py has its folder in the path

STANZAS = """# the mirror
Types: deb
URIs: mirror://one/debian
Suites: name name-updates other
Components: main
Signed-By: /usr/share/keyrings/one.gpg

Types: deb
URIs: mirror://vendor
Suites: nodistro
Components: main

Enabled: no
Types: deb
URIs: mirror://off
Suites: name
Components: main
"""

LINES = """# comment
deb [signed-by=/usr/share/keyrings/one.gpg] mirror://one/debian name main contrib
deb-src mirror://one/debian name-security main
deb mirror://vendor stable main
"""


class Sources(unittest.TestCase):
    def test_stanzas_of_this_release_only(self):
        found = obtain.sources_of_stanzas(STANZAS, "name")
        self.assertEqual(len(found), 1)
        self.assertIn("types: deb-src\n", found[0])
        self.assertIn("suites: name name-updates\n", found[0])
        self.assertIn("signed-by: /usr/share/keyrings/one.gpg\n", found[0])

    def test_lines_of_this_release_only(self):
        self.assertEqual(obtain.sources_of_lines(LINES, "name"),
                         ["deb-src [signed-by=/usr/share/keyrings/one.gpg] mirror://one/debian name main contrib\n",
                          "deb-src mirror://one/debian name-security main\n"])

    def test_both_forms_of_one_configuration(self):
        with tempfile.TemporaryDirectory() as directory:
            etc, out = pathlib.Path(directory) / "etc", pathlib.Path(directory) / "out"
            (etc / "sources.list.d").mkdir(parents=True)
            (etc / "sources.list").write_text(LINES)
            (etc / "sources.list.d" / "a.sources").write_text(STANZAS)
            self.assertEqual(obtain.own_sources(etc, out, "name"), 3)
            self.assertEqual(obtain.own_sources(etc, out, "elsewhere"), 0)


class Lists(unittest.TestCase):
    def test_line(self):
        test = testlists.parse_line("pt2pt", "mprobe 2 arg=-a=1 env=X=2 timeLimit=7 xfail=t mem=6.5 strict=FALSE # why")
        self.assertEqual(test.name, "pt2pt/mprobe 2 -a=1 X=2")
        self.assertEqual((test.limit_s, test.memory_gb, test.strict), (7, 6.5, False))

    def test_lines_without_a_test(self):
        for line in ("", "# comment", "!dir:target"):
            self.assertIsNone(testlists.parse_line("pt2pt", line))

    def test_program_of_another_folder(self):
        self.assertEqual(testlists.parse_line("threads", "coll/iallred 3").name, "threads/coll/iallred 3")

    def test_unknown_word(self):
        with self.assertRaises(ValueError):
            testlists.parse_line("pt2pt", "mprobe 2 colour=red")


    def test_lists_of_a_folder(self):
        with tempfile.TemporaryDirectory() as directory:
            source, built = pathlib.Path(directory) / "source", pathlib.Path(directory) / "built"
            for root, name, text in ((source, "testlist", "below\none 2\nspawn\n"), (built, "testlist.dtp", "two 2\n"),
                                     (source, "below/testlist", "three 2\n"), (source, "spawn/testlist", "four 2\n")):
                (root / "a" / name).parent.mkdir(parents=True, exist_ok=True)
                (root / "a" / name).write_text(text)
            names = [test.name for test in testlists.read_folder(built, source, "a")]
        self.assertEqual(names, ["a/below/three 2", "a/one 2", "a/two 2"])

    def test_windows_of_fortran(self):
        with tempfile.TemporaryDirectory() as directory:
            source = pathlib.Path(directory)
            for folder, text in (("rma", "put 2\n"), ("f90/rma", "putf90 2\n"), ("f90/coll", "bcastf90 2\n")):
                (source / folder).mkdir(parents=True)
                (source / folder / "testlist").write_text(text)
            names = [test.name for test in testlists.tests(source, source) if test.category != "basic"]
        self.assertEqual(names, ["rma/put 2", "f90/rma/putf90 2"])


class Judgement(unittest.TestCase):
    plain = testlists.Test("attr", "attrt")

    def test_good(self):
        self.assertIsNone(testlists.judge(self.plain, 0, [" No Errors"]))

    def test_good_before_the_checkpoint(self):
        for words in " No Errors", " No errors":
            earlier = run.last_words(["mana: 2 ranks are saved", words])
            self.assertIsNone(testlists.judge(self.plain, 0, earlier + run.of_program([])))

    def test_bad(self):
        for status, lines in ((0, []), (1, [" No Errors"]), (0, [" No Errors", "wrong"]), (0, ["Found 3 errors"])):
            self.assertIsNotNone(testlists.judge(self.plain, status, lines))

    def test_status_alone(self):
        test = testlists.Test("basic", "simple", good_end=testlists.STATUS)
        self.assertIsNone(testlists.judge(test, 0, ["whatever it prints"]))
        self.assertIsNotNone(testlists.judge(test, 1, [" No Errors"]))

    def test_error_on_purpose(self):
        test = testlists.Test("errhan", "errfatal", good_end="TestErrFatal")
        self.assertIsNone(testlists.judge(test, 1, ["aborted"]))
        self.assertIsNotNone(testlists.judge(test, 0, []))


class Limit(unittest.TestCase):
    def outcome(self, **options):
        """That of a job that does not end, and the folders in which its processes are described."""
        with tempfile.TemporaryDirectory() as place:
            place = pathlib.Path(place)
            runner = run.Runner("mpich", "mana", None, place)
            outcome = runner.ended(None, Job(["sleep", "600"], place, place / "log", {}), 1.0, **options)
            return outcome["result"], len(list(place.glob("hang-*/process-*")))

    def test_what_hangs_under_mana_is_examined(self):
        self.assertEqual(self.outcome(), ("timeout", 1))

    def test_what_hangs_natively_is_not(self):
        self.assertEqual(self.outcome(natively=True), ("timeout", 0))


class Mpi4py(unittest.TestCase):
    def test_a_test_per_file_and_ranks(self):
        with tempfile.TemporaryDirectory() as directory:
            source = pathlib.Path(directory)
            (source / "test").mkdir()
            for name in ("test_comm.py", "test_spawn.py", "mpiunittest.py"):
                (source / "test" / name).touch()
            found = mpi4py_tests.tests(source)
        self.assertEqual([test.ranks for test in found], list(mpi4py_tests.RANKS))
        self.assertTrue(all(test.arguments[-1] == r"\btest_comm(\.py)?$" for test in found))

    def test_judgement(self):
        test = testlists.Test(".", "python3", 2)
        good = ["Ran 3 tests in 0.1s", "OK", "Ran 3 tests in 0.1s", "OK (skipped=1)"]
        self.assertIsNone(mpi4py_tests.judge(test, 0, good))
        for status, lines in ((1, good), (0, good[:2]), (0, [*good, "FAIL: testIncl"])):
            self.assertIsNotNone(mpi4py_tests.judge(test, status, lines))


class Report(unittest.TestCase):
    tests = {"a/one 2": {"category": "a", "native": {"result": "passed"}, "plain": {"result": "failed", "why": "MPI_X is refused"}},
             "a/two 2": {"category": "a", "native": {"result": "passed"}, "plain": {"result": "timeout", "why": "hangs"}},
             "a/three 2": {"category": "a", "native": {"result": "passed", "steady": False}, "plain": {"result": "unsteady"}},
             "a/four 2": {"category": "a", "native": {"result": "failed"}}}
    causes = [{"why": "MPI_X", "kind": "refused", "text": "X"}]

    def test_counts(self):
        self.assertIn("| a | 4 | 2 | 0 of 2 | – | – |", report.table(self.tests, report.Earlier("", "## x")))

    def test_each_difference_has_a_cause_or_is_unexplained(self):
        page = """
## X over Y

| category | tests | pass natively | one | two | three |
|---|---|---|---|---|---|
| a | 9 | 9 | 9 of 9 | 9 of 9 | 9 of 9 |
| b/c † | 5 | 4 | 3 of 4 | 2 of 2 (1 missed) | – |
| **all** | 14 | 13 | 12 of 13 | 11 of 11 (1 missed) | 9 of 9 |

† **Why (open).** 2 tests:

`a/one`, `b/two` ×2

Natively these pass only at times, and do not count: `b/three 2`.
"""
        earlier = report.Earlier(page, "## X over Y").without({"a/one 2": {"category": "a"}})
        self.assertEqual(earlier.rows, {"b/c": ["5", "4", "3 of 4", "2 of 2 (1 missed)", "–"]})
        lines = report.table(self.tests, earlier)
        self.assertIn("| b/c † | 5 | 4 | 3 of 4 | 2 of 2 (1 missed) | – |", lines)
        self.assertIn("| **all** | 9 | 6 | 3 of 6 | 2 of 2 (1 missed) | – |", lines)
        self.assertEqual(earlier.causes, {})
        self.assertEqual(report.Earlier(page, "## X over Y").causes, {"Why (open).": ["`a/one`", "`b/two` ×2"]})
        self.assertEqual(report.not_run({"a/five 2": {"category": "a"}, **self.tests}),
                         ["1 of these tests were not run: time was short.", ""])
        found, said = report.differences(self.tests, "mpich", self.causes)
        self.assertEqual(found, {"X (refused).": {"a/one 2": ["plain"]}, report.UNEXPLAINED: {"a/two 2": ["plain"]}})
        self.assertEqual(said, {("a/two 2", "plain"): "timeout: hangs"})


if __name__ == "__main__":
    unittest.main()
