// Work with files beside a running program, whose descriptors are in the same table.
#pragma once
#include <sched.h>

#include <exception>
#include <system_error>
#include <thread>

namespace mana::store {

/// Does work that opens files and closes them again, in a thread with a table of descriptors of its own (INV-31). What is opened
/// has a low number for a moment, until it is moved out of the way: the program would find that number taken meanwhile,
/// and get another than natively. What the work leaves open is closed with the thread. If there is no thread to be had, it is
/// done here.
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
  try {
    std::thread apart([&]() noexcept {
      unshare(CLONE_FILES);
      guarded();
    });
    apart.join();
  } catch (const std::system_error&) {
    guarded();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace mana::store
