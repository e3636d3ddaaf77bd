"""Bad input: each case must end with its documented exit status and words that name cause and remedy; nothing is lost."""
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "support"))
from mana_job import mpirun  # noqa: E402
from workplace import main  # noqa: E402


class Cases:
    def __init__(self, place):
        self.place, self.build, self.mpi = place, place.build, place.mpi
        self.mana, self.directory = place.command, place.directory
        self.program, self.other_program = place.program("stress"), place.program("ops")

    def expect(self, name, status, text, *words, ranks=2, launcher=True):
        """mpirun passes a rank's status on."""
        done = self.place.ended(*words, ranks=ranks if launcher else 0)
        output = done.output + done.errors
        self.place.check(f"{name}: status {status}", done.status == status and text in output,
                         f"status {done.status}, or no {text!r} in:\n{output}")

    def run(self, name, *arguments, program=None):
        return self.place.run(program or self.program, *arguments, ckpt=name)

    def checkpoint(self, name, program=None):
        """A job is checkpointed and stopped. Returns the generation."""
        self.place.stop(self.run(name, "2000", "5", program=program), ckpt=name)
        return max((self.directory / name).glob("gen-*"))

    def programs(self):
        run = (self.mana, "run", "--ckpt-dir", "c", "--")
        (self.directory / "text").write_text("no program")
        os.chmod(self.directory / "text", 0o755)
        (self.directory / "not-executable").write_text("#!/bin/sh\n")
        (self.directory / "directory").mkdir()
        elf = bytearray(pathlib.Path(self.program).read_bytes())
        elf[18] = 0xb7                                                    # e_machine: AArch64
        (self.directory / "foreign").write_bytes(elf)
        os.chmod(self.directory / "foreign", 0o755)
        self.expect("not found", 65, "no such file", *run, "./nowhere")
        self.expect("not executable", 66, "not-executable", *run, "./not-executable")
        self.expect("a directory", 66, "directory", *run, "./directory")
        self.expect("not ELF", 67, "text", *run, "./text")
        self.expect("other architecture", 68, "AArch64", *run, "./foreign")
        static = self.directory / "static"
        source = self.directory / "static.c"
        source.write_text("int main(void) { return 0; }\n")
        if subprocess.run(["cc", "-static", source, "-o", static], check=False).returncode == 0:
            self.expect("statically linked", 69, "static", *run, "./static")
        self.expect("unknown option", 64, "--nonsense", self.mana, "run", "--nonsense", "x", "--", self.program)
        self.expect("unwritable directory", 75, "/proc/none", self.mana, "run", "--ckpt-dir", "/proc/none", "--", self.program)
        trace = (self.mana, "run", "--clock-trace")
        self.expect("unwritable directory of traces", 75, "/proc/none", *trace, "/proc/none", "--", self.program)
        self.expect("a file in place of that directory", 75, "text", *trace, "text", "--", self.program)
        self.expect("a kernel without seccomp", 74, "seccomp", str(self.build / "tests" / "restart" / "without_seccomp"), *run,
                    self.program, "3", launcher=False)
        errors = self.build / "tests" / "mpi" / "programs" / f"errors_{self.mpi}"
        self.expect("a refused function where errors return", 0, "rank 1: MPI_File_open is refused: ", *run, errors, "1", "0")
        self.expect("a single rank without mpirun", 0, "checksum", *run, self.program, "3", launcher=False)

    def one_rank(self):
        """The others wait for it in the start of MPI: its job ends, says why, and with its status."""
        for rank in ("0", "1"):
            def alone(*words, rank=rank):
                return ("sh", "-c", 'if [ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = ' + rank + ' ]; then exec "$@"; fi; exec '
                        f'{self.mana} run --ckpt-dir c -- {self.program} 3', "sh", *words)
            self.expect(f"rank {rank} of 3 alone has no program", 65, "./nowhere: no such file",
                        *alone(self.mana, "run", "--ckpt-dir", "c", "--", "./nowhere"), ranks=3)
            lower = self.build / "libexec" / "mana" / f"mana-lower-{self.mpi}"
            self.expect(f"rank {rank} of 3 alone is started wrongly", 64, "a part of mana", *alone(lower, "--nonsense"), ranks=3)

    def jobs(self):
        self.expect("no such job", 90, "no such job", self.mana, "checkpoint", "--ckpt-dir", "nothing", launcher=False)
        self.expect("no such job (status)", 90, "no such job", self.mana, "status", "--ckpt-dir", "nothing", launcher=False)
        self.run("killed", "2000", "5").kill()
        self.expect("a job that was killed", 92, "has ended", self.mana, "checkpoint", "--ckpt-dir", "killed", launcher=False)
        if os.geteuid() == 0:
            os.chown(self.directory / "killed" / "job.json", 65534, 65534)
            self.expect("another user's job", 91, "another user", self.mana, "checkpoint", "--ckpt-dir", "killed", launcher=False)

    def restarts(self):
        generation = self.checkpoint("good")
        image = generation / "rank-00001.mana"
        bytes_ = image.read_bytes()
        self.expect("wrong number of ranks", 82, "the checkpoint has 2 ranks", self.mana, "restart", "good", ranks=3)
        self.expect("no checkpoint", 80, "no complete checkpoint", self.mana, "restart", "c")
        self.expect("no directory", 80, "no such directory", self.mana, "restart", "nowhere")
        image.rename(generation / "away")
        self.expect("an image is missing", 80, "rank-00001.mana", self.mana, "restart", "good")
        image.write_bytes(bytes_[:len(bytes_) // 2])
        self.expect("an image is truncated", 81, "were written", self.mana, "restart", "good")
        self.expect("verify finds it", 81, "rank-00001.mana", self.mana, "verify", "good", launcher=False)
        flipped = bytearray(bytes_)
        flipped[len(bytes_) // 3] ^= 4
        image.write_bytes(flipped)
        self.expect("a flipped bit", 81, "damaged", self.mana, "restart", "good")
        image.write_bytes(bytes_)
        self.expect("one that failed before", 81, "a restart from it failed", self.mana, "restart", "good")
        (generation / "failed").unlink()
        other = self.directory / "other"
        shutil.copytree(self.directory / "good", other)
        manifest = other / generation.name / "manifest.json"
        manifest.write_text(manifest.read_text().replace('"ranks": 2', '"ranks": 3'))
        self.expect("a damaged manifest", 81, "manifest", self.mana, "restart", "other")
        self.expect("an MPI that is not installed", 73, "no live MPI nowhere", self.mana, "restart", "good", "--mpi", "nowhere")
        self.expect("no MPI", 71, "is a checkpoint of an MPI program", self.mana, "restart", "good", "--mpi", "none")
        own = self.directory / "program"
        shutil.copy(self.program, own)
        self.checkpoint("changed", own)
        shutil.copy(self.other_program, own)
        self.expect("another program", 83, "a different build", self.mana, "restart", "changed")
        own.write_bytes(b"")
        self.expect("no program in its place", 83, "a different build", self.mana, "restart", "changed")
        link = self.directory / "link"
        link.symlink_to(self.program)
        self.checkpoint("linked", link)
        link.unlink()
        link.symlink_to(self.other_program)
        self.expect("a link that leads to another program now", 0, "checksum", self.mana, "restart", "linked")
        own.unlink()
        own.mkdir()
        self.expect("what the system refuses to read", 85, str(own), self.mana, "restart", "changed")
        self.expect("and the good one still restarts", 0, "checksum", self.mana, "restart", "good", "--interval", "1000")

    def full_directory(self):
        """The program runs on; the checkpoint before stands."""
        job = self.run("full", "300", "10")
        self.place.checkpoint(ckpt="full")
        (self.directory / "full").rename(self.directory / "away")
        (self.directory / "full").write_text("a file in the way: also root cannot make a directory in it")
        self.expect("a checkpoint that cannot be written", 94, "full", self.mana, "checkpoint", "--job", "away/job.json", launcher=False)
        (self.directory / "full").unlink()
        (self.directory / "away").rename(self.directory / "full")
        self.place.check("the program runs on", any(line.startswith("checksum") for line in job.end()))
        self.expect("the checkpoint before stands", 0, "ok", self.mana, "verify", "full/gen-000001", launcher=False)


def tell(place, _):
    cases = Cases(place)
    for part in (cases.programs, cases.one_rank, cases.jobs, cases.restarts, cases.full_directory):
        part()


if __name__ == "__main__":
    sys.exit(main(__doc__, "bad-input", tell))
