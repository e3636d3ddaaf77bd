#include <runtime/wrappers/alone.hpp>

#include <mana/gen/lower_slots.hpp>
#include <mana/lower/abi.hpp>
#include <mana/call/no_lower_half.hpp>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>

namespace mana::wrappers {

namespace {

using refusal = void (*)() noexcept;

/// A table of functions that all refuse, whatever their arguments.
template <class Table>
constexpr auto refusals() noexcept {
  std::array<refusal, (sizeof(Table) + sizeof(refusal) - 1) / sizeof(refusal)> all{};
  all.fill([]() noexcept { call::end_without_lower_half(); });
  return all;
}

constexpr auto no_services = refusals<lower::services>();
constexpr auto no_slots = refusals<lower::mpi_slots>();
lower::thread_block only_block{};

}  // namespace

void stand_alone() noexcept {
  constexpr std::size_t bytes = lower::threads_address - lower::bridge_address;
  void* const place = reinterpret_cast<void*>(lower::bridge_address);
  if (::mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
             -1, 0) != place)
    return;
  lower::bridge& b = lower::the_bridge();
  b.service = reinterpret_cast<const lower::services*>(no_services.data());
  b.mpi = reinterpret_cast<const lower::mpi_slots*>(no_slots.data());
  only_block.self = &only_block;
  arch::write_block_register(reinterpret_cast<std::uintptr_t>(&only_block));
}

}  // namespace mana::wrappers
