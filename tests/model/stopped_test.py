"""mana-clock-check, stopped in a run of hours by SIGINT or SIGTERM: it says what it has found, and does not succeed.

    stopped_test.py mana-clock-check
"""
import signal
import subprocess
import sys
import unittest

LONG = ["--family", "4,4,12", "--ops", "sbre"]


class Stopped(unittest.TestCase):
    def stop(self, number, words, listens_to):
        """(exit status, output) of a process that is sent the signal as soon as it has said something"""
        process = subprocess.Popen([sys.argv[1], *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        getattr(process, listens_to).readline()
        process.send_signal(number)
        output, _ = process.communicate()
        return process.returncode, output

    def test_totals_are_printed(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            status, output = self.stop(number, [*LONG, "--progress", "0"], "stderr")
            self.assertEqual(status, 128 + number)
            self.assertRegex(output, r"needs +4,4,12 sbre +l +\d+ +\d+ .* clean, stopped\n")

    def test_mutants_so_far_are_counted(self):
        status, output = self.stop(signal.SIGTERM, ["--mutants"], "stdout")
        self.assertEqual(status, 128 + signal.SIGTERM)
        self.assertRegex(output, r"\d+ mutants: \d+ killed, \d+ equivalent, 0 alive, stopped\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
