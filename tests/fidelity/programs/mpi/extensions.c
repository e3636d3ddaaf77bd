// Extensions of MPI libraries beyond the standard: programs ask for GPUs at their start, and look functions up by name.
// The answers are the library's, before and after a line.
#include "fidelity.h"

#include <dlfcn.h>
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

static const char* const names[] = {
    "MPIX_Query_cuda_support", "MPIX_Query_hip_support", "MPIX_Query_ze_support", "MPIX_Query_rocm_support",
    "PMPIX_Query_cuda_support", "MPIX_GPU_query_support", "MPIX_Comm_agree", "MPIX_Comm_shrink", "MPIX_Comm_revoke",
    "MPIX_Comm_failure_ack", "MPIX_Comm_failure_get_acked", "MPIX_Comm_get_failed", "MPIX_Comm_ack_failed",
    "MPIX_Allreduce_init", "PMPIX_Barrier_init", "MPIX_Start", "MPI_Allreduce_init", "MPI_Session_init",
    "MPI_Psend_init", "MPI_Send_c", "MPI_Info_create_env", "MPI_Status_f2f08", "OMPI_Affinity_str", "OMPI_C_MPI_DUP_FN", "MPIR_Dup_fn",
    "MPI_F_STATUS_IGNORE", "MPI_F_STATUSES_IGNORE", "ompi_mpi_comm_world", "MPI_UNWEIGHTED", "QMPI_Get_function",
    "MPIX_Grequest_start", "MPIX_Delete_error_class", "MPI_Comm_get_failed", "MPI_Type_lb", "MPI_Abi_get_version"};

static void probe(void) {
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    printf("%s %s\n", names[i], dlsym(RTLD_DEFAULT, names[i]) ? "is there" : "is not there");
  printf("cuda %d\n", MPIX_Query_cuda_support());
#if defined(MPICH_VERSION)
  int answer = 7, unknown = 7;
  printf("hip %d, ze %d\n", MPIX_Query_hip_support(), MPIX_Query_ze_support());
  for (int gpu = MPIX_GPU_SUPPORT_CUDA; gpu <= MPIX_GPU_SUPPORT_HIP; ++gpu, answer = 7) {
    const int code = MPIX_GPU_query_support(gpu, &answer);
    printf("gpu %d: %d, %d\n", gpu, code, answer);
  }
  int class_of = -1;
  MPI_Error_class(MPIX_GPU_query_support(99, &unknown), &class_of);
  printf("no gpu: %d\n", class_of == MPI_ERR_ARG);
  printf("tools: %d\n", QMPI_Register_tool_name("tool", NULL) == MPI_ERR_UNSUPPORTED_OPERATION);
#else
  char bound[OMPI_AFFINITY_STRING_MAX], now[OMPI_AFFINITY_STRING_MAX], all[OMPI_AFFINITY_STRING_MAX];
  printf("affinity %d\n", OMPI_Affinity_str(OMPI_AFFINITY_LAYOUT_FMT, bound, now, all));
  printf("%d\n", all[0] != 0);
  printf("ignored: %d\n", MPI_F_STATUS_IGNORE != NULL && MPI_F_STATUSES_IGNORE != NULL);
  MPI_Status status;
  printf("of none: %d\n", MPI_Status_f2c(MPI_F_STATUS_IGNORE, &status) == MPI_SUCCESS);
#endif
}

#if defined(MPICH_VERSION)
static int polls, waited_for;
static int query(void* extra, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_INT, *(int*)extra);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED, status->MPI_TAG = 3;
  return MPI_SUCCESS;
}
static int release(void* extra) { return (void)extra, MPI_SUCCESS; }
static int cancel(void* extra, int complete) { return (void)extra, (void)complete, MPI_SUCCESS; }
static MPI_Request polled;
static int poll_once(void* extra, MPI_Status* status) {
  (void)extra, (void)status;
  if (++polls == waited_for) MPI_Grequest_complete(polled);
  return MPI_SUCCESS;
}
static int wait_for(int n, void** extra, double limit, MPI_Status* status) {
  (void)n, (void)limit;
  return poll_once(extra[0], status);
}

/// Requests that the library asks for completion, tested and waited for; the second is under way at the line.
static void requests(void) {
  int value = 5, flag = 0, count = 0;
  MPI_Status status;
  MPIX_Grequest_class of_program;
  polls = 0, waited_for = 3;
  MPIX_Grequest_start(query, release, cancel, poll_once, wait_for, &value, &polled);
  while (!flag) MPI_Test(&polled, &flag, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  printf("%d polls, %d, tag %d\n", polls, count, status.MPI_TAG);
  polls = 0, waited_for = 2;
  MPIX_Grequest_class_create(query, release, cancel, poll_once, wait_for, &of_program);
  MPIX_Grequest_class_allocate(of_program, &value, &polled);
  line();
  MPI_Wait(&polled, &status);
  printf("%d polls, null %d\n", polls, polled == MPI_REQUEST_NULL);
}
static void codes(void) {
  int error_class, code;
  MPI_Add_error_class(&error_class);
  MPI_Add_error_code(error_class, &code);
  MPI_Add_error_string(code, "of the program");
  printf("text removed: %d\n", MPIX_Delete_error_string(code));
  printf("code removed: %d\n", MPIX_Delete_error_code(code));
  printf("again: %d\n", MPIX_Delete_error_code(code) != MPI_SUCCESS);
  printf("of the standard: %d\n", MPIX_Delete_error_class(MPI_ERR_ARG) != MPI_SUCCESS);
  printf("class removed: %d\n", MPIX_Delete_error_class(error_class));
  for (int round = 0; round < 1000; ++round) {             // numbers of what was removed are free again
    int next_class = 0, next = 0;
    MPI_Add_error_class(&next_class);
    MPI_Add_error_code(next_class, &next);
    if (next_class != error_class || next != code) printf("other numbers in round %d\n", round);
    MPIX_Delete_error_code(next);
    MPIX_Delete_error_class(next_class);
  }
}
#else
/// A persistent collective under its name of before MPI-4, initialised before the line.
static void requests(void) {
  int one = 1, sum = 0;
  MPI_Request r;
  MPIX_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
  line();
  for (int k = 1; k < 4; ++k) {
    one = k;
    MPI_Start(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    printf("sum %d\n", sum / k);
  }
  MPI_Request_free(&r);
}
static void codes(void) {}
#endif

int main(int argc, char** argv) {
  begin_at(MPI_THREAD_FUNNELED, &argc, &argv);    // MPICH's own MPI_Test holds its lock around a poll_fn otherwise
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  probe();
  codes();
  for (int round = 0; round < 2; ++round) {
    requests();
    probe();
  }
  return finish();
}
