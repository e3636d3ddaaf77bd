// Packs windows of memory by several threads, in turn. What they are packed to does not depend on who packed them, nor
// on how many threads there are.
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

/// in:     text  "auto" or a number from 1 to pack_crew::most_threads      out: 0: as many as have idle cores
/// errors: std::invalid_argument with a sentence
unsigned parse_pack_threads(const std::string& text);

/// Of a writer, whose thread is one of them. The writer fills windows and takes them back in the same order; the others
/// pack what lies between, and the writer too where it would have to wait. Only the constructor allocates or throws.
class pack_crew {
 public:
  static constexpr unsigned most_threads = 64;

  /// in: threads  in all, 1 … most_threads; one if nothing is packed       errors: std::bad_alloc
  pack_crew(const packing& how, unsigned threads);
  ~pack_crew();
  pack_crew(const pack_crew&) = delete;
  pack_crew& operator=(const pack_crew&) = delete;

  /// To be filled; nullptr: all are under way.
  window* vacant() noexcept;
  /// What vacant() gave is filled.
  void submit() noexcept;

  bool is_idle() const noexcept { return taken_back_ == submitted_; }
  struct result {
    window* of;
    bool packed;                     // false: still to be packed, by the caller with pack_into()
  };
  /// The window that was submitted before all others that are under way; there is one.
  result oldest() noexcept;
  /// Packs a run of it to where it is to be.     in: into  room for the run
  void pack_into(window::run& r, const char* memory, char* into) noexcept { pack(packers_[0], r, memory, into); }
  /// The oldest is not needed any more.
  void release() noexcept;

  /// The threads end. Windows under way are given up. The next submit() starts threads again, in the process that
  /// calls.
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
  std::atomic<std::uint32_t> offered_{0};             // as submitted_, for all
  std::atomic<std::uint32_t> claimed_{0};             // windows that somebody packs or has packed
  std::atomic<std::uint32_t> news_{0};                // changes when there is something to do, or to end for
  std::atomic<std::uint32_t> asleep_{0};              // helpers that wait for news
  std::atomic<bool> ending_{false};
};

}  // namespace mana::image
