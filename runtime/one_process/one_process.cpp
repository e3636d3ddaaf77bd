// The lower half for wrappers without the split: the PMPI_ interface of this process. No checkpoints are taken, so
// nothing asks for attention, and members that serve checkpoints stay empty.
#include <runtime/lower/life.hpp>
#include <runtime/lower/real_abi.hpp>
#include <runtime/lower/real_call.hpp>
#include <runtime/lower/real_mpi.hpp>

#include <mana/calls.hpp>

#include <cstdio>
#include <cstdlib>

#if !defined(MANA_ONE_PROCESS)
#error "compiled with MANA_ONE_PROCESS only: target mana_wrappers_<mpi>"
#endif

namespace mana {
namespace {

[[noreturn]] void abort_job(int exit_code) { real_mpi::abort(exit_code); }
void fatal(const char* text) {
  std::fprintf(stderr, "mana: error: %s\n"
                       "      this is a defect of mana: report it, with the line above and the output of mana "
                       "--version\n", text);
  std::abort();
}
void note(const char* text) { std::fprintf(stderr, "mana: %s\n", text); }

lower::services make_services() {
  lower::services table{};
  table.head = lower::head_of<lower::services>();
  real_mpi::fill_services(table);
  table.init = real_mpi::start;
  table.finalize = real_mpi::finish;
  table.abort = [](int exit_code) { abort_job(exit_code); };
  table.fatal = fatal;
  table.note = note;
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
  lower::fill_predefined(b.predefined_real);
  app::init_predefined();
}

}  // namespace

void call::park_if_asked() noexcept {}
void object::receive_words() noexcept { library::receive_all_words(); }

}  // namespace mana
