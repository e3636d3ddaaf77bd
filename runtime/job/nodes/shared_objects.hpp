// Files without a name that several ranks had open or mapped: unlinked POSIX shared memory and semaphores, System V
// segments, deleted files. After a restart, ranks on the same machine share one object again.
//
// Each rank makes its own object and offers it as /proc/PID/fd/FD. Of equal objects, all ranks take the lowest
// rank's. The objects have no name, so a killed restart leaves none behind, and no other process can take one.
#pragma once
#include <runtime/descriptors/capture.hpp>

#include <cstdint>
#include <vector>

namespace mana::job {

struct offered_object {
  std::uint64_t machine_then, machine_now;   // hashes of names; machine_now also of the namespace of process ids
  std::uint64_t device, inode;               // at the checkpoint
  std::int64_t size;                         // bytes
  std::int64_t process, fd;                  // that have it now
  std::int64_t described;                    // 1: a descriptor describes it
};

/// out: the objects of all ranks, by rank. Collective over the runtime's world.
std::vector<offered_object> exchange_objects(const descriptors::restoration& files);

/// Replaces this rank's objects by those of other ranks. No rank may close its objects before all ranks have returned
/// from this.
/// errors: descriptor_error
void share_objects(descriptors::restoration& files, const std::vector<offered_object>& offers);

}  // namespace mana::job
