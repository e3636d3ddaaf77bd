// Files without a name that several ranks had open or mapped (unlinked POSIX shared memory and semaphores, System V
// segments, deleted files): ranks that are on one machine again share one again.
//
// Each rank makes its own and offers it as /proc/PID/fd/FD; of equal ones that of the lowest rank is everybody's. There
// is never a name that a killed restart could leave behind, nor one that somebody else could take.
#pragma once
#include <runtime/descriptors/capture.hpp>

#include <cstdint>
#include <vector>

namespace mana::job {

struct offered_object {
  std::uint64_t machine_then, machine_now;   // names' hashes; now: and of the namespace of process ids
  std::uint64_t device, inode;               // then
  std::int64_t size;                         // bytes
  std::int64_t process, fd;                  // that have it now
  std::int64_t described;                    // 1: by a descriptor
};

/// Collective over the runtime's world. out: what all ranks have, by their ranks
std::vector<offered_object> exchange_objects(const descriptors::restoration& files);

/// Takes others' objects instead of this rank's. No rank may close its objects before all have done this.
/// errors: descriptor_error
void share_objects(descriptors::restoration& files, const std::vector<offered_object>& offers);

}  // namespace mana::job
