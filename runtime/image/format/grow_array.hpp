// An array that grows without malloc. A process forked from a running multithreaded one may find malloc's locks held
// forever.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace mana::image {

template <class T>
class grow_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  grow_array() = default;
  ~grow_array() { release(); }
  grow_array(grow_array&& from) noexcept
      : data_(std::exchange(from.data_, nullptr)), size_(std::exchange(from.size_, 0)),
        bytes_(std::exchange(from.bytes_, 0)) {}
  grow_array& operator=(grow_array&& from) noexcept {
    release();
    data_ = std::exchange(from.data_, nullptr);
    size_ = std::exchange(from.size_, 0);
    bytes_ = std::exchange(from.bytes_, 0);
    return *this;
  }

  /// out: false if the system has no memory; errno says why
  [[nodiscard]] bool push(const T& value) noexcept {
    if ((size_ + 1) * sizeof(T) > bytes_ && !grow()) return false;
    data_[size_++] = value;
    return true;
  }
  void clear() noexcept { size_ = 0; }
  bool empty() const noexcept { return size_ == 0; }
  std::size_t size() const noexcept { return size_; }
  std::size_t bytes() const noexcept { return bytes_; }      // that the array takes
  T& back() noexcept { return data_[size_ - 1]; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  std::span<const T> all() const noexcept { return {data_, size_}; }

 private:
  static constexpr std::size_t least = 1u << 20;

  bool grow() noexcept {
    const std::size_t wanted = bytes_ == 0 ? least : 2 * bytes_;
    void* const at = bytes_ == 0 ? mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                 : mremap(data_, bytes_, wanted, MREMAP_MAYMOVE);
    if (at == MAP_FAILED) return false;
    data_ = static_cast<T*>(at);
    bytes_ = wanted;
    return true;
  }
  void release() noexcept {
    if (bytes_ != 0) munmap(data_, bytes_);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0, bytes_ = 0;
};

}  // namespace mana::image
