// Makes one call of a wrapper library many times, over a lower half that does nothing: no loader and no MPI in one
// process, so that callgrind can count its instructions. Messages have 4 bytes, and have always come. Prints how many
// calls the clock has counted.
//
// usage: many_calls LIBRARY NAME CALLS      NAME: see make()
#include <mpi.h>

#include <mana/gen/function_tags.hpp>
#include <mana/gen/lower_slots.hpp>
#include <mana/lower/cross.hpp>
#include <mana/vid/rank_map.hpp>

#include <every_function.hpp>

#include <asm/prctl.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

using namespace mana;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "many_calls: %s\n", what);
  std::exit(1);
}

vid::group_clock* (*first_clock)() noexcept = nullptr;  // the library's, known once it has attached
long entered = 0;

lower::mpi_slots& slots() {
  static lower::mpi_slots table{};
  for_each_slot([]<class, auto Slot>() { table.*Slot = [](auto...) { return 0; }; });
  table.MPI_Allreduce = [](auto...) {
    ++entered;
    return 0;
  };
  table.MPI_Bcast = [](auto...) {
    ++entered;
    return 0;
  };
  return table;
}

neutral::status message_from_self() {
  neutral::status come{};
  come.count_bytes = sizeof(int);
  return come;
}

/// All requests are complete.
int complete(int n, real<kind::request>* requests, neutral::status* statuses) {
  int completed = 0;
  for (int i = 0; i < n; ++i) {
    if (!requests[i]) continue;
    requests[i] = {};
    statuses[i] = message_from_self();
    ++completed;
  }
  return completed;
}

/// What a library asks for while it is loaded and in MPI_Init, and for messages.
lower::services& services() {
  static lower::services s{};
  s.attach = [](const lower::upper_entry*, std::uint64_t root) {
    first_clock = reinterpret_cast<vid::group_clock* (*)() noexcept>(root);
  };
  s.init = [](int, int* provided) {
    *provided = 0;
    lower::the_bridge().world_size = 1;
    return 0;
  };
  s.datatype_layout = [](real<kind::datatype>, std::int64_t* layout) {
    layout[0] = layout[2] = layout[4] = 4;
    return 0;
  };
  s.send = [](lower::send_mode, const void*, std::int64_t, real<kind::datatype>, int, int, real<kind::comm>,
              real<kind::request>* request) {
    ++entered;
    *request = {};
    return 0;
  };
  s.recv = [](void*, std::int64_t, real<kind::datatype>, int, int, real<kind::comm>, neutral::status* status,
              real<kind::request>* request) {
    ++entered;
    *status = message_from_self();
    *request = {};
    return 0;
  };
  s.irecv = [](void*, std::int64_t, real<kind::datatype>, int, int, real<kind::comm>, real<kind::request>* request) {
    ++entered;
    *request = real<kind::request>(1);
    return 0;
  };
  s.wait_some = [](int n, real<kind::request>* requests, neutral::status* statuses, int) {
    return complete(n, requests, statuses);
  };
  s.test_some = complete;
  s.clock_ending = [] { return lower::wait_end::done; };
  s.world_attribute = [](int, int* flag, std::int64_t*) { return *flag = 0; };
  return s;
}

/// The window's first pages, as the loader makes them. The thread pointer is switched by a system call: callgrind does
/// not know the instruction. That is the same with the clock and without.
void make_bridge() {
  const std::size_t bytes = lower::threads_address - lower::bridge_address + sizeof(lower::thread_block);
  void* const got = mmap(reinterpret_cast<void*>(lower::bridge_address), bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != reinterpret_cast<void*>(lower::bridge_address)) fail("the window's address is not free");
  lower::bridge& b = lower::the_bridge();
  b.magic = lower::bridge_magic;
  b.major = lower::layout_major;
  b.head = lower::head_of<lower::bridge>();
  b.service = &services();
  b.mpi = &slots();
  for (std::uint32_t code = 0; code < neutral::predefined_limit; ++code) b.predefined_real[code] = code;
  lower::thread_block& block = lower::thread_blocks()[0];
  block.self = &block;
  block.lower_fs = lower::thread_pointer();  // one libc serves as both halves'
  if (syscall(SYS_arch_prctl, ARCH_SET_GS, &block) != 0) fail("%gs cannot be set");
}

template <class T>
T symbol(void* library, const char* name) {
  void* const found = dlsym(library, name);
  if (found == nullptr) fail(dlerror());
  return reinterpret_cast<T>(found);
}

struct program {
  void* library;
  MPI_Comm world;
  MPI_Datatype type;
  MPI_Op op;
};

#define CALLED(name) symbol<decltype(&name)>(p.library, #name)

/// Makes so many calls. out: how many of them come to the lower half
long make(std::string_view name, long calls, const program& p) {
  int in = 1, out = 0;
  const auto must = [](int error) {
    if (error != MPI_SUCCESS) fail("a call failed");
  };
  if (name == "Allreduce") {
    const auto allreduce = CALLED(MPI_Allreduce);
    for (long i = 0; i < calls; ++i) must(allreduce(&in, &out, 1, p.type, p.op, p.world));
  } else if (name == "Bcast") {
    const auto bcast = CALLED(MPI_Bcast);
    for (long i = 0; i < calls; ++i) must(bcast(&in, 1, p.type, 0, p.world));
  } else if (name == "Send") {
    const auto send = CALLED(MPI_Send);
    for (long i = 0; i < calls; ++i) must(send(&in, 1, p.type, 0, 0, p.world));
  } else if (name == "Recv") {
    const auto recv = CALLED(MPI_Recv);
    for (long i = 0; i < calls; ++i) must(recv(&in, 1, p.type, 0, 0, p.world, MPI_STATUS_IGNORE));
  } else if (name == "Comm_rank") {
    const auto comm_rank = CALLED(MPI_Comm_rank);
    for (long i = 0; i < calls; ++i) must(comm_rank(p.world, &out));
    return 0;
  } else if (name == "Irecv+Waitall") {
    const auto irecv = CALLED(MPI_Irecv);
    const auto waitall = CALLED(MPI_Waitall);
    for (long i = 0; i < calls; ++i) {
      MPI_Request both[2];
      for (MPI_Request& one : both) must(irecv(&in, 1, p.type, 0, 0, p.world, &one));
      must(waitall(2, both, MPI_STATUSES_IGNORE));
    }
    return 2 * calls;
  } else {
    fail("there is no such call");
  }
  return calls;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) fail("usage: many_calls LIBRARY NAME CALLS");
  make_bridge();
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail(dlerror());
#if defined(MANA_MPI_openmpi)
  const program p{library, symbol<MPI_Comm>(library, "ompi_mpi_comm_world"),
                  symbol<MPI_Datatype>(library, "ompi_mpi_int"), symbol<MPI_Op>(library, "ompi_mpi_op_sum")};
#else
  const program p{library, MPI_COMM_WORLD, MPI_INT, MPI_SUM};
#endif
  if (CALLED(MPI_Init)(nullptr, nullptr) != MPI_SUCCESS) fail("MPI_Init failed");
  if (make(argv[2], std::atol(argv[3]), p) != entered) fail("not every call came to the lower half");
  unsigned long counted = 0;
  for (const vid::group_clock* c = first_clock(); c != nullptr; c = c->next) counted += c->seq.load();
  std::printf("%lu\n", counted);
  _exit(std::fflush(stdout));  // no destructors: there is no lower half to end
}
