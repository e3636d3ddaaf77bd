"""check.py lets a later minor append, and nothing else."""
import unittest

import check

FROZEN = """major 8
image format 2
minors
  0 services 16 bridge 16
thread_block 32 bytes
  self 0 8
  spare 8 24
services 16 bytes
  head 0 8
  attach 8 8
context 8 bytes
  rbx 0 8
mpi_slots
  MPI_Barrier
  MPI_Bcast
"""
NEXT = FROZEN.replace("bridge 16\n", "bridge 16\n  1 services 24 bridge 16\n")


class Check(unittest.TestCase):
    def refused(self, words, now):
        self.assertIn(words, check.fault(FROZEN, now))

    def accepted(self, now):
        self.assertEqual(check.fault(FROZEN, now), "")

    def test_the_same(self):
        self.accepted(FROZEN)

    def test_a_service_is_appended(self):
        self.accepted(NEXT.replace("services 16 bytes", "services 24 bytes").replace("attach 8 8\n", "attach 8 8\n  more 16 8\n"))

    def test_a_slot_is_appended(self):
        self.accepted(NEXT + "  MPI_Alltoall\n")

    def test_a_minor_alone(self):
        self.accepted(NEXT)

    def test_a_spare_word_gets_a_name(self):
        self.accepted(NEXT.replace("  spare 8 24\n", "  news 8 8\n  spare 16 16\n"))

    def test_appended_without_a_minor(self):
        self.refused("a minor of its own", FROZEN + "  MPI_Alltoall\n")

    def test_a_slot_is_moved(self):
        self.refused("mpi_slots", NEXT.replace("  MPI_Barrier\n  MPI_Bcast\n", "  MPI_Bcast\n  MPI_Barrier\n"))

    def test_a_slot_is_removed(self):
        self.refused("mpi_slots", NEXT.replace("  MPI_Barrier\n", ""))

    def test_the_last_slot_is_removed(self):
        self.refused("mpi_slots", NEXT.replace("  MPI_Bcast\n", ""))

    def test_a_slot_before_others(self):
        self.refused("mpi_slots", NEXT.replace("  MPI_Bcast\n", "  MPI_Allreduce\n  MPI_Bcast\n"))

    def test_a_service_is_moved(self):
        self.refused("services", NEXT.replace("attach 8 8", "attach 16 8"))

    def test_an_old_minor_says_something_else(self):
        self.refused("minors", NEXT.replace("0 services 16", "0 services 8"))

    def test_a_thread_block_grows(self):
        self.refused("thread_block", NEXT.replace("thread_block 32", "thread_block 40"))

    def test_registers_grow(self):
        self.refused("context", NEXT.replace("context 8 bytes\n  rbx 0 8\n", "context 16 bytes\n  rbx 0 8\n  rcx 8 8\n"))

    def test_a_struct_goes(self):
        self.refused("context", NEXT.replace("context 8 bytes\n  rbx 0 8\n", ""))

    def test_another_major(self):
        self.refused("frozen anew", FROZEN.replace("major 8", "major 9"))


unittest.main()
