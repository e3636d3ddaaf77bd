#include <runtime/store/directory_claim.hpp>

#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

namespace mana::store {

namespace {

constexpr const char* claim_name = "claim.json";
constexpr const char* new_claim_name = "claim.json.new";
constexpr std::uint64_t most_claim_bytes = 64u << 10;

std::string node_of_kernel() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

std::string boot_id() {
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::string id;
  in >> id;
  return id;
}

/// proc(5), /proc/PID/stat: the words behind the name. The first is the state.
struct process_words {
  char state = 0;
  int parent = 0, threads = 0;
  std::uint64_t flags = 0, begun = 0;
};

std::optional<process_words> words_of(int pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::size_t end = text.rfind(')');  // the name may have any characters
  if (end == std::string::npos) return std::nullopt;
  std::istringstream rest(text.substr(end + 1));
  process_words words;
  std::string ignored;
  rest >> words.state >> words.parent;
  for (int field = 5; field < 9; ++field) rest >> ignored;
  rest >> words.flags;
  for (int field = 10; field < 20; ++field) rest >> ignored;
  rest >> words.threads >> ignored >> words.begun;
  if (!rest) return std::nullopt;
  return words;
}

/// The process has a SIGKILL pending, and waits for a thread that is in the kernel.
bool is_killed(int pid) {
  constexpr std::uint64_t kill_bit = 1u << 8;  // SIGKILL - 1
  std::ifstream in("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("SigPnd:") || line.starts_with("ShdPnd:"))
      if ((std::stoull(line.substr(line.find(':') + 1), nullptr, 16) & kill_bit) != 0) return true;
  return false;
}

bool is_here(const claim_holder& holder) { return holder.host == node_of_kernel() && holder.boot == boot_id(); }

std::uint64_t inode_of(const files::own_directory& directory) {
  struct stat about {};
  return fstat(directory.get(), &about) == 0 ? about.st_ino : 0;
}

}  // namespace

claim_holder this_holder(std::string what, std::string launch) {
  const auto words = words_of(getpid());
  return {node_of_kernel(),   getpid(),          words ? words->begun : 0, boot_id(),
          std::time(nullptr), std::move(launch), std::move(what)};
}

std::optional<claim_holder> read_claim(const files::own_directory& directory) {
  try {
    const auto document = nlohmann::json::parse(directory.read_file(claim_name, most_claim_bytes));
    if (document.at("inode") != inode_of(directory)) return std::nullopt;  // the directory was copied with its contents
    return claim_holder{document.at("host"),  document.at("pid"),    document.at("begun"), document.at("boot"),
                        document.at("since"), document.at("launch"), document.at("what")};
  } catch (const std::exception&) { return std::nullopt; }
}

void write_claim(const files::own_directory& directory, const claim_holder& holder) {
  const nlohmann::ordered_json document = {
      {"mana_claim", 1},         {"host", holder.host}, {"pid", holder.pid},
      {"begun", holder.begun},   {"boot", holder.boot}, {"since", holder.since_s},
      {"launch", holder.launch}, {"what", holder.what}, {"inode", inode_of(directory)}};
  directory.remove(new_claim_name);
  directory.write_file(new_claim_name, document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  directory.rename(new_claim_name, claim_name);
}

holder_state state_of(const claim_holder& holder) {
  if (!is_here(holder)) return holder_state::not_seen;
  const auto words = words_of(holder.pid);
  if (!words || words->begun != holder.begun) return holder_state::gone;
  const bool has_others = words->threads > 1;  // these live on after the initial thread has ended
  if (!has_others && (words->state == 'Z' || words->state == 'X')) return holder_state::gone;
  constexpr std::uint64_t exiting = 4;  // PF_EXITING
  const bool is_exiting = (words->flags & exiting) != 0 && !has_others;
  return is_exiting || is_killed(holder.pid) ? holder_state::ends : holder_state::lives;
}

bool is_ancestor(const claim_holder& holder) {
  if (!is_here(holder)) return false;
  constexpr int deepest = 256;
  int pid = getpid();
  for (int level = 0; level < deepest && pid > 1; ++level) {
    const auto words = words_of(pid);
    if (!words) return false;
    if (pid == holder.pid) return words->begun == holder.begun;
    pid = words->parent;
  }
  return false;
}

}  // namespace mana::store
