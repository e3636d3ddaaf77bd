#include <runtime/descriptors/files/locks.hpp>

#include <runtime/descriptors/base/failure.hpp>
#include <runtime/descriptors/base/proc_info.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using nlohmann::json;

namespace mana::descriptors {

namespace {

bool take(int fd, const json& lock) {
  const bool write = lock.at("write");
  if (lock.at("kind") == "FLOCK") return flock(fd, (write ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0;
  struct flock wanted{};
  wanted.l_type = static_cast<short>(write ? F_WRLCK : F_RDLCK);
  wanted.l_whence = SEEK_SET;
  wanted.l_start = lock.at("begin");
  wanted.l_len = lock.at("length");
  return fcntl(fd, lock.at("kind") == "OFDLCK" ? F_OFD_SETLK : F_SETLK, &wanted) == 0;
}

}  // namespace

/// "1: FLOCK  ADVISORY  WRITE 359 00:13:11691 0 EOF"
void describe_locks(int fd, json& row) {
  for (const std::string& line : info_lines(fd, "lock:")) {
    char kind[16] = {}, access[16] = {}, last[32] = {};
    long long begin = 0;
    if (std::sscanf(line.c_str(), "%*d: %15s %*s %15s %*d %*x:%*x:%*u %lld %31s", kind, access, &begin, last) != 4)
      continue;
    if (std::strcmp(kind, "LEASE") == 0) {
      row["lease"] = fcntl(fd, F_GETLEASE);
      continue;
    }
    const long long length = std::strcmp(last, "EOF") == 0 ? 0 : std::strtoll(last, nullptr, 10) - begin + 1;
    row["locks"].push_back(
        {{"kind", kind}, {"write", std::strcmp(access, "WRITE") == 0}, {"begin", begin}, {"length", length}});
  }
}

namespace {

/// The kernel grants no read lease on a file that is open for writing. So such a lease was a write lease that another
/// process breaks: it opens the file for reading, and waits until the lease is a read lease. The program knows, and is
/// not told again.
bool lease_that_is_being_broken(int fd) {
  f_owner_ex owner{}, nobody{F_OWNER_PID, 0};
  if (fcntl(fd, F_SETLEASE, F_WRLCK) != 0) return false;
  fcntl(fd, F_GETOWN_EX, &owner);
  fcntl(fd, F_SETOWN_EX, &nobody);
  const int reader = open_again(fd, O_RDONLY | O_NONBLOCK);
  if (reader >= 0) close(reader);
  fcntl(fd, F_SETOWN_EX, &owner);
  return fcntl(fd, F_GETLEASE) == F_RDLCK;
}

/// If another process was breaking the lease, the program gets the lease that it knows it must change to.
void lease_again(const json& row) {
  const int fd = row.at("fd"), lease = row.at("lease");
  if (lease == F_UNLCK || fcntl(fd, F_SETLEASE, lease) == 0) return;
  const bool writes = (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
  if (lease == F_RDLCK && writes && lease_that_is_being_broken(fd)) return;
  throw descriptor_error(row.at("path").get<std::string>() + ": the program's lease of it cannot be taken again (" +
                         std::strerror(errno) + "): close it in the other programs that have it open, and restart");
}

}  // namespace

void lock_again(const json& row) {
  if (row.contains("lease")) lease_again(row);
  if (!row.contains("locks")) return;
  for (const json& lock : row.at("locks")) {
    if (take(row.at("fd"), lock) || row.at("inherited")) continue;
    const std::string path = row.at("path");
    if (errno != EWOULDBLOCK && errno != EACCES) fail(path, "cannot be locked again");
    throw descriptor_error(path + ": another process has locked it; the program held a lock of it at the checkpoint: "
                           "end that process, and restart");
  }
}

}  // namespace mana::descriptors
