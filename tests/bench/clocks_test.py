"""What bench/clocks.py makes of the numbers: no MPI, nothing is timed."""
import copy
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True      # the source tree stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import clocks  # noqa: E402

RESULTS = {
    "schema": 1, "rounds": 3, "policies": ["needs", "two_phase"],
    "settings": [{
        "mpi": "mpich", "ranks": 2,
        "blocking": [{"call": "Bcast", "bytes": 4, "ns": {"native": [100, 110, 90], "needs": [101, 300, 50],
                                                          "two_phase": [220, 230, 210]}}],
        "nonblocking": [{"call": "Ibarrier", "bytes": 0, "ns": {"native": [[100, 100, 150]], "needs": [[110, 100, 100]],
                                                                "two_phase": "refused"}}],
        "moments": [{"moment": "entered", "seconds": {"needs": [0.002, 0.004, 0.003], "two_phase": ["given up"]}}],
    }],
}


class Overlap(unittest.TestCase):
    def test_is_the_share_that_computing_hides(self):
        self.assertEqual(clocks.overlap(100, 100, 100), 100)
        self.assertEqual(clocks.overlap(100, 100, 200), 0)
        self.assertEqual(clocks.overlap(100, 100, 150), 50)

    def test_stays_between_none_and_all(self):
        self.assertEqual(clocks.overlap(100, 100, 90), 100)
        self.assertEqual(clocks.overlap(100, 100, 300), 0)


class Reading(unittest.TestCase):
    def test_lines_of_the_program(self):
        self.assertEqual(clocks.parse_blocking("Bcast 4 100.50\nBarrier 0 7\n"),
                         {("Bcast", 4): 100.5, ("Barrier", 0): 7})
        self.assertEqual(clocks.parse_nonblocking("Ibcast 4 1 2 3\nIbarrier 0 refused\n"),
                         {("Ibcast", 4): [1, 2, 3], ("Ibarrier", 0): "refused"})

    def test_every_round_begins_with_another(self):
        self.assertEqual([clocks.in_turn(["native", "a", "b"], n)[0] for n in range(4)], ["native", "a", "b", "native"])


class Table(unittest.TestCase):
    def test_medians_in_percent_of_native(self):
        text = clocks.markdown(RESULTS)
        self.assertIn("### mpich, 2 ranks", text)
        self.assertIn("| Bcast 4 B | 0.10 | +1.0 % | +120.0 % |", text)

    def test_refused_and_given_up_are_said(self):
        text = clocks.markdown(RESULTS)
        self.assertIn("| Ibarrier | 50 % | 0.10 | 100 %; +10.0 % | refused |", text)
        self.assertIn("| 3.00 ms (longest 4.00) | 1 of 1 given up |", text)

    def test_refused_in_one_round_is_refused(self):
        self.assertEqual(clocks.overlap_cell(clocks.REFUSED), "refused")

    def test_a_policy_more_is_a_column_more(self):
        results = copy.deepcopy(RESULTS)
        results["policies"].append("third")
        for row in results["settings"][0]["blocking"] + results["settings"][0]["nonblocking"]:
            row["ns"]["third"] = row["ns"]["native"]
        results["settings"][0]["moments"][0]["seconds"]["third"] = [2.5]
        text = clocks.markdown(results)
        self.assertIn("| needs | two_phase | third |", text)
        self.assertIn("| 2.50 s |", text)
        self.assertIn("third", clocks.chart(results))


if __name__ == "__main__":
    unittest.main()
