#include <runtime/descriptors/files/signals_of_files.hpp>

#include <fcntl.h>
#include <unistd.h>

using nlohmann::json;

namespace mana::descriptors {

namespace {

/// Whether the owner's number means this process in any restart. Of threads, a restart can find the number of the first
/// alone.
bool is_own(const f_owner_ex& owner) noexcept {
  return owner.pid == (owner.type == F_OWNER_PGRP ? getpgrp() : getpid());
}

}  // namespace

void describe_signals(int fd, json& row, report& said) {
  f_owner_ex owner{};
  const int signal = fcntl(fd, F_GETSIG);
  if (signal > 0) row["signal"] = signal;
  if (fcntl(fd, F_GETOWN_EX, &owner) != 0 || owner.pid == 0) return;
  if (is_own(owner)) row["owner"] = static_cast<int>(owner.type);
  else said.warn(fd, row, "sends its signals to another thread or process: after a restart it sends none");
}

void set_signals(const json& row) {
  const int fd = row.at("fd");
  if (row.contains("owner")) {
    f_owner_ex owner{};
    owner.type = static_cast<decltype(owner.type)>(row.at("owner").get<int>());
    owner.pid = owner.type == F_OWNER_PGRP ? getpgrp() : getpid();
    fcntl(fd, F_SETOWN_EX, &owner);
  }
  if (row.contains("signal")) fcntl(fd, F_SETSIG, row.at("signal").get<int>());
  if ((row.value("flags", 0) & O_ASYNC) != 0) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC);
}

}  // namespace mana::descriptors
