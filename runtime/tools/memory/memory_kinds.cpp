#include <runtime/tools/memory/memory_kinds.hpp>

#include <runtime/tools/memory/loaded_objects.hpp>

#include <fmt/format.h>

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <set>

namespace mana::tools {
namespace {

std::set<std::string> executable_files(const image::contents& about) {
  std::set<std::string> paths;
  for (const image::region& r : about.regions)
    if ((r.protection & PROT_EXEC) != 0 && !r.path.empty()) paths.insert(r.path);
  return paths;
}

class identifier {
 public:
  identifier(const saved_memory& memory, const std::vector<saved_thread>& threads)
      : objects_(loaded_objects(memory)), executable_(executable_files(memory.about())) {
    for (const saved_thread& t : threads)
      if (const image::region* const stack = memory.region_at(t.registers.rsp))
        stacks_.emplace_back(stack->begin, identity_of_stack(t));
  }

  region_identity operator()(const image::region& r) const {
    if (image::seems_contents(r)) return {memory_kind::nameless_file, r.path};
    if (r.shared) return {image::maps_file_again(r) ? memory_kind::shared_file : memory_kind::shared_memory, r.path};
    if (r.begin >= lower::bridge_address && r.end <= lower::program_zone) return {memory_kind::of_mana, {}};
    for (const loaded_object& e : objects_)
      if (e.headers <= r.begin && r.begin < e.end)
        return {e.is_program ? memory_kind::program : memory_kind::library, e.path};
    if (!r.path.empty())
      return {executable_.contains(r.path) ? memory_kind::library : memory_kind::private_file, r.path};
    if (r.begin >= lower::brk_zone && r.begin < lower::mmap_zone) return {memory_kind::heap, {}};
    if (r.begin >= lower::stack_zone && r.begin < lower::large_program_zone) return {memory_kind::stack, "initial thread"};
    for (const auto& [begin, identity] : stacks_)
      if (begin == r.begin) return identity;
    return {};
  }

 private:
  /// The thread that takes part in a checkpoint runs on one of mana's stacks.
  static region_identity identity_of_stack(const saved_thread& t) {
    if (t.is_main) return {memory_kind::of_mana, "stack of checkpoints"};
    return {memory_kind::stack, fmt::format("thread {}", t.tid)};
  }

  std::vector<loaded_object> objects_;
  std::set<std::string> executable_;
  std::vector<std::pair<std::uintptr_t, region_identity>> stacks_;
};

}  // namespace

const char* name_of(memory_kind kind) noexcept {
  switch (kind) {
    case memory_kind::program: return "program";
    case memory_kind::library: return "library";
    case memory_kind::heap: return "heap";
    case memory_kind::stack: return "stack";
    case memory_kind::anonymous: return "anonymous";
    case memory_kind::shared_memory: return "shared memory";
    case memory_kind::shared_file: return "shared file";
    case memory_kind::private_file: return "private file";
    case memory_kind::of_mana: return "of mana";
    case memory_kind::nameless_file: return "file without a name";
  }
  return "";
}

std::vector<saved_thread> threads_of(const saved_memory& memory) {
  const auto member = [&memory]<class T>(std::uintptr_t at, T otherwise) {
    return memory.get<T>(at).value_or(otherwise);
  };
  std::vector<saved_thread> all;
  if (member(lower::bridge_address + offsetof(lower::bridge, magic), std::uint64_t{0}) != lower::bridge_magic ||
      memory.about().header.layout_major != lower::layout_major)
    return all;
  const auto main = member(lower::bridge_address + offsetof(lower::bridge, main_thread), std::uint32_t{0});
  for (std::uint32_t i = 0; i < lower::max_threads; ++i) {
    const std::uintptr_t at = lower::threads_address + i * sizeof(lower::thread_block);
    using state = lower::thread_state;
    const auto now = member(at + offsetof(lower::thread_block, state), state::unused);
    if (now != state::running && now != state::parked) continue;
    all.push_back({i, member(at + offsetof(lower::thread_block, tid), 0), i == main,
                   member(at + offsetof(lower::thread_block, function), std::uint32_t{0}),
                   member(at + offsetof(lower::thread_block, upper_fs), std::uint64_t{0}),
                   member(at + offsetof(lower::thread_block, saved), lower::context{})});
  }
  std::stable_partition(all.begin(), all.end(), [](const saved_thread& t) { return t.is_main; });
  return all;
}

std::vector<region_identity> identify(const saved_memory& memory, const std::vector<saved_thread>& threads) {
  const identifier identity(memory, threads);
  std::vector<region_identity> all;
  for (const image::region& r : memory.about().regions) all.push_back(identity(r));
  return all;
}

}  // namespace mana::tools
