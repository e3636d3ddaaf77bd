// MPI_Get_hw_resource_info (MPI-4.1, 11.6.3): to what hardware this process is restricted. Asked from the kernel, on the
// node where the process is at the call.
#pragma once
#include <mana/object/info/calls.hpp>

#include <sched.h>
#include <sys/stat.h>

#include <cstdio>
#include <set>
#include <string>
#include <utility>

namespace mana::library {

/// A number in a file of the kernel's; -1 if there is none.
inline int number_in(const std::string& file) noexcept {
  int number = -1;
  FILE* const f = std::fopen(file.c_str(), "re");
  if (f == nullptr) return number;
  if (std::fscanf(f, "%d", &number) != 1) number = -1;
  std::fclose(f);
  return number;
}

/// The node of memory of a processor; -1 if the kernel has none.
inline int memory_node_of(const std::string& processor) noexcept {
  constexpr int nodes = 1024;
  struct stat there {};
  if (stat("/sys/devices/system/node", &there) != 0) return -1;
  for (int node = 0; node < nodes; ++node)
    if (stat((processor + "/node" + std::to_string(node)).c_str(), &there) == 0) return node;
  return -1;
}

/// Key: a kind of hardware by its name in hwloc; value: "true" if all processors of this process are of one such.
inline object::info_store hardware_of_process() {
  cpu_set_t own;
  CPU_ZERO(&own);
  object::info_store found;
  if (sched_getaffinity(0, sizeof own, &own) != 0) return found;
  std::set<int> packages, nodes;
  std::set<std::pair<int, int>> cores;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (!CPU_ISSET(i, &own)) continue;
    const std::string processor = "/sys/devices/system/cpu/cpu" + std::to_string(i);
    const int package = number_in(processor + "/topology/physical_package_id");
    packages.insert(package);
    cores.emplace(package, number_in(processor + "/topology/core_id"));
    nodes.insert(memory_node_of(processor));
  }
  const auto say = [&](const char* kind, std::size_t number) { found.set(kind, number == 1 ? "true" : "false"); };
  say("hwloc://Machine", 1);
  say("hwloc://Package", packages.size());
  say("hwloc://NUMANode", nodes.size());
  say("hwloc://Core", cores.size());
  say("hwloc://PU", static_cast<std::size_t>(CPU_COUNT(&own)));
  return found;
}

}  // namespace mana::library

namespace mana::manual {

inline int get_hw_resource_info(MPI_Info* info) noexcept {
  const object::info_store found = library::hardware_of_process();
  return object::make_info(fn::get_hw_resource_info::id, &found, info);
}

}  // namespace mana::manual
