// User reductions. MPI's callback has no argument for data of the runtime's, so each operation has its own function,
// from a pool that is made at compile time.
#include <runtime/lower/convert.hpp>
#include <runtime/lower/real_mpi.hpp>

#include <mana/lower/cross.hpp>

#include <mana/gen/declared.hpp>

#include <array>
#include <utility>

namespace mana::real_mpi {

namespace {

constexpr std::uint32_t pool_size = 1024;

#if defined(MANA_DECLARES_MPI_Op_create_c)
using element_count = MPI_Count;
constexpr auto create = PMPI_Op_create_c;
#else
using element_count = int;
constexpr auto create = PMPI_Op_create;
#endif
using reduction = void (*)(void*, void*, element_count*, MPI_Datatype*);

/// The upcall: the program's function runs under its own thread pointer.
void reduce(std::uint32_t index, void* in, void* inout, std::int64_t count, MPI_Datatype datatype) {
  const auto type = to_neutral<kind::datatype>(datatype);
  lower::cross_up([=] { lower::the_bridge().upper.reduce(index, in, inout, count, type); });
}

template <std::uint32_t Index>
void trampoline(void* in, void* inout, element_count* count, MPI_Datatype* datatype) {
  reduce(Index, in, inout, *count, *datatype);
}

template <std::uint32_t... Index>
constexpr std::array<reduction, pool_size> make_pool(std::integer_sequence<std::uint32_t, Index...>) {
  return {&trampoline<Index>...};
}
constexpr auto pool = make_pool(std::make_integer_sequence<std::uint32_t, pool_size>{});

}  // namespace

int op_create(std::uint32_t index, int commute, real<kind::op>* op) {
  *op = {};
  if (index >= pool_size) return neutral::err_no_mem;
  MPI_Op made = MPI_OP_NULL;
  const int rc = create(pool[index], commute, &made);
  if (rc != MPI_SUCCESS) return neutral_error(rc);
  *op = to_neutral<kind::op>(made);
  return neutral::success;
}

}  // namespace mana::real_mpi
