// Work with files beside a running program, whose descriptors are in the same table.
#pragma once
#include <runtime/files/borrowed_process.hpp>

#include <exception>

namespace mana::store {

/// Does work that opens files and closes them again with a table of descriptors of its own (INV-31). What is opened has a low
/// number for a moment, until it is moved out of the way: the program would find that number taken meanwhile, and get
/// another than natively. What the work leaves open is closed with the table. If there is none to be had, the work is done here.
/// errors: what work throws
template <class Work>
void with_own_table(Work work) {
  std::exception_ptr error;
  const auto guarded = [&]() noexcept {
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
  };
  using guarded_work = decltype(guarded);
  const auto run = [](void* what) noexcept { (*static_cast<guarded_work*>(what))(); };
  if (!in_borrowed_process(run, const_cast<void*>(static_cast<const void*>(&guarded)))) guarded();
  if (error) std::rethrow_exception(error);
}

}  // namespace mana::store
