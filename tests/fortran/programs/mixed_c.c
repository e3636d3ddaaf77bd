// The parts of mixed.f90 in C. Handles come and go as integers of Fortran.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int calls, bad;
static const intptr_t value = 4242;  // of the attribute that C sets, as a pointer: Fortran sees it as a number

#define CHECK(condition) \
  do { \
    if (!(condition)) ++bad, printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition), fflush(stdout); \
  } while (0)

static void greatest(void* in, void* inout, int* length, MPI_Datatype* type) {
  const int *a = in;
  int *b = inout, bytes;
  MPI_Type_size(*type, &bytes);
  CHECK(bytes == (int)sizeof(int) && *type == MPI_INTEGER);
  for (int i = 0; i < *length; ++i) b[i] = a[i] > b[i] ? a[i] : b[i];
}

static void handler(MPI_Comm* comm, int* code, ...) {
  CHECK(*comm != MPI_COMM_NULL && *code != MPI_SUCCESS);
  ++calls;
}

int c_handled(void) { return bad ? -1 : calls; }

void c_make(MPI_Fint* comm, MPI_Fint* key, MPI_Fint* type, MPI_Fint* op, MPI_Fint* info, MPI_Fint* error,
            MPI_Fint* group) {
  MPI_Comm c;
  MPI_Datatype t;
  MPI_Op o;
  MPI_Info i;
  MPI_Errhandler h;
  MPI_Group g;
  int k;
  MPI_Comm_dup(MPI_COMM_WORLD, &c);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &k, NULL);
  MPI_Comm_set_attr(c, k, (void*)value);
  MPI_Type_contiguous(2, MPI_INT, &t);
  MPI_Type_commit(&t);
  MPI_Op_create(greatest, 1, &o);
  MPI_Info_create(&i);
  MPI_Info_set(i, "from", "C");
  MPI_Comm_create_errhandler(handler, &h);
  MPI_Comm_group(c, &g);
  *comm = MPI_Comm_c2f(c), *key = k, *type = MPI_Type_c2f(t), *op = MPI_Op_c2f(o), *info = MPI_Info_c2f(i);
  *error = MPI_Errhandler_c2f(h), *group = MPI_Group_c2f(g);
}

void c_unmake(MPI_Fint* key, MPI_Fint* type, MPI_Fint* op, MPI_Fint* info, MPI_Fint* group) {
  MPI_Datatype t = MPI_Type_f2c(*type);
  MPI_Op o = MPI_Op_f2c(*op);
  MPI_Info i = MPI_Info_f2c(*info);
  MPI_Group g = MPI_Group_f2c(*group);
  int k = *key;
  MPI_Comm_free_keyval(&k);
  MPI_Type_free(&t);
  MPI_Op_free(&o);
  MPI_Info_free(&i);
  MPI_Group_free(&g);
  *key = k, *type = MPI_Type_c2f(t), *op = MPI_Op_c2f(o), *info = MPI_Info_c2f(i), *group = MPI_Group_c2f(g);
}

int c_use(MPI_Fint comm, MPI_Fint type, MPI_Fint op, MPI_Fint info, MPI_Fint error, MPI_Fint key) {
  MPI_Comm c = MPI_Comm_f2c(comm);
  MPI_Errhandler old;
  MPI_Aint* attribute = NULL;
  int flag = 0, n = 0, relation = 0;
  char text[32] = "";
  bad = 0;
  CHECK(MPI_Comm_c2f(c) == comm && MPI_Op_c2f(MPI_Op_f2c(op)) == op && MPI_Info_c2f(MPI_Info_f2c(info)) == info);
  CHECK(MPI_Type_c2f(MPI_Type_f2c(type)) == type && MPI_Errhandler_c2f(MPI_Errhandler_f2c(error)) == error);
  CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD && MPI_Type_f2c(MPI_Type_c2f(MPI_INT)) == MPI_INT);
  CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_NULL)) == MPI_COMM_NULL && MPI_Op_f2c(MPI_Op_c2f(MPI_SUM)) == MPI_SUM);
  MPI_Comm_compare(c, MPI_COMM_WORLD, &relation);
  CHECK(relation == MPI_CONGRUENT);
  MPI_Comm_get_attr(c, key, &attribute, &flag);  // what Fortran set: C gets its address
  CHECK(flag && *attribute == (MPI_Aint)123456789012);
  MPI_Type_size(MPI_Type_f2c(type), &n);
  CHECK(n == 3 * (int)sizeof(int));
  MPI_Info_get(MPI_Info_f2c(info), "from", 31, text, &flag);
  CHECK(flag && strcmp(text, "Fortran") == 0);
  MPI_Op_commutative(MPI_Op_f2c(op), &flag);
  CHECK(flag);
  MPI_Comm_get_errhandler(c, &old);
  MPI_Comm_set_errhandler(c, MPI_Errhandler_f2c(error));
  MPI_Comm_call_errhandler(c, MPI_ERR_OTHER);
  MPI_Comm_set_errhandler(c, old);
  MPI_Errhandler_free(&old);
  return bad;
}

int c_receive(MPI_Fint comm, MPI_Fint* request, int* buffer, int count, int source, int tag) {
  MPI_Request r;
  const int code = MPI_Irecv(buffer, count, MPI_INT, source, tag, MPI_Comm_f2c(comm), &r);
  *request = MPI_Request_c2f(r);
  return code;
}

int c_wait(MPI_Fint* request, MPI_Fint* status) {
  MPI_Request r = MPI_Request_f2c(*request);
  MPI_Status s;
  const int code = MPI_Wait(&r, &s);
  *request = MPI_Request_c2f(r);
  return code + MPI_Status_c2f(&s, status);
}

int c_status(const MPI_Fint* status, int source, int tag, int count) {
  MPI_Status s;
  int n = 0;
  bad = 0;
  CHECK(MPI_Status_f2c(status, &s) == MPI_SUCCESS);
  MPI_Get_count(&s, MPI_INT, &n);
  CHECK(s.MPI_SOURCE == source && s.MPI_TAG == tag && n == count);
  return bad;
}

int c_reduce(MPI_Fint comm, MPI_Fint op, const int* in, int* out, int count) {
  return MPI_Allreduce(in, out, count, MPI_INTEGER, MPI_Op_f2c(op), MPI_Comm_f2c(comm));
}
