#include <runtime/process_state/kept_notices.hpp>

#include <runtime/files/own_table.hpp>
#include <runtime/split/traps/descriptors/queue_notices.hpp>

#include <mqueue.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <new>
#include <utility>

namespace mana::process_state {

namespace {

/// -1: not known
std::int64_t messages_in(int fd) noexcept {
  mq_attr now{};
  return mq_getattr(fd, &now) == 0 ? now.mq_curmsgs : -1;
}

/// Sends the signal that the kernel would send for a message.
void tell(const kept_notice& n) noexcept {
  if (n.kind != SIGEV_SIGNAL) return;
  siginfo_t info{};
  info.si_signo = n.signal;
  info.si_code = SI_MESGQ;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = reinterpret_cast<void*>(n.value);
  syscall(SYS_rt_sigqueueinfo, getpid(), n.signal, &info);
}

}  // namespace

std::vector<kept_notice> read_notices() {
  std::vector<kept_notice> all;
  for (const split::queue_notice& n : split::queue_notices())
    all.push_back({n.fd, n.kind, n.signal, n.value, messages_in(n.fd)});
  return all;
}

/// Asks first and looks then: a message in between is reported by the kernel, or seen here.
std::vector<std::string> ask_again(std::span<const kept_notice> notices) {
  bool well = true;
  for (const kept_notice& n : notices) {
    sigevent event{};
    event.sigev_notify = n.kind;
    event.sigev_signo = n.signal;
    event.sigev_value.sival_ptr = reinterpret_cast<void*>(n.value);
    if (mq_notify(n.fd, &event) != 0) {
      well = false;
      continue;
    }
    split::note_queue_notice({n.fd, n.kind, n.signal, n.value});
    if (n.messages != 0 || messages_in(n.fd) <= 0 || !split::is_to_be_told(n.fd)) continue;
    mq_notify(n.fd, nullptr);
    tell(n);
  }
  return well ? std::vector<std::string>() : std::vector<std::string>{"the notification of messages in a queue "
                                                                      "(mq_notify)"};
}

namespace {

void* look() noexcept {
  try {
    std::vector<kept_notice> all = read_notices();
    return all.empty() ? nullptr : new std::vector<kept_notice>(std::move(all));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void ask_for_all(void* seen) noexcept {
  const std::unique_ptr<std::vector<kept_notice>> all(static_cast<std::vector<kept_notice>*>(seen));
  std::erase_if(*all, [](const kept_notice& n) { return split::is_to_be_told(n.fd); });
  try {
    ask_again(*all);
  } catch (const std::bad_alloc&) {
  }
}

constexpr files::table_loss notices_of_tables{look, ask_for_all};

}  // namespace

void keep_notices_of_tables() noexcept { files::loss_of_tables = &notices_of_tables; }

}  // namespace mana::process_state
