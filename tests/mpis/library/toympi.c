/* What the toy MPI does: a job of one process, that sends nothing to anybody. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int level;
static long made = 0x1000;

static int bytes_of(MPI_Datatype type) {
  if (type == MPI_BYTE || type == MPI_CHAR) return 1;
  if (type == MPI_INT || type == MPI_FLOAT || type == MPI_UNSIGNED) return 4;
  return 8;
}
static int copy(const void* from, void* to, int n, MPI_Datatype type) {
  if (from != MPI_IN_PLACE) memmove(to, from, (size_t)n * bytes_of(type));
  return MPI_SUCCESS;
}

int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided) { return level = *provided = required, MPI_SUCCESS; }
int PMPI_Query_thread(int* provided) { return *provided = level, MPI_SUCCESS; }
int PMPI_Finalize(void) { return MPI_SUCCESS; }
int PMPI_Abort(MPI_Comm comm, int code) { exit(code); }
int PMPI_Get_library_version(char* text, int* length) {
  return *length = sprintf(text, "Toy MPI 1.0"), MPI_SUCCESS;
}
int PMPI_Error_class(int code, int* class) { return *class = code, MPI_SUCCESS; }
int PMPI_Error_string(int code, char* text, int* length) { return *length = sprintf(text, "error %d", code), MPI_SUCCESS; }

int PMPI_Comm_rank(MPI_Comm comm, int* rank) { return *rank = 0, MPI_SUCCESS; }
int PMPI_Comm_size(MPI_Comm comm, int* size) { return *size = 1, MPI_SUCCESS; }
int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm* new) { return *new = (MPI_Comm)made++, MPI_SUCCESS; }
int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* new) { return *new = (MPI_Comm)made++, MPI_SUCCESS; }
int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* new) {
  return *new = (MPI_Comm)made++, MPI_SUCCESS;
}
int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* new) {
  return *new = (MPI_Comm)made++, MPI_SUCCESS;
}
int PMPI_Comm_free(MPI_Comm* comm) { return *comm = MPI_COMM_NULL, MPI_SUCCESS; }
int PMPI_Comm_test_inter(MPI_Comm comm, int* flag) { return *flag = 0, MPI_SUCCESS; }
int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) { return MPI_SUCCESS; }
int PMPI_Comm_get_attr(MPI_Comm comm, int key, void* value, int* flag) {
  static int bound = 32767;
  *flag = key == MPI_TAG_UB;
  if (*flag) *(void**)value = &bound;
  return MPI_SUCCESS;
}
int PMPI_Comm_group(MPI_Comm comm, MPI_Group* group) { return *group = (MPI_Group)made++, MPI_SUCCESS; }
int PMPI_Group_free(MPI_Group* group) { return *group = MPI_GROUP_NULL, MPI_SUCCESS; }
int PMPI_Group_size(MPI_Group group, int* size) { return *size = 1, MPI_SUCCESS; }
int PMPI_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group* new) {
  return *new = (MPI_Group)made++, MPI_SUCCESS;
}
int PMPI_Group_translate_ranks(MPI_Group group, int n, const int ranks[], MPI_Group other, int found[]) {
  for (int i = 0; i < n; ++i) found[i] = 0;
  return MPI_SUCCESS;
}
int PMPI_Type_size_x(MPI_Datatype type, MPI_Count* size) { return *size = bytes_of(type), MPI_SUCCESS; }
int PMPI_Type_get_extent_x(MPI_Datatype type, MPI_Count* low, MPI_Count* extent) {
  return *low = 0, *extent = bytes_of(type), MPI_SUCCESS;
}
int PMPI_Type_get_true_extent_x(MPI_Datatype type, MPI_Count* low, MPI_Count* extent) {
  return *low = 0, *extent = bytes_of(type), MPI_SUCCESS;
}

int PMPI_Barrier(MPI_Comm comm) { return MPI_SUCCESS; }
int PMPI_Ibarrier(MPI_Comm comm, MPI_Request* request) { return *request = MPI_REQUEST_NULL, MPI_SUCCESS; }
int PMPI_Bcast(void* data, int n, MPI_Datatype type, int root, MPI_Comm comm) { return MPI_SUCCESS; }
int PMPI_Allreduce(const void* mine, void* all, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return copy(mine, all, n, type);
}
int PMPI_Iallreduce(const void* mine, void* all, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return *request = MPI_REQUEST_NULL, copy(mine, all, n, type);
}
int PMPI_Reduce(const void* mine, void* all, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  return copy(mine, all, n, type);
}
int PMPI_Allgather(const void* mine, int n, MPI_Datatype type, void* all, int m, MPI_Datatype each, MPI_Comm comm) {
  return copy(mine, all, n, type);
}
int PMPI_Gather(const void* mine, int n, MPI_Datatype type, void* all, int m, MPI_Datatype each, int root, MPI_Comm comm) {
  return copy(mine, all, n, type);
}
int PMPI_Allgatherv(const void* mine, int n, MPI_Datatype type, void* all, const int counts[], const int begins[],
                    MPI_Datatype each, MPI_Comm comm) {
  return copy(mine, all, n, type);
}
int PMPI_Alltoall(const void* mine, int n, MPI_Datatype type, void* all, int m, MPI_Datatype each, MPI_Comm comm) {
  return copy(mine, all, n, type);
}
int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) { return *flag = 0, MPI_SUCCESS; }
int PMPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  return *flag = 0, MPI_SUCCESS;
}
int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) { return *flag = 1, *request = MPI_REQUEST_NULL, MPI_SUCCESS; }
int PMPI_Wait(MPI_Request* request, MPI_Status* status) { return *request = MPI_REQUEST_NULL, MPI_SUCCESS; }
int PMPI_Testall(int n, MPI_Request requests[], int* flag, MPI_Status statuses[]) { return *flag = 1, MPI_SUCCESS; }

/* Natively a program calls these by MPI's own names. */
int MPI_Init(int* argc, char*** argv) { int given; return PMPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, &given); }
int MPI_Comm_rank(MPI_Comm comm, int* rank) { return PMPI_Comm_rank(comm, rank); }
int MPI_Comm_size(MPI_Comm comm, int* size) { return PMPI_Comm_size(comm, size); }
int MPI_Allreduce(const void* mine, void* all, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return copy(mine, all, n, type);
}
int MPI_Finalize(void) { return MPI_SUCCESS; }
