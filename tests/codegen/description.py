"""Faults of a description are found and named: each case is a small description with one fault."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "codegen"))
import model  # noqa: E402

KINDS = '[default]\nc = "int"\ntag = "integer"\n[COMMUNICATOR]\nc = "MPI_Comm"\ntag = "comm"\nhandle = true\n[ERROR_CODE]\nc = "int"\ntag = "integer"\n'
TOY = '[MPI_Toy]\nsource = "none"\nparams = ["comm: COMMUNICATOR in", "n: NUMBER in"]\nin = ["mpich"]\n'


class Description(unittest.TestCase):
    def load(self, api=TOY, policy='MPI_Toy = { shape = "collective" }\n'):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "api").mkdir()
            (root / "api" / "toy.toml").write_text(api)
            (root / "kinds.toml").write_text(KINDS)
            (root / "policy.toml").write_text(policy)
            return model.load(root / "api", root / "kinds.toml", root / "policy.toml")

    def fault(self, words, **files):
        with self.assertRaises(model.DescriptionError) as caught:
            self.load(**files)
        self.assertIn(words, str(caught.exception))

    def test_a_toy_is_what_it_says(self):
        toy, = self.load()
        self.assertEqual(toy.signature, "int MPI_Toy(MPI_Comm comm, int n)")
        self.assertEqual(toy.neutral_types, "real<kind::comm>, int")
        self.assertEqual(toy.call, "mana::object::finish(mana::interposed<mana::fn::toy>(comm, n))")

    def test_a_qualifier_that_versions_of_an_mpi_h_differ_in(self):
        """Only the mpi.h of a compilation says it; an mpi.h of our own, and the boundary, have the standard's."""
        for params in ('params = ["comm: COMMUNICATOR in", "n: NUMBER in const? [*]"]', 'c_params = ["MPI_Comm comm", "const? int n[]"]'):
            toy, = self.load(api=f'[MPI_Toy]\nsource = "none"\n{params}\nin = ["mpich"]\n')
            self.assertEqual(toy.signature, "int MPI_Toy(MPI_Comm comm, mana::call::declared_array<decltype(MPI_Toy), 1, int> n)")
            self.assertEqual(toy.declared_list, "MPI_Comm comm, const int* n")
        toy, = self.load(api=TOY.replace("n: NUMBER in", "n: NUMBER in const? [*]"))
        self.assertEqual(toy.neutral_types, "real<kind::comm>, const int*")

    def test_no_policy(self):
        self.fault("toy.toml: MPI_Toy: no policy", policy="")

    def test_policy_of_nothing(self):
        self.fault("MPI_Other: no such function", policy='MPI_Toy = { shape = "manual" }\nMPI_Other = { shape = "manual" }\n')

    def test_unknown_shape(self):
        self.fault("is none of", policy='MPI_Toy = { shape = "round" }\n')

    def test_refused_without_a_reason(self):
        self.fault("`why`", policy='MPI_Toy = { shape = "refuse" }\n')

    def test_malformed_parameter(self):
        self.fault("is not \"name: KIND direction", api=TOY.replace("n: NUMBER in", "n NUMBER"))

    def test_an_extension_of_a_family_that_there_is_not(self):
        for key in ("in", "mpix_in", "no_pmpi"):
            self.fault(f"toy.toml: MPI_Toy: {key}: there is no family mpihc", api=TOY.replace("in = [", f'{key} = ["mpihc", ', 1))

    def test_the_real_description(self):
        functions = model.load()
        self.assertGreaterEqual(sum("mpich" in f.libraries for f in functions), 624)
        self.assertGreaterEqual(sum("openmpi" in f.libraries for f in functions), 400)
        for f in functions:
            self.assertTrue(f.source, f.name)


unittest.main()
