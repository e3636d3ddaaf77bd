// Loads the program and enters it.
#include <runtime/split/load/elf_image.hpp>

#include <arch/enter.hpp>
#include <runtime/split/load/initial_stack.hpp>
#include <runtime/split/load/program_file.hpp>
#include <runtime/split/window/bridge.hpp>
#include <runtime/split/window/own_filters.hpp>
#include <runtime/split/window/program_clocks.hpp>
#include <runtime/split/window/saved_state.hpp>
#include <runtime/split/window/upper_half.hpp>
#include <runtime/split/window/window.hpp>

#include <runtime/split/filter/input.hpp>
#include <runtime/split/filter/table.hpp>
#include <runtime/split/threads/twin.hpp>
#include <runtime/split/traps/signals/lower_handlers.hpp>
#include <runtime/split/traps/signals/signals.hpp>

#include <mana/lower/context.hpp>

#include <sys/prctl.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace mana::split {
namespace {

constexpr std::size_t gap_bytes = 2u << 20;   // between neighbours in the program zone

struct loaded_program {
  std::uintptr_t entry;           // of the dynamic linker
  std::uintptr_t stack_pointer;
};

std::string value_of(const std::vector<std::string>& env, const std::string& name) {
  for (const std::string& e : env)
    if (e.size() > name.size() && e.compare(0, name.size(), name) == 0 && e[name.size()] == '=')
      return e.substr(name.size() + 1);
  return {};
}

/// Our library comes first: the loader must find it before the MPI library that the program names.
std::string with_preload(const std::vector<std::string>& env, const std::string& preload) {
  const std::string users = value_of(env, "LD_PRELOAD");
  return preload.empty() || users.empty() ? preload : preload + ":" + users;
}

std::uintptr_t after(address_range r, std::size_t alignment) noexcept {
  const std::size_t to = std::max(alignment, gap_bytes);
  return (r.end + gap_bytes + to - 1) & ~(to - 1);
}

void remember_program(const elf_file& program, address_range place) {
  saved_state& state = saved();
  const std::string path = std::filesystem::canonical(program.path()).string();
  if (path.size() >= path_bytes) throw load_error(65, program.path() + ": its path is too long: move it");
  std::memcpy(state.program, path.c_str(), path.size() + 1);
  state.fixed_begin = program.fixed() ? place.begin : 0;
  state.fixed_end = program.fixed() ? place.end : 0;
  state.fixed_traps = program.fixed() && program.makes_system_calls() ? 1 : 0;
  ::prctl(PR_SET_NAME, std::filesystem::path(program.path()).filename().c_str(), 0, 0, 0);      // a link's own name
}

/// Places the program before the stack, with room for the dynamic linker after it. If it does not fit there, uses the
/// largest zone.
std::uintptr_t zone_of(const elf_file& program) noexcept {
  constexpr std::size_t for_linker = std::size_t{1} << 30;
  const std::size_t needed = program.span_bytes() + program.alignment() + for_linker;
  return needed <= lower::stack_zone - lower::program_zone ? lower::program_zone : lower::large_program_zone;
}

loaded_program load(const start_options& options) {
  program_file found = find_program(options.program, options.args, value_of(options.env, "PATH"));
  elf_file program(found.path);
  if (program.interpreter().empty())
    throw load_error(69, found.path + " is statically linked: link it dynamically (without -static)");
  elf_file interpreter(program.interpreter());
  const address_range program_place = program.map(zone_of(program));
  const address_range before = program.fixed() ? address_range{0, lower::program_zone} : program_place;
  const address_range interpreter_place = interpreter.map(after(before, interpreter.alignment()));
  remember_program(program, program_place);
  const std::uintptr_t stack_pointer = make_initial_stack(
      {std::move(found.args), options.env, with_preload(options.env, options.preload), program.places(), found.path,
       program.program_headers(), program.entry(), program.segment_count(), interpreter_place.begin,
       program.wants_executable_stack()});
  return {interpreter.entry(), stack_pointer};
}

/// Names the filter: filters with the same words trap the same calls.
std::string filter_words() {
  const saved_state& state = saved();
  std::string input;
  for (const int fd : input_numbers()) input += "input" + std::to_string(fd) + "+";
  if (state.fixed_traps == 0) return input + "window";
  return input + std::to_string(state.fixed_begin) + "-" + std::to_string(state.fixed_end);
}

/// Starts as the kernel starts a new program: without a thread pointer.
[[noreturn]] void enter(const loaded_program& program) noexcept {
  write_thread_pointer(0);
  arch::jump_to_program(program.stack_pointer, program.entry);
}

}  // namespace

void start(const start_options& options, filter_named named) {
  const loaded_program program = load(options);
  const std::string filter = filter_words();
  if (named != nullptr) named(filter);
  own_process();
  saved().former.process = static_cast<std::int32_t>(raw_call(SYS_getpid));
  static twin self;                       // the initial thread's stack stays, but a local object's lifetime may end
  lower::thread_block* const block = new_block();
  adopt(*block, self);
  lower::the_bridge().main_thread = block->index;
  adopt_dispositions();
  if (options.is_linked_with_mpi) bring_alternate_stack();
  else hide_lower_handlers();
  install_trap_handlers();
  begin_clocks();
  if (!options.filtered.empty()) note_earlier_filter();
  if (options.filtered != filter) install_filter(calls_of::started);
  prepare_input_filter();
  note_own_filters();
  if (options.mask) set_signal_mask(without_ours(*options.mask));
  if (mana_save_context(&self.back) == 0) {
    publish(*block);
    enter(program);
  }
  after_upper_half(*block, self);
  rest_forever();
}

}  // namespace mana::split
