// Packs windows of memory by several threads. The packed bytes do not depend on which thread packed them, or on the
// number of threads.
#pragma once
#include <runtime/image/format/packing.hpp>
#include <runtime/image/memory/raw_threads.hpp>
#include <runtime/image/write/window.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

namespace mana::image {

/// in:     text  "auto" or a number from 1 to pack_crew::most_threads      out: 0: one for each idle core
/// errors: std::invalid_argument with a sentence for the user
unsigned parse_pack_threads(const std::string& text);

/// Belongs to a writer, whose thread is one of the crew. The writer fills windows and takes them back in the same
/// order. The other threads pack them, and so does the writer instead of waiting. Only the constructor allocates or
/// throws.
class pack_crew {
 public:
  static constexpr unsigned most_threads = 64;

  /// in: threads  in all, 1 … most_threads; one if nothing is packed       errors: std::bad_alloc
  pack_crew(const packing& how, unsigned threads);
  ~pack_crew();
  pack_crew(const pack_crew&) = delete;
  pack_crew& operator=(const pack_crew&) = delete;

  /// A window to fill; nullptr: all are under way.
  window* vacant() noexcept;
  /// The window from vacant() is full.
  void submit() noexcept;

  bool is_idle() const noexcept { return taken_back_ == submitted_; }
  struct result {
    window* of;
    bool packed;                     // false: the caller must pack it, with pack_into()
  };
  /// The oldest of the windows under way; there must be one.
  result oldest() noexcept;
  /// Packs a run of the oldest window to its final place.     in: into  room for the run
  void pack_into(window::run& r, const char* memory, char* into) noexcept { pack(packers_[0], r, memory, into); }
  /// The oldest window is no longer needed.
  void release() noexcept;

  /// Ends the threads, and gives up windows under way. The next submit() starts threads again, in the calling process.
  void stop() noexcept;

  unsigned threads() const noexcept { return threads_; }
  std::size_t memory_bytes() const noexcept;

 private:
  struct place;

  static void work(void* crew, unsigned number) noexcept;
  static void pack(packer& by, window::run& r, const char* memory, char* into) noexcept;
  void pack_window(packer& by, window& w) noexcept;
  bool claim(std::uint32_t& which) noexcept;
  void finish(std::uint32_t which) noexcept;
  place& at(std::uint32_t n) const noexcept;

  const unsigned threads_;
  const unsigned count_;             // of places
  std::deque<packer> packers_;       // the writer's is the first
  std::unique_ptr<place[]> places_;
  char* memory_ = nullptr;           // of all windows
  std::size_t window_bytes_;         // of each
  raw_threads helpers_;
  bool started_ = false;
  std::uint32_t taken_back_ = 0, submitted_ = 0;      // the writer's counts
  std::atomic<std::uint32_t> offered_{0};             // as submitted_, for all threads
  std::atomic<std::uint32_t> claimed_{0};             // windows that a thread packs or has packed
  std::atomic<std::uint32_t> news_{0};                // changes when there is work, or the threads must end
  std::atomic<std::uint32_t> asleep_{0};              // helpers that wait for news_
  std::atomic<bool> ending_{false};
};

}  // namespace mana::image
