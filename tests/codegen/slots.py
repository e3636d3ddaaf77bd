"""slots.lock: what it lacks stops the build, what is new comes behind all else."""
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

CODEGEN = pathlib.Path(__file__).resolve().parents[2] / "codegen"
sys.path.insert(0, str(CODEGEN))
import model  # noqa: E402
import slots  # noqa: E402

LOCK = "# a remark\nminor 0\nMPI_Send\nMPI_Barrier\n"


def functions(*names):
    return [types.SimpleNamespace(name=name, slot=True) for name in sorted(names)]


class Slots(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.lock = pathlib.Path(self.folder.name) / "slots.lock"
        self.lock.write_text(LOCK)

    def fault(self, words, call):
        with self.assertRaises(model.DescriptionError) as caught:
            call()
        self.assertIn(words, str(caught.exception))

    def test_the_order_is_that_of_the_file(self):
        found = slots.in_order(functions("MPI_Barrier", "MPI_Send"), slots.read(self.lock))
        self.assertEqual([f.name for f in found], ["MPI_Send", "MPI_Barrier"])

    def test_a_function_without_a_slot_stops_the_build(self):
        self.fault("lacks MPI_Bcast: run generate.py --append",
                   lambda: slots.in_order(functions("MPI_Barrier", "MPI_Bcast", "MPI_Send"), slots.read(self.lock)))

    def test_a_slot_without_a_function_stops_the_build(self):
        self.fault("has MPI_Send", lambda: slots.in_order(functions("MPI_Barrier"), slots.read(self.lock)))

    def test_new_ones_come_last(self):
        added = slots.append(self.lock, functions("MPI_Allreduce", "MPI_Barrier", "MPI_Send"), 1)
        self.assertEqual(added, ["MPI_Allreduce"])
        self.assertEqual(self.lock.read_text(), LOCK + "minor 1\nMPI_Allreduce\n")
        self.assertEqual(slots.counts(slots.read(self.lock)), [(0, 2), (1, 3)])

    def test_more_of_the_same_minor(self):
        slots.append(self.lock, functions("MPI_Allreduce", "MPI_Barrier", "MPI_Send"), 1)
        slots.append(self.lock, functions("MPI_Allreduce", "MPI_Barrier", "MPI_Bcast", "MPI_Send"), None)
        self.assertEqual(self.lock.read_text(), LOCK + "minor 1\nMPI_Allreduce\nMPI_Bcast\n")

    def test_nothing_new_changes_nothing(self):
        self.assertEqual(slots.append(self.lock, functions("MPI_Barrier", "MPI_Send"), 1), [])
        self.assertEqual(self.lock.read_text(), LOCK)

    def test_an_older_minor_gets_no_more(self):
        slots.append(self.lock, functions("MPI_Allreduce", "MPI_Barrier", "MPI_Send"), 1)
        self.fault("minor 1 already", lambda: slots.append(self.lock, functions("MPI_Bcast"), 0))

    def test_malformed_files(self):
        for text, words in (("MPI_Send\n", "nor a function of one"), (LOCK + "MPI_Send\n", "has a slot already"),
                            (LOCK + "minor 0\n", "above those before"), (LOCK + "minor x\n", "above those before"),
                            (LOCK + "MPI_A MPI_B\n", "nor a function of one")):
            self.lock.write_text(text)
            self.fault(words, lambda: slots.read(self.lock))

    def test_the_command_refuses_a_lock_that_lacks_one(self):
        short = "\n".join(slots.LOCK.read_text().splitlines()[:-1]) + "\n"
        self.lock.write_text(short)
        made = subprocess.run([sys.executable, CODEGEN / "generate.py", self.folder.name, "--lock", self.lock],
                              capture_output=True, text=True)
        self.assertEqual(made.returncode, 1)
        self.assertIn("slots.lock lacks", made.stderr)
        subprocess.run([sys.executable, CODEGEN / "generate.py", "--append", "--lock", self.lock], check=True, capture_output=True)
        self.assertEqual(self.lock.read_text(), slots.LOCK.read_text())


unittest.main()
