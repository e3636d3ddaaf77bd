#include <runtime/split/traps/descriptors/queue_notices.hpp>

#include <runtime/split/call/trap.hpp>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>

#include <unistd.h>

namespace mana::split {
namespace {

/// The system's own limit of queues (fs.mqueue.queues_max).
constexpr std::size_t most_notices = 256;
constinit queue_notice all_notices[most_notices] = {};
constinit std::size_t notice_count = 0;
constinit std::size_t next_replaced = 0;
constinit raw_lock notices_lock;

/// The contents of the queue's file.
struct told_by_kernel { int kind = -1, signal = 0, process = 0; };

told_by_kernel ask(int fd) noexcept {
  char text[128] = {};
  told_by_kernel found;
  if (pread(fd, text, sizeof text - 1, 0) <= 0) return found;
  const char* const notice = std::strstr(text, "NOTIFY:");
  if (notice == nullptr ||
      std::sscanf(notice, "NOTIFY:%d SIGNO:%d NOTIFY_PID:%d", &found.kind, &found.signal, &found.process) != 3)
    return {};
  return found;
}

bool is_set(const queue_notice& n) noexcept {
  const told_by_kernel now = ask(n.fd);
  return now.process == getpid() && now.kind == n.kind && (n.kind != SIGEV_SIGNAL || now.signal == n.signal);
}

}  // namespace

/// The last request by a descriptor counts.
void note_queue_notice(const queue_notice& asked) noexcept {
  const std::scoped_lock hold(notices_lock);
  for (std::size_t i = 0; i < notice_count; ++i)
    if (all_notices[i].fd == asked.fd) {
      all_notices[i] = asked;
      return;
    }
  const bool has_room = notice_count < most_notices;
  all_notices[has_room ? notice_count++ : next_replaced++ % most_notices] = asked;
}

std::vector<queue_notice> queue_notices() {
  std::vector<queue_notice> found;
  const std::scoped_lock hold(notices_lock);
  for (std::size_t i = 0; i < notice_count; ++i)
    if (is_set(all_notices[i])) found.push_back(all_notices[i]);
  return found;
}

bool is_to_be_told(int fd) noexcept {
  const told_by_kernel now = ask(fd);
  return now.kind >= 0 && now.process == getpid();
}

/// mq_notify(queue, event)
long trap_mq_notify(trap& t) {
  sigevent event{};
  const auto wanted = t.pointer<const sigevent>(1);
  const bool is_known = t.role == process_role::owner && !wanted.is_null() && wanted.get(event) == 0;
  const long result = t.carry_out();
  const bool is_kept = event.sigev_notify == SIGEV_SIGNAL || event.sigev_notify == SIGEV_NONE;
  if (is_error(result) || !is_known || !is_kept) return result;
  note_queue_notice({static_cast<int>(t.arg(0)), event.sigev_notify, event.sigev_signo,
                     reinterpret_cast<std::uint64_t>(event.sigev_value.sival_ptr)});
  return result;
}

}  // namespace mana::split
