// A value in memory that a process shares with its forked children.
#pragma once
#include <sys/mman.h>

#include <new>

namespace mana::image {

template <class T>
class shared_value {
 public:
  /// errors: std::bad_alloc
  shared_value() {
    void* const at = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    value_ = new (at) T;
  }
  ~shared_value() { munmap(value_, sizeof(T)); }
  shared_value(const shared_value&) = delete;
  shared_value& operator=(const shared_value&) = delete;
  T* operator->() const noexcept { return value_; }
  T& operator*() const noexcept { return *value_; }

 private:
  T* value_;
};

}  // namespace mana::image
