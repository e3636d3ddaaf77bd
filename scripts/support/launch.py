"""Runs an MPI program without mana, as tests do: launch.py MPI RANKS PROGRAM [ARGUMENT…]. Its exit status is that of mpirun."""
import subprocess
import sys

from mana_job import mpi_environment, mpirun

mpi, ranks, *words = sys.argv[1:]
sys.exit(subprocess.run([*mpirun(mpi, int(ranks)), *words], env=mpi_environment(), check=False).returncode)
