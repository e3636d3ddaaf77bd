#include <runtime/descriptors/base/spare_numbers.hpp>

#include <runtime/descriptors/base/failure.hpp>
#include <runtime/descriptors/base/low_descriptor_guard.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace mana::descriptors {

spare_numbers::spare_numbers(const nlohmann::json& rows) {
  for (const nlohmann::json& row : rows) wanted_.insert(row.at("fd").get<int>());
  rlimit limit{};
  if (wanted_.empty() || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const auto needed = static_cast<rlim_t>(*wanted_.rbegin()) + 1;
  if (limit.rlim_cur >= needed) return;
  limit.rlim_cur = std::min(needed, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

int spare_numbers::duplicate(int fd) const {
  const int above_all = std::max(first_lower_descriptor(), wanted_.empty() ? 0 : *wanted_.rbegin() + 1);
  if (const int made = fcntl(fd, F_DUPFD_CLOEXEC, above_all); made >= 0) return made;
  for (int from = first_lower_descriptor();; ++from) {   // a gap among the program's numbers, which may reach the limit
    while (wanted_.contains(from)) ++from;
    const int made = fcntl(fd, F_DUPFD_CLOEXEC, from);
    if (made < 0) fail("a descriptor", "cannot be duplicated; raise the limit of open files (ulimit -n) to that of "
                                       "the checkpoint");
    if (!wanted_.contains(made)) return made;
    close(made);
    from = made;
  }
}

int spare_numbers::move(int fd) const {
  if (fd < 0) fail("a descriptor", "cannot be made again");
  const int made = duplicate(fd);
  close(fd);
  return made;
}

}  // namespace mana::descriptors
