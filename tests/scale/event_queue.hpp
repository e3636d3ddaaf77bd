// What happens next: events by time, those of one time in the order in which they were made.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace clock_scale {

using nanoseconds = std::int64_t;

class event_handler {
 public:
  virtual void on_event(std::uint64_t what) = 0;

 protected:
  ~event_handler() = default;
};

/// A radix heap: bucket b > 0 holds the events whose time differs from the current time at bit b - 1 and at no higher
/// one; bucket 0 those of now. Time never goes back, so an event moves towards bucket 0 only, and events of one time
/// are always in one bucket, in the order of push().
class event_queue {
 public:
  nanoseconds now() const noexcept { return now_; }

  /// in: time  not before now()
  void push(nanoseconds time, event_handler& to, std::uint64_t what) {
    buckets_[bucket_of(time)].push_back({time, &to, what});
  }

  /// out: false: there is none
  bool run_one() {
    if (next_ == buckets_[0].size() && !advance()) return false;
    const event e = buckets_[0][next_++];
    e.to->on_event(e.what);
    return true;
  }

 private:
  struct event {
    nanoseconds time;
    event_handler* to;
    std::uint64_t what;
  };

  std::size_t bucket_of(nanoseconds time) const noexcept {
    return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(time ^ now_)));
  }

  bool advance() {
    buckets_[0].clear();
    next_ = 0;
    const auto first = std::find_if(buckets_.begin(), buckets_.end(), [](const auto& b) { return !b.empty(); });
    if (first == buckets_.end()) return false;
    now_ = std::min_element(first->begin(), first->end(), [](const event& a, const event& b) {
             return a.time < b.time;
           })->time;
    for (const event& e : *first) buckets_[bucket_of(e.time)].push_back(e);
    first->clear();
    return true;
  }

  nanoseconds now_ = 0;
  std::size_t next_ = 0;  // in bucket 0
  std::array<std::vector<event>, 65> buckets_;
};

}  // namespace clock_scale
