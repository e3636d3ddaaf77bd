#include <runtime/job/save/failing_drain.hpp>

#include <runtime/job/control_of_job.hpp>
#include <runtime/job/start_failure.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

namespace mana::job {

namespace {

lower::services true_ones;

constexpr int failure = neutral::err_other;

/// out: true once, in a drain
bool fails_now() noexcept {
  static bool has_failed = false;      // of the thread that drains
  if (has_failed || lower::the_bridge().current.load(std::memory_order_acquire) != lower::phase::draining) return false;
  return has_failed = true;
}

/// Each row puts its failing function into the table.
struct row {
  const char* name;
  void (*put)(lower::services&);
};
constexpr std::array rows{
    row{"test_some", [](lower::services& t) {
          t.test_some = [](int n, real<kind::request>* requests, neutral::status* statuses) {
            const int done = true_ones.test_some(n, requests, statuses);
            int ended = 0;
            while (ended < n && requests[ended]) ++ended;
            if (ended < n && done != 0 && fails_now()) statuses[ended].error = failure;
            return done;
          };
        }},
    row{"mprobe", [](lower::services& t) {
          t.mprobe = [](int source, int tag, real<kind::comm> comm, int block, int* flag, real<kind::message>* message,
                        neutral::status* status) {
            return fails_now() ? failure : true_ones.mprobe(source, tag, comm, block, flag, message, status);
          };
        }},
    row{"mrecv_bytes", [](lower::services& t) {
          t.mrecv_bytes = [](void* buffer, std::int64_t bytes, real<kind::message> message, neutral::status* status) {
            const int rc = true_ones.mrecv_bytes(buffer, bytes, message, status);
            return fails_now() ? failure : rc;
          };
        }},
    row{"nothing_there", [](lower::services& t) {        // in the first drain: messages stay in flight
          t.mprobe = [](int source, int tag, real<kind::comm> comm, int block, int* flag, real<kind::message>* message,
                        neutral::status* status) {
            const bool drains = lower::the_bridge().current.load(std::memory_order_acquire) == lower::phase::draining;
            if (!drains || control_of_job().drains() > 1)
              return true_ones.mprobe(source, tag, comm, block, flag, message, status);
            *flag = 0;
            return int{neutral::success};
          };
        }},
    row{"drain_begin", [](lower::services& t) {
          t.drain_begin = [] { return fails_now() ? failure : true_ones.drain_begin(); };
        }},
    row{"drain_post", [](lower::services& t) {
          t.drain_post = [](int rank, const void* bytes, std::int64_t n) {
            return fails_now() ? failure : true_ones.drain_post(rank, bytes, n);
          };
        }},
    row{"drain_look", [](lower::services& t) {
          t.drain_look = [](int* taken, int* unsent) {
            const int rc = true_ones.drain_look(taken, unsent);
            return fails_now() ? failure : rc;
          };
        }},
    row{"drain_barrier", [](lower::services& t) {
          t.drain_barrier = [](int* over) { return fails_now() ? failure : true_ones.drain_barrier(over); };
        }},
};

}  // namespace

failing_call parse_failing_call(const std::string& text) {
  const std::size_t at = std::min(text.find('@'), text.size());
  failing_call wanted{text.substr(0, at)};
  const auto known = std::any_of(rows.begin(), rows.end(), [&](const row& r) { return wanted.name == r.name; });
  std::string names;
  for (const row& r : rows) names += std::string(names.empty() ? "" : ", ") + r.name;
  if (!known)
    throw start_failure(exit_status::usage, "MANA_FAULT_DRAIN: \"" + text + "\": no drain makes this call",
                        "the calls are: " + names, met_by::all);
  if (at == text.size()) return wanted;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + at + 1, end, wanted.rank);
  if (error != std::errc() || stop != end || wanted.rank < 0)
    throw start_failure(exit_status::usage, "MANA_FAULT_DRAIN: \"" + text + "\": after \"@\" a rank is expected",
                        "for example mprobe@1", met_by::all);
  return wanted;
}

void fail_as_asked(lower::services& table) {
  const char* const text = std::getenv("MANA_FAULT_DRAIN");
  if (text == nullptr || *text == '\0') return;
  const failing_call wanted = parse_failing_call(text);
  if (wanted.rank >= 0 && wanted.rank != rank_from_environment()) return;
  true_ones = table;
  std::find_if(rows.begin(), rows.end(), [&](const row& r) { return wanted.name == r.name; })->put(table);
}

}  // namespace mana::job
