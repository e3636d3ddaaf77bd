#include <runtime/image/write/pack_crew.hpp>

#include <runtime/image/format/checksum.hpp>

#include <sys/mman.h>

#include <charconv>
#include <new>
#include <stdexcept>

namespace mana::image {

namespace {

/// Each thread has one in hand and one waiting. The writer fills one and takes another back.
unsigned windows_for(unsigned threads) noexcept { return threads == 1 ? 1 : 2 * threads + 2; }

}  // namespace

unsigned parse_pack_threads(const std::string& text) {
  if (text == "auto") return 0;
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > pack_crew::most_threads)
    throw std::invalid_argument("\"" + text + "\" is neither auto nor a number from 1 to " +
                                std::to_string(pack_crew::most_threads));
  return value;
}

struct pack_crew::place {
  window of;
  std::atomic<std::uint32_t> packed{0};      // 1: by a helper, or by the writer while it waited
  std::atomic<bool> awaited{false};
};

pack_crew::pack_crew(const packing& how, unsigned threads)
    : threads_(how.mode == packing_mode::none ? 1 : threads), count_(windows_for(threads_)),
      places_(new place[count_]), window_bytes_(threads_ == 1 ? chunk_bytes : 2 * chunk_bytes), helpers_(threads_ - 1) {
  for (unsigned i = 0; i < threads_; ++i) packers_.emplace_back(how);
  void* const all = mmap(nullptr, count_ * window_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<char*>(all);
  for (unsigned i = 0; i < count_; ++i) {
    places_[i].of.memory = memory_ + i * window_bytes_;
    if (threads_ > 1) places_[i].of.packed = places_[i].of.memory + chunk_bytes;
  }
}

pack_crew::~pack_crew() {
  stop();
  munmap(memory_, count_ * window_bytes_);
}

std::size_t pack_crew::memory_bytes() const noexcept {
  return count_ * (window_bytes_ + sizeof(place)) + threads_ * packers_[0].workspace_bytes() + helpers_.memory_bytes();
}

pack_crew::place& pack_crew::at(std::uint32_t n) const noexcept { return places_[n % count_]; }

window* pack_crew::vacant() noexcept { return submitted_ - taken_back_ == count_ ? nullptr : &at(submitted_).of; }

void pack_crew::submit() noexcept {
  at(submitted_).packed.store(0, std::memory_order_relaxed);
  const bool has_work = at(submitted_).of.run_count > 0;
  offered_.store(++submitted_, std::memory_order_release);
  if (threads_ == 1 || !has_work) return;
  if (!started_) helpers_.start(work, this);
  started_ = true;
  news_.fetch_add(1);
  if (asleep_.load() > 0) wake(news_, 1);
}

/// Claims the next window that nobody packs. The order of claims is that of the windows, so that the oldest is done
/// first.
bool pack_crew::claim(std::uint32_t& which) noexcept {
  which = claimed_.load(std::memory_order_relaxed);
  do
    if (which == offered_.load(std::memory_order_acquire)) return false;
  while (!claimed_.compare_exchange_weak(which, which + 1, std::memory_order_acq_rel));
  return true;
}

void pack_crew::finish(std::uint32_t which) noexcept {
  place& p = at(which);
  p.packed.store(1);
  if (p.awaited.load()) wake(p.packed, 1);
}

pack_crew::result pack_crew::oldest() noexcept {
  place& p = at(taken_back_);
  std::uint32_t which = taken_back_;
  if (claimed_.compare_exchange_strong(which, taken_back_ + 1, std::memory_order_acq_rel)) return {&p.of, false};
  while (p.packed.load(std::memory_order_acquire) == 0) {
    if (claim(which)) {
      pack_window(packers_[0], at(which).of);
      finish(which);
      continue;
    }
    p.awaited.store(true);
    while (p.packed.load() == 0) await_change(p.packed, 0);
    p.awaited.store(false);
  }
  return {&p.of, true};
}

void pack_crew::release() noexcept { ++taken_back_; }

void pack_crew::pack(packer& by, window::run& r, const char* memory, char* into) noexcept {
  const std::size_t packed = r.tried ? by.pack(memory, r.bytes, into) : 0;
  r.packed_bytes = static_cast<std::uint32_t>(packed);
  r.checksum = chunk_checksum(memory, r.bytes, into, packed > 0 ? packed : r.bytes);
}

void pack_crew::pack_window(packer& by, window& w) noexcept {
  for (unsigned i = 0; i < w.run_count; ++i) pack(by, w.runs[i], w.memory_of(w.runs[i]), w.packed_of(w.runs[i]));
}

void pack_crew::work(void* crew, unsigned number) noexcept {
  pack_crew& c = *static_cast<pack_crew*>(crew);
  while (!c.ending_.load()) {
    const std::uint32_t seen = c.news_.load();
    std::uint32_t which;
    if (c.claim(which)) {
      c.pack_window(c.packers_[number + 1], c.at(which).of);
      c.finish(which);
      continue;
    }
    c.asleep_.fetch_add(1);
    if (!c.ending_.load() && c.news_.load() == seen) await_change(c.news_, seen);
    c.asleep_.fetch_sub(1);
  }
}

void pack_crew::stop() noexcept {
  ending_.store(true);
  news_.fetch_add(1);
  wake(news_, static_cast<int>(most_threads));
  helpers_.join();
  ending_.store(false);
  started_ = false;
  taken_back_ = submitted_;
  claimed_.store(submitted_);
}

}  // namespace mana::image
