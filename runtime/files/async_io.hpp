// The kernel's queue of reads and writes (Linux AIO). It uses raw system calls, because a forked process writes too.
#pragma once
#include <linux/aio_abi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace mana::files {

/// A queue belongs to this process's memory: a forked process cannot use it.
///
/// To destroy a queue takes the kernel two of its grace periods, some 50 ms, and the program waits. So the process
/// keeps an idle queue for the next open().
class async_queue {
 public:
  static constexpr unsigned most_under_way = 64;

  async_queue() = default;
  ~async_queue() { close(); }
  async_queue(const async_queue&) = delete;
  async_queue& operator=(const async_queue&) = delete;

  /// out: false; errno says why
  bool open() noexcept {
    context_ = take_kept();
    return context_ != 0 || syscall(SYS_io_setup, most_under_way, &context_) == 0;
  }
  /// Call when no transfer is under way.
  void close() noexcept {
    if (context_ != 0 && (under_way_ > 0 || !keep(context_))) syscall(SYS_io_destroy, context_);
    context_ = 0;
    under_way_ = 0;
  }

  struct transfer {
    int fd;
    void* memory;
    std::size_t bytes;
    std::uint64_t offset;            // in the file
    std::uint64_t tag;               // comes back as io_event::data
  };
  bool write(const transfer& t) noexcept { return submit(t, IOCB_CMD_PWRITE); }
  bool read(const transfer& t) noexcept { return submit(t, IOCB_CMD_PREAD); }

  /// Waits for at least one.     out: how many; -1: errno says why
  long await(io_event* events, long most) noexcept {
    long n = 0;
    do n = syscall(SYS_io_getevents, context_, 1, most, events, nullptr);
    while (n < 0 && errno == EINTR);
    if (n > 0) under_way_ -= n;
    return n;
  }

 private:
  static inline std::atomic<aio_context_t> kept_{0};
  static inline std::atomic<pid_t> keeper_{0};          // process: a forked copy has this variable, but not the queue

  static aio_context_t take_kept() noexcept { return keeper_.load() == getpid() ? kept_.exchange(0) : 0; }
  static bool keep(aio_context_t context) noexcept {
    if (keeper_.exchange(getpid()) != getpid()) kept_.store(0);
    aio_context_t none = 0;
    return kept_.compare_exchange_strong(none, context);
  }

  bool submit(const transfer& t, std::uint16_t what) noexcept {
    iocb request{};
    request.aio_data = t.tag;
    request.aio_lio_opcode = what;
    request.aio_fildes = static_cast<std::uint32_t>(t.fd);
    request.aio_buf = reinterpret_cast<std::uint64_t>(t.memory);
    request.aio_nbytes = t.bytes;
    request.aio_offset = static_cast<std::int64_t>(t.offset);
    iocb* list[] = {&request};
    long rc = 0;
    do rc = syscall(SYS_io_submit, context_, 1, list);
    while (rc < 0 && errno == EINTR);
    if (rc == 1) ++under_way_;
    return rc == 1;
  }

  aio_context_t context_ = 0;
  long under_way_ = 0;
};

}  // namespace mana::files
