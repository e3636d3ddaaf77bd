! The same in Fortran, whose library has buffers of its own.
program words
  use mpi
  implicit none
  character(len=16) :: how
  integer :: error
  call get_command_argument(1, how)
  call MPI_Init(error)
  open(unit=10, file='notes')
  write(10, '(a)', advance='no') 'notes of Fortran'
  write(*, '(a)') 'words of Fortran'
  if (how == 'abort') call MPI_Abort(MPI_COMM_WORLD, 3, error)
  if (how == 'assert') call abort
  if (how == 'stop') stop 7
  call MPI_Finalize(error)
end program
