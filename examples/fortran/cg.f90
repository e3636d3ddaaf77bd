! Conjugate gradients, `use mpi_f08` and OpenMP: the smallest eigenvalue of a sparse matrix by inverse iteration, as in CG
! of the NAS benchmarks. Two threads exchange the borders at once, each on a communicator of its own
! (MPI_THREAD_MULTIPLE). Sums are made in a fixed order, so that the result is the same in every run with as many ranks.
module matrix
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: real64, int64
  implicit none
  integer, parameter :: nx = 24, ny = 24, nz = 10       ! a rank's part: slabs of a box
  real(real64), parameter :: shift = 0.01_real64
  type(MPI_Comm) :: upwards, downwards, sums
  integer :: rank, ranks, below, above
contains
  ! y = A x. The planes 0 and nz + 1 of x are the neighbours', and are fetched here.
  subroutine multiply(x, y)
    real(real64), intent(inout) :: x(:, :, 0:)
    real(real64), intent(out) :: y(:, :, :)
    integer :: i, j, k
    !$omp parallel sections num_threads(2)
    call MPI_Sendrecv(x(:, :, nz), nx * ny, MPI_REAL8, above, 1, x(:, :, 0), nx * ny, MPI_REAL8, below, 1, upwards, &
                      MPI_STATUS_IGNORE)
    !$omp section
    call MPI_Sendrecv(x(:, :, 1), nx * ny, MPI_REAL8, below, 2, x(:, :, nz + 1), nx * ny, MPI_REAL8, above, 2, downwards, &
                      MPI_STATUS_IGNORE)
    !$omp end parallel sections
    !$omp parallel do private(i, j)
    do k = 1, nz
      do j = 1, ny
        do i = 1, nx
          y(i, j, k) = (6 + shift * mod(i + j + k, 5)) * x(i, j, k) - x(i, j, k - 1) - x(i, j, k + 1)
          if (i > 1) y(i, j, k) = y(i, j, k) - x(i - 1, j, k)
          if (i < nx) y(i, j, k) = y(i, j, k) - x(i + 1, j, k)
          if (j > 1) y(i, j, k) = y(i, j, k) - x(i, j - 1, k)
          if (j < ny) y(i, j, k) = y(i, j, k) - x(i, j + 1, k)
        end do
      end do
    end do
  end subroutine

  real(real64) function dot(x, y)
    real(real64), intent(in) :: x(:, :, :), y(:, :, :)
    real(real64) :: part, of_plane(nz), of_rank(ranks)
    integer :: k
    !$omp parallel do
    do k = 1, nz
      of_plane(k) = sum(x(:, :, k) * y(:, :, k))
    end do
    part = sum(of_plane)
    call MPI_Allgather(part, 1, MPI_REAL8, of_rank, 1, MPI_REAL8, sums)
    dot = sum(of_rank)
  end function

  ! z = A^-1 x, as far as so many iterations bring it.
  subroutine solve(x, z, iterations)
    real(real64), intent(in) :: x(:, :, :)
    real(real64), intent(out) :: z(:, :, :)
    integer, intent(in) :: iterations
    real(real64), allocatable :: r(:, :, :), q(:, :, :), p(:, :, :)
    real(real64) :: rho, before, alpha
    integer :: iteration
    allocate (r(nx, ny, nz), q(nx, ny, nz), p(nx, ny, 0:nz + 1))
    z = 0
    r = x
    p = 0
    p(:, :, 1:nz) = r
    rho = dot(r, r)
    do iteration = 1, iterations
      call multiply(p, q)
      alpha = rho / dot(p(:, :, 1:nz), q)
      z = z + alpha * p(:, :, 1:nz)
      r = r - alpha * q
      before = rho
      rho = dot(r, r)
      p(:, :, 1:nz) = r + rho / before * p(:, :, 1:nz)
    end do
  end subroutine
end module

program cg
  use matrix
  implicit none
  real(real64), allocatable :: x(:, :, :), z(:, :, :)
  real(real64) :: zeta
  integer(int64) :: bits, all_bits
  integer :: steps, step, provided, i, j, k
  character(len=32) :: argument

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
  if (provided < MPI_THREAD_MULTIPLE) then
    print '(a)', 'cg: this MPI library does not give MPI_THREAD_MULTIPLE'
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end if
  steps = 300
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) steps
  end if
  call MPI_Comm_dup(MPI_COMM_WORLD, upwards)
  call MPI_Comm_dup(MPI_COMM_WORLD, downwards)
  call MPI_Comm_dup(MPI_COMM_WORLD, sums)
  call MPI_Comm_rank(sums, rank)
  call MPI_Comm_size(sums, ranks)
  below = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  above = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)

  allocate (x(nx, ny, nz), z(nx, ny, nz))
  x = 1
  do step = 1, steps
    call solve(x, z, 15)
    zeta = dot(x, x) / dot(x, z)
    x = z / sqrt(dot(z, z))
    if (rank == 0 .and. mod(step, 10) == 0) then
      print '(a, i0, a, i0, a, es23.15)', 'step ', step, ' of ', steps, ': zeta', zeta
      flush (6)
    end if
  end do

  bits = 0
  do k = 1, nz
    do j = 1, ny
      do i = 1, nx
        bits = ieor(bits, ishftc(transfer(x(i, j, k), bits), mod(i + 5 * j + 11 * (k + rank * nz), 64)))
      end do
    end do
  end do
  call MPI_Reduce(bits, all_bits, 1, MPI_INTEGER8, MPI_BXOR, 0, sums)
  if (rank == 0) print '(a, z16.16)', 'checksum ', all_bits
  call MPI_Comm_free(upwards)
  call MPI_Comm_free(downwards)
  call MPI_Comm_free(sums)
  call MPI_Finalize()
end program
