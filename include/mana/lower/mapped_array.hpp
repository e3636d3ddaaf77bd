// Memory for code that runs in a checkpoint or at a restart, perhaps in a signal handler that interrupted malloc.
#pragma once
#include <mana/lower/cross.hpp>

#include <sys/mman.h>

#include <cstddef>

namespace mana::lower {

/// An array from mmap. T must be trivial.
template <class T>
class mapped_array {
 public:
  explicit mapped_array(std::size_t n) noexcept : bytes_(n * sizeof(T) + 1) {
    void* const p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const services& s = *the_bridge().service;
    if (p == MAP_FAILED) cross([&] { s.fatal("no memory for a list that a checkpoint or a restart needs"); });
    data_ = static_cast<T*>(p);
  }
  ~mapped_array() { munmap(data_, bytes_); }
  mapped_array(const mapped_array&) = delete;
  mapped_array& operator=(const mapped_array&) = delete;
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  T* data() noexcept { return data_; }

 private:
  std::size_t bytes_;
  T* data_ = nullptr;
};

}  // namespace mana::lower
