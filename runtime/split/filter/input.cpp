#include <arch/stub_call.hpp>
#include <runtime/files/high_number.hpp>
#include <runtime/split/filter/input.hpp>
#include <runtime/split/filter/table.hpp>
#include <runtime/split/threads/twin.hpp>

#include <runtime/split/window/bridge.hpp>
#include <runtime/split/window/live_threads.hpp>

#include <mana/lower/input_count.hpp>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace mana::split {
namespace {

using lower::input_count, lower::others_had_input, lower::others_may_have_read;

constinit input_count* count = nullptr;
constinit int count_fd = -1;
constinit std::uint64_t count_inode = 0;
constinit input_file input{};
constexpr int most_numbers = 1024;
constinit bool is_trapped[most_numbers] = {};

std::vector<int>& trapped_numbers() noexcept {
  static std::vector<int> numbers;
  return numbers;
}

/// out: a descriptor with a number that is none of the program's; -1: there is none
int make_count() noexcept {
  const int fd = files::out_of_the_way(memfd_create("mana-input", MFD_CLOEXEC));
  if (fd < 0 || ftruncate(fd, sizeof(input_count)) == 0) return fd;
  close(fd);
  return -1;
}

bool is_count(int fd) noexcept {
  struct stat s{};
  return !is_error(raw_call(SYS_fstat, fd, as_word(&s))) && s.st_ino == count_inode && S_ISREG(s.st_mode);
}

/// An earlier owner of the input, for which the program need not wait, may have read from it without being counted.
void map_count(int shared, bool has_earlier) noexcept {
  count_fd = shared >= 0 ? shared : make_count();
  fcntl(count_fd, F_SETFD, FD_CLOEXEC);
  struct stat s{};
  if (fstat(count_fd, &s) == 0) count_inode = s.st_ino;
  void* const made = mmap(nullptr, sizeof(input_count), PROT_READ | PROT_WRITE,
                          count_fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED, count_fd, 0);
  count = made == MAP_FAILED ? nullptr : static_cast<input_count*>(made);
  if (count == nullptr || !has_earlier) return;
  if (shared < 0 || (count->others & others_had_input) != 0) count->others |= others_may_have_read;
}

/// Whether the call reads input without consuming it.
bool only_looks(const trap& t) noexcept { return t.number == SYS_recvfrom && (t.arg(3) & MSG_PEEK) != 0; }

}  // namespace

void count_input(input_file of, std::span<const int> numbers, earlier_count earlier) {
  const int shared = earlier.descriptor;
  if (count != nullptr) munmap(count, sizeof *count);
  if (count_fd >= 0 && count_fd != shared) close(count_fd);
  count = nullptr;
  count_fd = -1;
  std::fill(std::begin(is_trapped), std::end(is_trapped), false);
  trapped_numbers().clear();
  input = of;
  if (numbers.empty()) {
    if (shared >= 0) close(shared);
    return;
  }
  map_count(shared, earlier.is_there);
  is_trapped[0] = true;
  for (const int fd : numbers)
    if (fd < most_numbers) is_trapped[fd] = true;
    else if (count != nullptr) count->others |= others_had_input;
  for (int fd = 0; fd < most_numbers; ++fd)
    if (is_trapped[fd]) trapped_numbers().push_back(fd);
}

bool counts_input() noexcept { return count != nullptr; }
std::span<const int> input_numbers() noexcept { return trapped_numbers(); }
std::uint64_t input_read() noexcept { return count == nullptr ? 0 : count->bytes.load(std::memory_order_relaxed); }
bool may_be_read_by_others() noexcept {
  if (count == nullptr) return false;
  const std::uint32_t others = count->others.load();
  return (others & others_may_have_read) != 0 || (others != 0 && input_read() != 0);
}

bool is_input(int fd) noexcept {
  struct stat s{};
  return count != nullptr && !is_error(raw_call(SYS_fstat, fd, as_word(&s))) && s.st_dev == input.device && s.st_ino == input.inode;
}

void note_input(long bytes) noexcept {
  if (bytes > 0 && count != nullptr) count->bytes.fetch_add(static_cast<std::uint64_t>(bytes), std::memory_order_relaxed);
}

void watch_for_input(const trap& t, long number) noexcept {
  const auto fd = static_cast<int>(number);
  if (count == nullptr || fd < 0 || (fd < most_numbers && is_trapped[fd]) || t.role == process_role::borrowing || !is_input(fd))
    return;
  const bool is_alone = t.role == process_role::forked || has_one_thread();      // a filter belongs to a thread
  if (fd < most_numbers && is_alone && trap_input_by(fd)) is_trapped[fd] = true;
  else count->others |= others_had_input;
}

int give_count(bool survives) noexcept {
  if (count == nullptr || count_fd < 0 || !is_count(count_fd)) return -1;
  raw_call(SYS_fcntl, count_fd, F_SETFD, survives ? 0 : FD_CLOEXEC);
  return count_fd;
}

void lose_input() noexcept {
  if (count == nullptr) return;
  for (int fd = 0; fd < most_numbers; ++fd) {
    if (!is_trapped[fd] || !is_input(fd)) continue;
    int unread = 0;
    raw_call(SYS_ioctl, fd, FIONREAD, as_word(&unread));
    count->others |= unread > 0 ? others_had_input | others_may_have_read : others_had_input;
    return;
  }
}

/// read, readv, preadv2, splice, recvfrom: the stub makes them, since each may wait.
long trap_input(trap& t) {
  const bool counts = is_input(static_cast<int>(t.arg(0))) && !only_looks(t);
  return continue_in_stub(t, counts ? stub().reported_call : stub().call);
}

}  // namespace mana::split
