// The functions that a compiler may call where no program names them: clang copies a siginfo_t by memcpy. The stub has no
// libc. The empty statement keeps the compiler from making of each loop a call of itself.
#include <cstddef>

extern "C" {

void* memcpy(void* to, const void* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    static_cast<char*>(to)[i] = static_cast<const char*>(from)[i];
    asm volatile("" ::: "memory");
  }
  return to;
}

void* memset(void* to, int value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    static_cast<char*>(to)[i] = static_cast<char>(value);
    asm volatile("" ::: "memory");
  }
  return to;
}

}  // extern "C"
