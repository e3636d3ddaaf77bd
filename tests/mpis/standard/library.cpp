// A libmpi_abi for tests, where no MPI has one: the wrappers of the standard ABI's programs in one process, over the lower half of
// an MPI that is installed. This file is the wrappers' side, compiled with the generated mpi.h; attach() joins the two.
#include <runtime/lower/life.hpp>
#include <runtime/lower/real_mpi.hpp>
#include <runtime/lower/table.hpp>

#include <mana/calls.hpp>

#include <cstdio>
#include <cstdlib>

namespace mana {
namespace {

lower::services make_services() {
  lower::services table{};
  table.head = lower::head_of<lower::services>();
  real_mpi::fill_services(table);
  table.init = real_mpi::start;
  table.finalize = real_mpi::finish;
  table.abort = [](int exit_code) { real_mpi::abort(exit_code); };
  table.fatal = [](const char* text) { std::fprintf(stderr, "libmpi_abi for tests: %s\n", text), std::abort(); };
  table.note = [](const char* text) { std::fprintf(stderr, "libmpi_abi for tests: %s\n", text); };
  table.clock_enter = [](const lower::collective_start*) { return lower::wait_end::done; };
  table.clock_retract = [] {};
  table.clock_wait = [](const int*, int) { return lower::wait_end::done; };
  table.clock_wait_end = [] {};
  table.clock_ending = [] { return lower::wait_end::done; };
  table.fault_point = [](const char*) {};
  return table;
}

[[gnu::constructor(101)]] void attach() {
  static const lower::services table = make_services();
  lower::bridge& b = lower::the_bridge();
  b.service = &table;
  b.mpi = &lower::the_mpi_slots();
  b.upper.reduce = object::reduce_upcall;
  real_mpi::fill_predefined_handles();
  app::init_predefined();
}

}  // namespace

void call::park_if_asked() noexcept {}
void object::receive_words() noexcept { library::receive_all_words(); }

}  // namespace mana

/// A library with MPI_ names and no PMPI_ name is a tool for mana. The other PMPI_ names here are those of the MPI below.
extern "C" int PMPI_Pcontrol(const int level, ...) { return MPI_Pcontrol(level); }
