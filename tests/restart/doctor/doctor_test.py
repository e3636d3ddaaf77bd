"""mana doctor: programs that will not work, that may not, and a good one, each compiled here by the MPI's own compiler."""
import json
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts" / "support"))
from workplace import main  # noqa: E402

WORKS, USAGE, NOT_FOUND, SANITIZED, WILL_NOT = 0, 64, 65, 72, 97
SCHEMA = 1
MACHINE = {"kernel", "seccomp", "fsgsbase", "ptrace", "open-files", "addresses", "overcommit", "proc", "directory", "live-mpi"}
PROGRAM = {"program", "sanitizer", "mpi", "libraries", "rights", "stack", "mpi-calls", "calls"}
BEGIN = "#include <mpi.h>\n#include <stdlib.h>\nint main(int argc, char** argv) {\n  MPI_Init(&argc, &argv);\n  "
END = "\n  return MPI_Finalize();\n}\n"


class Tests:
    def __init__(self, place):
        self.place, self.mpi, self.mana, self.directory = place, place.mpi, place.command, place.directory

    def make(self, name, text, *words, language="c", compiler=None):
        """Compiles a program. False if that fails."""
        source = self.directory / f"{name}.{language}"
        source.write_text(text)
        compiler = compiler or [f"mpi{'cxx' if language == 'cpp' else 'cc'}.{self.mpi}"]
        done = subprocess.run([*compiler, "-o", name, source.name, *words], cwd=self.directory, capture_output=True, text=True)
        if done.returncode != 0:
            print(f"{name} cannot be made here: {done.stderr.strip().splitlines()[-1:]}")
        return done.returncode == 0

    def run(self, *words, ranks=0):
        done = self.place.ended(*words, ranks=ranks)
        return done.status, done.output + done.errors

    def require(self, holds, what, said):
        self.place.check(what, holds, said)

    def expect(self, status, check, verdict, text, *words, before=()):
        """One finding has this check, this verdict and this text."""
        got, said = self.run(*before, self.mana, "doctor", *words)
        found = any(line.startswith(f"{verdict:<13}  {check:<12}  ") and text in line for line in said.splitlines())
        self.require(got == status and found, f"doctor {words}: status {got} instead of {status}, or no {verdict} of {check} "
                     f"with {text!r}", said)

    def good(self):
        self.make("good", BEGIN + "MPI_Barrier(MPI_COMM_WORLD);" + END)
        got, said = self.run(self.mana, "doctor", "./good")
        self.require(got == WORKS and "will not work" not in said and f"{'ok':<13}  mpi  " in said, "a good program", said)
        got, said = self.run(self.mana, "doctor", "--json", "./good", "--its-own")
        document = json.loads(said)
        checks = {finding["check"] for finding in document["findings"]}
        self.require(got == WORKS and document["schema"] == SCHEMA and document["works"] is True and
                     document["command"] == ["./good", "--its-own"] and checks == MACHINE | PROGRAM, "its JSON", said)
        got, said = self.run(self.mana, "doctor", "--json")
        self.require(got == WORKS and {f["check"] for f in json.loads(said)["findings"]} == MACHINE, "no program", said)
        self.require(not (self.directory / "mana-ckpt").exists(), "nothing is written", "mana-ckpt is there")

    def programs(self):
        if self.make("static", "int main(void) { return 0; }\n", "-static", compiler=["cc"]):
            self.expect(WILL_NOT, "program", "will not work", "statically linked", "./static")
        self.expect(WILL_NOT, "program", "will not work", "no such file", "./none")
        if self.make("plain", "int main(void) { return 0; }\n", compiler=["cc"]):
            self.expect(WORKS, "mpi", "ok", "without MPI", "./plain")
            self.expect(WORKS, "mpi", "ok", {"mpich": "MPICH", "openmpi": "Open MPI"}[self.mpi], "--mpi", self.mpi, "./plain")
        if self.make("setuid", BEGIN + END):
            (self.directory / "setuid").chmod(0o4755)
            self.expect(WORKS, "rights", "warning", "setuid", "./setuid")
        if self.make("stack", BEGIN + END, "-Wl,-z,execstack"):
            self.expect(WORKS, "stack", "ok", "is executable", "./stack")

    def sanitizers(self):
        text = "#include <mpi.h>\n" + BEGIN + "argc += argc;" + END
        for name, words, said in (("asan", ["-fsanitize=address"], "AddressSanitizer"),
                                  ("asan_within", ["-fsanitize=address", "-static-libasan"], "AddressSanitizer"),
                                  ("tsan", ["-fsanitize=thread"], "ThreadSanitizer"),
                                  ("ubsan", ["-fsanitize=undefined"], "UndefinedBehaviorSanitizer")):
            if not self.make(name, text, *words, language="cpp"):
                continue
            self.expect(WILL_NOT, "sanitizer", "will not work", said, f"./{name}")
            got, output = self.run(self.mana, "run", "--ckpt-dir", "c", "--", f"./{name}", ranks=1)
            self.require(got == SANITIZED and said in output, f"mana run ./{name}: status {got}", output)
        if self.make("trapping", text, "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", language="cpp"):
            self.expect(WORKS, "sanitizer", "ok", "without", "./trapping")

    def libraries(self):
        made = self.make("libgone.so", "#include <mpi.h>\nint gone(void) { MPI_File f; return PMPI_File_open(MPI_COMM_SELF, \"f\", "
                         "MPI_MODE_RDONLY, MPI_INFO_NULL, &f); }\n", "-shared", "-fPIC")
        if not made or not self.make("needs", "int gone(void);\n" + BEGIN + "gone();" + END, "-L.", "-lgone", "-Wl,-rpath,$ORIGIN"):
            return
        self.expect(WORKS, "mpi-calls", "warning", "MPI_File_open", "./needs")
        (self.directory / "libgone.so").unlink()
        self.expect(WILL_NOT, "libraries", "will not work", "libgone.so", "./needs")

    def calls(self):
        opens = "MPI_File f; MPI_File_open(MPI_COMM_SELF, \"f\", MPI_MODE_RDONLY, MPI_INFO_NULL, &f); system(\"true\");"
        if self.make("calls", BEGIN + opens + END):
            self.expect(WORKS, "mpi-calls", "warning", "MPI_File_open (MPI-IO", "./calls")
            self.expect(WORKS, "calls", "warning", "uses system", "./calls")
        fortran = f"mpifort.{self.mpi}"
        text = ("      program p\n      include 'mpif.h'\n      integer f, e\n      call MPI_Init(e)\n"
                "      call MPI_File_sync(f, e)\n      end\n")
        if shutil.which(fortran) and self.make("sync", text, language="f", compiler=[fortran]):
            self.expect(WORKS, "mpi-calls", "warning", "MPI_File_sync", "./sync")

    def machine(self):
        (self.directory / "file").write_text("")
        self.expect(WILL_NOT, "directory", "will not work", "is not a directory", "--ckpt-dir", "file/x")
        self.expect(WILL_NOT, "directory", "will not work", "/proc", "--ckpt-dir", "/proc/x")
        self.expect(WORKS, "open-files", "warning", "100 open files", before=["sh", "-c", "ulimit -n 100; exec \"$@\"", "sh"])
        self.expect(WORKS, "addresses", "warning", "limited", before=["sh", "-c", "ulimit -v 8000000; exec \"$@\"", "sh"])
        older = ["setarch", "--addr-compat-layout"]
        if shutil.which("setarch"):
            self.expect(WORKS, "addresses", "ok", "older layout", before=older)
            got, said = self.run(*older, self.mana, "run", "--ckpt-dir", "c", "--", "./good", ranks=1)
            self.require(got == 0, f"mana run with the older layout: status {got}", said)
        got, said = self.run(self.mana, "doctor", "--nonsense")
        self.require(got == USAGE, f"an unknown option: status {got}", said)


def all_parts(place, _):
    tests = Tests(place)
    for part in (tests.good, tests.programs, tests.sanitizers, tests.libraries, tests.calls, tests.machine):
        part()


if __name__ == "__main__":
    sys.exit(main(__doc__, "doctor", all_parts))
