#include <runtime/split/window/former_ids.hpp>

#include <runtime/split/window/raw.hpp>
#include <runtime/split/window/saved_state.hpp>

#include <algorithm>
#include <csignal>

#include <sys/wait.h>

namespace mana::split {
namespace {

void add(former_ids& ids, former_ids::entry e) noexcept {
  auto* end = std::remove_if(ids.of, ids.of + ids.count, [=](const former_ids::entry& old) { return old.before == e.before; });
  if (end == ids.of + former_ids::capacity) end = std::move(ids.of + 1, end, ids.of);
  *end++ = e;
  ids.count = static_cast<std::uint32_t>(end - ids.of);
}

/// If the new ids do not fit, removes those that a thread had between its first and its last one.
void make_room(former_ids& ids, std::size_t wanted) noexcept {
  if (ids.count + wanted <= former_ids::capacity) return;
  former_ids::entry* end = ids.of;
  for (const former_ids::entry& e : std::span(ids.of, ids.count))
    if (std::none_of(ids.of, end, [&](const former_ids::entry& first) { return first.now == e.now; })) *end++ = e;
  ids.count = static_cast<std::uint32_t>(end - ids.of);
}

constinit bool of_one_process = false;

bool is_own_thread(std::int32_t id) noexcept { return raw_call(SYS_tgkill, raw_call(SYS_getpid), id, 0) == 0; }

bool is_child(std::int32_t id) noexcept {
  siginfo_t unused;
  return raw_call(SYS_waitid, P_PID, id, as_word(&unused), WEXITED | WNOHANG | WNOWAIT | __WALL, 0) == 0;
}

}  // namespace

void renumber(former_ids& ids, std::span<const thread_renumbering> threads) noexcept {
  former_ids::entry* end = ids.of;
  for (const former_ids::entry& e : std::span(ids.of, ids.count)) {
    const auto thread = std::find_if(threads.begin(), threads.end(), [&](const auto& t) { return t.before == e.now; });
    if (thread != threads.end()) *end++ = {e.before, thread->now};
  }
  ids.count = static_cast<std::uint32_t>(end - ids.of);
  make_room(ids, threads.size());
  for (const thread_renumbering& t : threads) add(ids, {t.before, t.now});
}

void tell_first_ids(bool is_alone) noexcept { of_one_process = is_alone; }
bool tells_first_ids() noexcept { return of_one_process; }

std::int32_t named_by(const former_ids& ids, std::int32_t id) noexcept {
  for (std::uint32_t i = ids.count; i-- != 0;)
    if (ids.of[i].before == id) return ids.of[i].now;
  return id;
}

std::int32_t current_id(std::int32_t id) noexcept {
  const std::int32_t now = named_by(saved().former, id);
  return now == id || is_own_thread(id) || is_child(id) ? id : now;
}

}  // namespace mana::split
