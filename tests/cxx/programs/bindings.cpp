// MPI's C++ bindings (MPI-2.2, removed in MPI-3): classes, exceptions, and callbacks in C++. Each step does all of it and
// prints a sum; its arguments are the number of steps and a pause in milliseconds after each.
#include <mpi.h>

#include <complex>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include <unistd.h>

namespace {

int wrong = 0;
#define CHECK(condition) \
  ((condition) ? (void)0 : (void)(++wrong, std::printf("rank %d: line %d: %s does not hold\n", rank, __LINE__, #condition)))

int rank, size;

// ---- callbacks

void add_mod(const void* in, void* inout, int n, const MPI::Datatype&) {
  for (int i = 0; i < n; ++i)
    static_cast<int*>(inout)[i] = (static_cast<int*>(inout)[i] + static_cast<const int*>(in)[i]) % 1000;
}

int copies, removals, handled;
int copy_attribute(const MPI::Comm& comm, int, void* extra, void* value, void* out, bool& flag) {
  if (comm.Get_size() != size || extra != &copies) ++wrong;
  ++copies;
  *static_cast<void**>(out) = static_cast<int*>(value) + 1;
  flag = true;
  return MPI::SUCCESS;
}
int remove_attribute(MPI::Comm&, int, void*, void*) {
  ++removals;
  return MPI::SUCCESS;
}
void on_error(MPI::Comm& comm, int* code, ...) {
  if (comm.Get_size() != size || *code == MPI::SUCCESS) ++wrong;
  ++handled;
}
int query(void* extra, MPI::Status& status) {
  status.Set_elements(MPI::INT, *static_cast<int*>(extra));
  status.Set_cancelled(false);
  return MPI::SUCCESS;
}
int release(void*) { return MPI::SUCCESS; }
int cancel(void*, bool) { return MPI::SUCCESS; }

// ---- objects that live over all steps

struct Objects {
  MPI::Intracomm comm;
  MPI::Cartcomm ring;
  MPI::Op op;
  MPI::Datatype pair;
  MPI::Prequest receive;
  MPI::Errhandler handler;
  int key, value[2], buffer;

  Objects() : comm(MPI::COMM_WORLD.Dup()), buffer(0) {
    const bool periods[] = {true};
    ring = comm.Create_cart(1, &size, periods, false);
    op.Init(add_mod, true);
    pair = MPI::INT.Create_contiguous(2);
    pair.Commit();
    int source, dest;
    ring.Shift(0, 1, source, dest);
    receive = ring.Recv_init(&buffer, 1, MPI::INT, source, 3);
    handler = MPI::Comm::Create_errhandler(on_error);
    key = MPI::Comm::Create_keyval(copy_attribute, remove_attribute, &copies);
    comm.Set_attr(key, &value[0]);
  }
  ~Objects() {
    comm.Delete_attr(key);
    MPI::Comm::Free_keyval(key);
    handler.Free();
    receive.Free();
    pair.Free();
    op.Free();
    ring.Free();
    comm.Free();
  }
};

// ---- what a step does

int messages(Objects& o, int step) {
  int source, dest;
  o.ring.Shift(0, 1, source, dest);
  o.receive.Start();
  o.ring.Send(&step, 1, MPI::INT, dest, 3);
  MPI::Status status;
  o.receive.Wait(status);
  CHECK(o.buffer == step && status.Get_source() == source && status.Get_tag() == 3 && status.Get_count(MPI::INT) == 1);
  int two[2] = {step, rank}, got[2] = {0, 0};
  MPI::Request sent = o.comm.Isend(two, 1, o.pair, dest, 4);
  o.comm.Recv(got, 1, o.pair, source, 4);
  sent.Wait();
  CHECK(got[0] == step && got[1] == source);
  return got[1];
}

int collectives(Objects& o, int step) {
  int sum = 0;
  const int mine = 900 + rank + step % 10;
  o.comm.Allreduce(&mine, &sum, 1, MPI::INT, o.op);
  int expected = 900 + step % 10;
  for (int i = 1; i < size; ++i) expected = (expected + 900 + i + step % 10) % 1000;
  CHECK(sum == expected || size == 1);
  std::complex<double> z(1, rank), all(0, 0);
  o.comm.Allreduce(&z, &all, 1, MPI::DOUBLE_COMPLEX, MPI::SUM);
  CHECK(all.real() == size);
  bool any = false, one = rank == 0;
  o.comm.Allreduce(&one, &any, 1, MPI::BOOL, MPI::LOR);
  CHECK(any);
  return sum;
}

int attributes(Objects& o) {
  const int before = copies, gone = removals;
  MPI::Intracomm copy = o.comm.Dup();
  void* found = 0;
  CHECK(copy.Get_attr(o.key, &found) && found == &o.value[1]);
  copy.Free();
  CHECK(copies == before + 1 && removals == gone + 1);
  return copies - before;
}

/// Errors as exceptions, which pass the program's own frames, and by a handler of its own.
struct Counted {
  explicit Counted(int& n) : n_(n) {}
  ~Counted() { ++n_; }
  int& n_;
};
int errors(Objects& o) {
  o.comm.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
#ifdef OPEN_MPI                // Debian's is built without exceptions: it leaves the code in a variable, and says so once a call
  MPI::mpi_errno = MPI::SUCCESS;
  o.comm.Send(&rank, 1, MPI::INT, size + 5, 0);
  CHECK(MPI::mpi_errno == MPI::ERR_RANK);
#else
  int unwound = 0, thrown = 0;
  try {
    const Counted counted(unwound);
    o.comm.Send(&rank, 1, MPI::INT, size + 5, 0);
    CHECK(!"an exception came");
  } catch (MPI::Exception& e) {
    CHECK(e.Get_error_class() == MPI::ERR_RANK);
    ++thrown;
  }
  CHECK(unwound == 1 && thrown == 1);
#endif
  o.comm.Set_errhandler(o.handler);
  const int before = handled;
  o.comm.Send(&rank, 1, MPI::INT, size + 5, 0);
  CHECK(handled == before + 1);
  o.comm.Set_errhandler(MPI::ERRORS_RETURN);
  return handled - before;
}

int generalized(int step) {
  int n = step % 7;
  MPI::Grequest maker;                   // in one of the two libraries Start is no static function
  MPI::Grequest request = maker.Start(query, release, cancel, &n);
  request.Complete();
  MPI::Status status;
  request.Wait(status);
  CHECK(status.Get_elements(MPI::INT) == step % 7);
  return n;
}

int kinds(Objects& o) {
  CHECK(o.ring.Get_topology() == MPI::CART && o.comm.Get_topology() == MPI::UNDEFINED);
  MPI::Comm* const clone = &o.ring.Clone();
  CHECK(clone->Get_topology() == MPI::CART);
  clone->Free();
  delete clone;
  const MPI::Group group = o.comm.Get_group();
  CHECK(group.Get_size() == size && group.Get_rank() == rank);
  CHECK(MPI::Comm::Compare(o.comm, MPI::COMM_WORLD) == MPI::CONGRUENT);
  return group.Get_size();
}

int run(int steps, int pause_ms) {
  Objects o;
  unsigned long checksum = 0;
  for (int step = 1; step <= steps; ++step) {
    int sum = messages(o, step) + collectives(o, step) + attributes(o) + errors(o) + generalized(step) + kinds(o), all = 0;
    o.comm.Allreduce(&sum, &all, 1, MPI::INT, MPI::SUM);
    checksum = checksum * 31 + static_cast<unsigned long>(all);
    if (rank == 0) std::printf("step %d of %d: %d\n", step, steps, all), std::fflush(stdout);
    if (pause_ms > 0) usleep(static_cast<unsigned>(pause_ms) * 1000);
  }
  int mine = wrong, all = 0;
  o.comm.Allreduce(&mine, &all, 1, MPI::INT, MPI::SUM);
  if (rank == 0 && all == 0) std::printf("checksum %lx\n", checksum);
  return all == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI::Init(argc, argv);
  rank = MPI::COMM_WORLD.Get_rank();
  size = MPI::COMM_WORLD.Get_size();
  const int status = run(argc > 1 ? std::atoi(argv[1]) : 10, argc > 2 ? std::atoi(argv[2]) : 0);
  MPI::Finalize();
  return status;
}
