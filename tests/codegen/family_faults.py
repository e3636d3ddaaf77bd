"""Faults of a family.toml are found and named, with its file: each case is a copy of a real one with one fault."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
REAL = ROOT / "mpis" / "openmpi"


class OneFamily(unittest.TestCase):
    def generated(self, facts):
        """Of a folder `toy` outside the tree: what the generator said, and whether it wrote anything."""
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch) / "toy"
            shutil.copytree(REAL, folder)
            (folder / "family.toml").write_text(facts)
            made = subprocess.run([sys.executable, ROOT / "codegen" / "generate.py", f"{scratch}/out", "--family", folder],
                                  capture_output=True, text=True)
            return made.returncode, made.stderr, pathlib.Path(scratch, "out").exists(), folder / "family.toml"

    def fault(self, words, facts):
        status, text, written, file = self.generated(facts)
        self.assertEqual((status, written), (1, False), text)
        self.assertIn(f"codegen: {file}: {words}", text)

    def facts(self, more):
        text = (REAL / "family.toml").read_text()
        return text[:text.index("[lacks]")] + more

    def test_what_it_lacks_is_described(self):
        self.assertEqual(self.generated(self.facts('[lacks]\nMPI_Bcast = "none"\n"MPI_Type_.*" = "none"\n'))[0], 0)

    def test_a_name_that_is_misspelled(self):
        self.fault("[lacks] MPI_Bacst: no function of codegen/api has this name", self.facts('[lacks]\nMPI_Bacst = "none"\n'))

    def test_a_pattern_that_fits_nothing(self):
        self.fault("[lacks] MPI_Tpye_.*: no function", self.facts('[lacks]\n"MPI_Tpye_.*" = "none"\n'))

    def test_what_is_no_pattern(self):
        self.fault("[lacks] MPI_(: this is no pattern", self.facts('[lacks]\n"MPI_(" = "none"\n'))

    def test_a_pattern_of_sonames_without_a_star(self):
        self.fault("soname_patterns: libx.so.1: a pattern has one *", 'soname_patterns = ["libx.so.1"]\n' + self.facts(""))

    def test_functions_as_a_family_that_there_is_not(self):
        self.fault("functions_as openmip: there is no such family", 'functions_as = "openmip"\n' + self.facts(""))


unittest.main()
