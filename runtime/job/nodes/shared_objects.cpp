#include <runtime/job/nodes/shared_objects.hpp>

#include <runtime/lower/own_state.hpp>

#include <fcntl.h>
#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace mana::job {

namespace {

std::uint64_t hash_of(const std::string& text) { return XXH3_64bits(text.data(), text.size()); }

/// out: equal for processes that can open each other's descriptors
std::uint64_t this_machine() {
  struct stat ids{};
  stat("/proc/self/ns/pid", &ids);
  return hash_of(descriptors::name_of_machine() + " " + std::to_string(ids.st_ino));
}

std::vector<offered_object> own_offers(const descriptors::restoration& files) {
  std::vector<offered_object> all;
  const std::string then = files.machine();
  if (then.empty()) return all;
  for (const descriptors::shared_object& o : files.shared())
    all.push_back({hash_of(then), this_machine(), o.key.first, o.key.second, o.size, getpid(), o.fd, o.described});
  return all;
}

bool are_one(const offered_object& a, const offered_object& b) noexcept {
  return a.machine_then == b.machine_then && a.machine_now == b.machine_now && a.device == b.device &&
         a.inode == b.inode;
}

/// out: the object that serves for all. An object with a descriptor comes first; among equals, the lowest rank's.
offered_object everybodys(const offered_object& one, const std::vector<offered_object>& offers) {
  const offered_object* chosen = nullptr;
  std::int64_t size = 0;
  for (const offered_object& o : offers) {
    if (!are_one(one, o)) continue;
    size = std::max(size, o.size);
    if (chosen == nullptr || o.described > chosen->described) chosen = &o;
  }
  offered_object found = chosen != nullptr ? *chosen : one;
  found.size = size;
  return found;
}

class others_descriptor {
 public:
  explicit others_descriptor(const offered_object& o) {
    const std::string path = "/proc/" + std::to_string(o.process) + "/fd/" + std::to_string(o.fd);
    fd_ = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd_ < 0)
      throw descriptors::descriptor_error(
          path + ": memory or a file without a name, which several ranks shared, cannot be opened in the rank that "
                 "restored it: " + std::strerror(errno));
  }
  ~others_descriptor() { close(fd_); }
  others_descriptor(const others_descriptor&) = delete;
  others_descriptor& operator=(const others_descriptor&) = delete;
  int descriptor() const noexcept { return fd_; }

 private:
  int fd_ = -1;
};

}  // namespace

std::vector<offered_object> exchange_objects(const descriptors::restoration& files) {
  const MPI_Comm world = real_mpi::own().world;
  int ranks = 1;
  PMPI_Comm_size(world, &ranks);
  const std::vector<offered_object> mine = own_offers(files);
  const int bytes = static_cast<int>(mine.size() * sizeof(offered_object));
  std::vector<int> counts(static_cast<std::size_t>(ranks)), begins(static_cast<std::size_t>(ranks));
  PMPI_Allgather(&bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, world);
  int all = 0;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    begins[rank] = all;
    all += counts[rank];
  }
  std::vector<offered_object> offers(static_cast<std::size_t>(all) / sizeof(offered_object));
  if (all > 0)
    PMPI_Allgatherv(mine.data(), bytes, MPI_BYTE, offers.data(), counts.data(), begins.data(), MPI_BYTE, world);
  return offers;
}

void share_objects(descriptors::restoration& files, const std::vector<offered_object>& offers) {
  for (const offered_object& own : own_offers(files)) {
    const offered_object chosen = everybodys(own, offers);
    const descriptors::file_key key = {own.device, own.inode};
    if (chosen.process == own.process) {
      files.replace(key, static_cast<int>(own.fd), chosen.size);
    } else {
      files.replace(key, others_descriptor(chosen).descriptor(), chosen.size);
    }
  }
}

}  // namespace mana::job
