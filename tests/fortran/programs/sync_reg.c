// MPI_F_sync_reg, which does nothing: MPICH 5.0.2's module mpi_f08 declares it, and its library lacks it.
void mpi_f_sync_reg_(void* buffer);
void mpi_f_sync_reg_(void* buffer) { (void)buffer; }
