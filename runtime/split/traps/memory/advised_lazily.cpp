#include <runtime/split/traps/memory/advised_lazily.hpp>

#include <runtime/split/call/pieces.hpp>

#include <mana/lower/abi.hpp>

#include <atomic>
#include <mutex>

namespace mana::split {
namespace {

struct kept_advice {
  int advice;
  int undone_by[2];
  window_map where{{0, lower::window_end}};

  bool is_undone_by(long other) const noexcept { return other == undone_by[0] || other == undone_by[1]; }
};

constinit kept_advice all_kept[] = {
    {MADV_RANDOM, {MADV_NORMAL, MADV_SEQUENTIAL}},   {MADV_SEQUENTIAL, {MADV_NORMAL, MADV_RANDOM}},
    {MADV_DONTFORK, {MADV_DOFORK, MADV_DOFORK}},     {MADV_MERGEABLE, {MADV_UNMERGEABLE, MADV_UNMERGEABLE}},
    {MADV_HUGEPAGE, {MADV_NOHUGEPAGE, MADV_NOHUGEPAGE}}, {MADV_NOHUGEPAGE, {MADV_HUGEPAGE, MADV_HUGEPAGE}},
    {MADV_DONTDUMP, {MADV_DODUMP, MADV_DODUMP}},     {MADV_WIPEONFORK, {MADV_KEEPONFORK, MADV_KEEPONFORK}},
};
constinit std::atomic<bool> some_is_advised{false};

}  // namespace

void note_advised(address_range memory, long advice) noexcept {
  for (kept_advice& kept : all_kept) {
    if (kept.advice == advice) {
      kept.where.take(memory);
      some_is_advised.store(true);
    } else if (kept.is_undone_by(advice)) {
      kept.where.release(memory);
    }
  }
}

void forget_advised(address_range memory) noexcept {
  if (!some_is_advised.load(std::memory_order_relaxed)) return;
  for (kept_advice& kept : all_kept) kept.where.release(memory);
}

void advise_again(address_range of, std::uintptr_t at) noexcept {
  if (!some_is_advised.load(std::memory_order_relaxed)) return;
  for (kept_advice& kept : all_kept) {
    kept.where.lock();
    for (std::size_t i = 0; i < kept.where.range_count(); ++i) {
      const address_range part = common(kept.where.range(i), of);
      if (part.bytes() == 0) continue;
      raw_call(SYS_madvise, static_cast<long>(at + (part.begin - of.begin)), static_cast<long>(part.bytes()), kept.advice);
    }
    kept.where.unlock();
  }
}

void lock_advised() noexcept {
  for (kept_advice& kept : all_kept) kept.where.lock();
}
void unlock_advised() noexcept {
  for (kept_advice& kept : all_kept) kept.where.unlock();
}

}  // namespace mana::split
