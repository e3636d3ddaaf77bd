#include <runtime/descriptors/kinds/message_queues.hpp>

#include <runtime/descriptors/base/proc_info.hpp>

#include <runtime/split/traps/descriptors/queue_notices.hpp>

#include <fcntl.h>
#include <mqueue.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>

using nlohmann::json;

namespace mana::descriptors {

namespace {
constexpr long message_queue_magic = 0x19800202;   // of the file system "mqueue": no header names it

/// The process's state contains it (process_state/kept_notices.hpp).
bool is_kept(const struct stat& queue) {
  return std::ranges::any_of(split::queue_notices(), [&](const split::queue_notice& n) {
    struct stat s{};
    return fstat(n.fd, &s) == 0 && s.st_dev == queue.st_dev && s.st_ino == queue.st_ino;
  });
}

}  // namespace

bool is_message_queue(int fd) noexcept {
  struct statfs system{};
  return fstatfs(fd, &system) == 0 && system.f_type == message_queue_magic;
}

void describe_message_queue(int fd, json& row, report& said) {
  struct stat s{};
  mq_attr room{};
  fstat(fd, &s);
  mq_getattr(fd, &room);
  row["kind"] = "message queue";
  row["mode"] = s.st_mode & 0777;
  row["gone"] = s.st_nlink == 0;
  row["room"] = {room.mq_maxmsg, room.mq_msgsize};
  if (split::is_to_be_told(fd) && !is_kept(s))
    said.warn(fd, row, "is a message queue that notifies a thread (mq_notify): after a restart it does not");
  if (room.mq_curmsgs == 0) return;
  said.warn(fd, row, s.st_nlink == 0 ? "is a message queue that was unlinked: after a restart it is empty"
                                     : "is a message queue: a restart finds in it the messages that the system still "
                                       "has");
}

int open_message_queue(const json& row) {
  const std::string path = without_deleted(row.at("path"));
  const int flags = row.at("flags").get<int>() & (O_ACCMODE | O_NONBLOCK);
  mq_attr room{};
  room.mq_maxmsg = row.at("room").at(0);
  room.mq_msgsize = row.at("room").at(1);
  if (!row.at("gone").get<bool>()) return mq_open(path.c_str(), flags | O_CREAT, row.at("mode").get<mode_t>(), &room);
  const std::string own = "/mana-" + std::to_string(getpid()) + "-" + std::to_string(row.at("fd").get<int>());
  const int fd = mq_open(own.c_str(), flags | O_CREAT | O_EXCL, row.at("mode").get<mode_t>(), &room);
  if (fd >= 0) mq_unlink(own.c_str());
  return fd;
}

}  // namespace mana::descriptors
