#include <runtime/tools/text/progress.hpp>

#include <runtime/words/processors.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>

namespace mana::tools {

progress_meter::progress_meter(std::vector<work_part> parts, sink say, std::chrono::milliseconds quiet,
                               std::chrono::milliseconds period)
    : parts_(std::move(parts)), done_(new std::atomic<std::uint64_t>[parts_.size()]{}), say_(std::move(say)) {
  if (say_) thread_ = std::thread([this, quiet, period] { run(quiet, period); });
}

progress_meter::~progress_meter() {
  {
    const std::lock_guard hold(lock_);
    ended_ = true;
  }
  ends_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void progress_meter::run(std::chrono::milliseconds quiet, std::chrono::milliseconds period) {
  std::unique_lock hold(lock_);
  for (auto wait = quiet; !ends_.wait_for(hold, wait, [this] { return ended_; }); wait = period) {
    for (std::size_t i = 0; i < parts_.size(); ++i)
      parts_[i].done = std::min(done_[i].load(std::memory_order_relaxed), parts_[i].bytes);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
    say_(work_line(parts_, took.count()));
  }
}

unsigned idle_cores() {
  const int cores = processor_count();
  double load = 0;
  if (getloadavg(&load, 1) != 1) load = 0;
  return static_cast<unsigned>(std::max(1, cores - static_cast<int>(load)));
}

void in_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failed;
  std::mutex lock;
  const auto take_turns = [&] {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) try {
        work(i);
      } catch (...) {
        const std::lock_guard hold(lock);
        if (!failed) failed = std::current_exception();
      }
  };
  std::vector<std::thread> others;
  for (std::size_t n = 1; n < std::min<std::size_t>(threads, count); ++n) others.emplace_back(take_turns);
  take_turns();
  for (std::thread& t : others) t.join();
  if (failed) std::rethrow_exception(failed);
}

}  // namespace mana::tools
