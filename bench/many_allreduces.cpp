// Calls a wrapper library's MPI_Allreduce of 4 bytes many times, over a lower half that does nothing: no loader and no
// MPI in one process, so that callgrind can count its instructions. Prints how many calls the clock has counted.
//
// usage: many_allreduces LIBRARY CALLS
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

namespace {

using namespace mana;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "many_allreduces: %s\n", what);
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
  return table;
}

/// What a library asks for while it is loaded and in MPI_Init.
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

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) fail("usage: many_allreduces LIBRARY CALLS");
  make_bridge();
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail(dlerror());
#if defined(MANA_MPI_openmpi)
  const auto world = symbol<MPI_Comm>(library, "ompi_mpi_comm_world");
  const auto type = symbol<MPI_Datatype>(library, "ompi_mpi_int");
  const auto op = symbol<MPI_Op>(library, "ompi_mpi_op_sum");
#else
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Datatype type = MPI_INT;
  const MPI_Op op = MPI_SUM;
#endif
  const auto init = symbol<decltype(&MPI_Init)>(library, "MPI_Init");
  const auto allreduce = symbol<decltype(&MPI_Allreduce)>(library, "MPI_Allreduce");
  if (init(nullptr, nullptr) != MPI_SUCCESS) fail("MPI_Init failed");
  const long calls = std::atol(argv[2]);
  int in = 1, out = 0;
  for (long i = 0; i < calls; ++i)
    if (allreduce(&in, &out, 1, type, op, world) != MPI_SUCCESS) fail("MPI_Allreduce failed");
  if (entered != calls) fail("not every call came to the lower half");
  unsigned long counted = 0;
  for (const vid::group_clock* c = first_clock(); c != nullptr; c = c->next) counted += c->seq.load();
  std::printf("%lu\n", counted);
  _exit(std::fflush(stdout));  // no destructors: there is no lower half to end
}
