#include <runtime/descriptors/memory/segments.hpp>

#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include <cstring>

using nlohmann::json;

namespace mana::descriptors {

json describe_segment(int id, std::uint64_t bytes) {
  constexpr std::uint64_t page = 4096;
  shmid_ds s{};
  if (shmctl(id, IPC_STAT, &s) != 0 || (s.shm_perm.mode & SHM_DEST) != 0) return {};
  if ((s.shm_segsz + page - 1) / page * page != bytes) return {};
  return {{"id", id},
          {"key", s.shm_perm.__key},
          {"bytes", s.shm_segsz},
          {"creator", s.shm_cpid},
          {"changed", s.shm_ctime}};
}

int find_segment(const json& described) noexcept {
  try {
    const int id = described.at("id");
    shmid_ds s{};
    const bool is = shmctl(id, IPC_STAT, &s) == 0 && (s.shm_perm.mode & SHM_DEST) == 0 && s.shm_perm.uid == geteuid() &&
                    described.at("key") == s.shm_perm.__key && described.at("bytes") == s.shm_segsz &&
                    described.at("creator") == s.shm_cpid && described.at("changed") == s.shm_ctime;
    return is ? id : -1;
  } catch (const json::exception&) {
    return -1;                          // of another version: the memory from the image serves instead
  }
}

bool clear_segment(int id) noexcept {
  shmid_ds s{};
  void* const at = shmat(id, nullptr, 0);
  if (at == reinterpret_cast<void*>(-1)) return false;
  if (shmctl(id, IPC_STAT, &s) == 0 && madvise(at, s.shm_segsz, MADV_REMOVE) != 0) std::memset(at, 0, s.shm_segsz);
  shmdt(at);
  return true;
}

}  // namespace mana::descriptors
