#include <runtime/control/endpoint.hpp>

#include <runtime/control/connection.hpp>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <cstdlib>
#include <fstream>
#include <system_error>

#if !defined(MANA_VERSION) || !defined(MANA_COMMAND_FROM_LIBEXEC)
#error "set by runtime/control/CMakeLists.txt"
#endif

namespace mana::control {

namespace {

std::string to_hex(std::span<const std::uint8_t> data) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t b : data) {
    text += digits[b >> 4];
    text += digits[b & 15];
  }
  return text;
}

void from_hex(const std::string& text, std::span<std::uint8_t> out) {
  if (text.size() != 2 * out.size()) throw std::invalid_argument("key");
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::uint8_t>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
}

}  // namespace

std::string own_host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

endpoint make_endpoint(std::uint16_t port, const job_key& key) {
  return {own_host_name(), own_addresses(), port, key};
}

endpoint make_endpoint(std::uint16_t port) {
  job_key key{};
  if (getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size()))
    throw std::system_error(errno, std::generic_category(), "no random numbers for the job's key");
  return make_endpoint(port, key);
}

std::vector<std::string> reachable_addresses(const endpoint& e) {
  if (e.host == own_host_name()) return e.addresses;
  std::vector<std::string> others = e.addresses;
  std::erase_if(others, [](const std::string& a) { return a.rfind("127.", 0) == 0; });
  return others;
}

bytes encode(const endpoint& e) {
  return frame_writer(frame_type::hello_rank).put(e.host).put(e.addresses).put(e.port).put(e.key).take();
}

endpoint decode_endpoint(std::span<const std::uint8_t> frame) {
  constexpr std::size_t length = sizeof(std::uint32_t);
  if (frame.size() < length) throw wire_error();
  frame_reader from(frame.subspan(length));
  endpoint e;
  e.host = from.get<std::string>();
  e.addresses = from.get<std::vector<std::string>>();
  e.port = from.get<std::uint16_t>();
  e.key = from.get<job_key>();
  return e;
}

std::string command_beside(const std::string& lower_half) {
  std::error_code error;
  const auto path = (std::filesystem::path(lower_half).parent_path() / MANA_COMMAND_FROM_LIBEXEC).lexically_normal();
  const bool is_one = !lower_half.empty() && std::filesystem::is_regular_file(path, error) && !error;
  return is_one ? path.string() : std::string();
}

build_name own_build() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return {MANA_VERSION, error ? std::string() : command_beside(self.string())};
}

std::string name_of(std::uint32_t protocol, const std::string& version) {
  const std::string mana = version.empty() ? "an unknown mana" : "mana " + version;
  if (protocol == unsaid_protocol)
    return "a protocol of " + (version.empty() ? "an early mana, which does not say its version" : mana);
  return "protocol " + std::to_string(protocol) + " of " + mana;
}

std::string job_file_path(const std::string& directory) { return directory + "/job.json"; }

void write_job_file(const std::string& directory, const job_file& job) {
  const nlohmann::ordered_json document = {
      {"mana_job", 1}, {"host", job.where.host}, {"addresses", job.where.addresses}, {"port", job.where.port},
      {"key", to_hex(job.where.key)}, {"pid", job.pid}, {"ranks", job.ranks}, {"program", job.program},
      {"protocol", job.protocol}, {"mana", job.build.version}, {"command", job.build.command}, {"doing", job.doing},
      {"executable", job.executable}, {"early_port", job.early_port}, {"depth", job.depth}};
  const std::string text = document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  const std::string path = job_file_path(directory), temporary = path + "." + std::to_string(job.pid);
  unlink(temporary.c_str());
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), temporary);
  const bool ok = fchmod(fd, 0600) == 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  close(fd);
  if (ok && rename(temporary.c_str(), path.c_str()) == 0) return;
  const int why = ok ? errno : error;
  unlink(temporary.c_str());
  throw std::system_error(why, std::generic_category(), path);
}

job_file starting_job(int ranks, std::string program, std::string doing, build_name build) {
  job_file job;
  job.where.host = own_host_name();
  job.pid = getpid();
  job.ranks = ranks;
  job.program = std::move(program);
  job.build = std::move(build);
  job.doing = std::move(doing);
  job.executable = executable_of(job.pid);
  job.depth = depth_of_this_process();
  return job;
}

std::string executable_of(int pid) {
  char name[4096];
  const ssize_t n = readlink(("/proc/" + std::to_string(pid) + "/exe").c_str(), name, sizeof name);
  return n <= 0 ? std::string() : std::string(name, static_cast<std::size_t>(n));
}

namespace {

/// 0: not known.
int parent_of(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t end = text.rfind(") ");       // the end of the name, which may contain any character
  if (end == std::string::npos || end + 4 > text.size()) return 0;
  return std::atoi(text.c_str() + end + 4);
}

}  // namespace

int depth_of_this_process() {
  int depth = 0;
  for (int pid = getppid(); pid > 1; pid = parent_of(pid))
    if (executable_of(pid).find("/mana-lower-") != std::string::npos) ++depth;
  return depth;
}

void remove_job_file(const std::string& directory, const endpoint& where) noexcept {
  try {
    if (read_job_file(directory).where.key == where.key) unlink(job_file_path(directory).c_str());
  } catch (const std::exception&) {
    // No file exists, or it is not ours.
  }
}

job_file read_job_file(const std::string& given) {
  struct stat about{};
  const bool is_directory = stat(given.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
  const std::string path = is_directory ? job_file_path(given) : given;
  const auto not_read = [&path] {
    return job_file_error(errno == EACCES ? job_file_problem::not_owner : job_file_problem::missing,
                          path + ": " + std::strerror(errno));
  };
  if (stat(path.c_str(), &about) != 0) throw not_read();
  if (about.st_uid != geteuid())
    throw job_file_error(job_file_problem::not_owner,
                         path + ": the job belongs to another user (uid " + std::to_string(about.st_uid) + ")");
  if (!S_ISREG(about.st_mode))
    throw job_file_error(job_file_problem::damaged, path + ": this is no file, and so no job file of mana");
  std::ifstream file(path);
  if (!file) throw not_read();        // the job may have ended since, and removed the file
  try {
    const nlohmann::json document = nlohmann::json::parse(file);
    job_file job;
    job.where.host = document.at("host");
    job.where.addresses = document.at("addresses").get<std::vector<std::string>>();
    job.where.port = document.at("port");
    from_hex(document.at("key"), job.where.key);
    job.pid = document.at("pid");
    job.ranks = document.at("ranks");
    job.program = document.at("program");
    job.protocol = document.value("protocol", unsaid_protocol);
    job.build = {document.value("mana", std::string()), document.value("command", std::string())};
    job.doing = document.value("doing", "");
    job.executable = document.value("executable", "");
    job.early_port = document.value("early_port", std::uint16_t{0});
    job.depth = document.value("depth", 0);
    return job;
  } catch (const std::exception&) {
    throw job_file_error(job_file_problem::damaged, path + ": this is not a job file of mana");
  }
}

}  // namespace mana::control
