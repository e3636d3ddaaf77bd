// Replaces the MPI of a lower half that has none, for a job of one process whose program never calls MPI_Init. So most
// of these functions are never called. A call of an impossible one is a defect of mana.
#include <runtime/lower/life.hpp>
#include <runtime/lower/own_state.hpp>
#include <runtime/lower/real_mpi.hpp>
#include <runtime/lower/table.hpp>

#include <runtime/words/last_words.hpp>
#include <mana/gen/lower_slots.hpp>
#include <mana/lower/abi.hpp>
#include <runtime/words/processors.hpp>

#include <cstdlib>

namespace mana {

const lower::mpi_slots& lower::the_mpi_slots() noexcept {
  static const mpi_slots none{};
  return none;
}

namespace real_mpi {

namespace {

bool running = false;

own_state alone() noexcept {
  own_state o;
  o.world = o.mail = o.self = o.lone = MPI_COMM_WORLD;
  o.host_cores = static_cast<int>(processors_in(allowed_processors()));
  return o;
}

}  // namespace

own_state& own() noexcept {
  static own_state state = alone();
  return state;
}

bool is_an_mpi() noexcept { return false; }

int start(int required, int* provided) {
  *provided = required;
  lower::the_bridge().world_size = 1;
  lower::the_bridge().world_rank = 0;
  running = true;
  return neutral::success;
}

int finish() {
  running = false;
  return neutral::success;
}

bool is_running() noexcept { return running; }
int thread_level() noexcept { return neutral::thread_multiple; }
void fill_predefined_handles() noexcept {}
void fill_services(lower::services&) {}

void abort(int exit_code) {
  words::await_last_words();
  std::_Exit(exit_code);
}

void abort_as_program(int exit_code) { abort(exit_code); }

std::string library_name() { return "no MPI"; }
std::string library_version() { return {}; }

int world_attribute(int, int* flag, std::int64_t*) {
  *flag = 0;
  return neutral::success;
}
std::optional<predefined_object> predefined_object_of(std::uint32_t) { return std::nullopt; }
bool supports_large_counts() noexcept { return true; }

int drain_begin(std::uint64_t) { return neutral::success; }
void drain_end(std::uint64_t) {}
real<kind::request> begin_barrier(real<kind::comm>) { return {}; }
bool is_barrier_over(real<kind::request>&) { return true; }
void make_progress() {}

}  // namespace real_mpi
}  // namespace mana
