// Where a job's coordinator is, or a relay of it, and the key that all its processes and its owner know.
#pragma once
#include <runtime/control/wire.hpp>

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace mana::control {

using job_key = std::array<std::uint8_t, key_bytes>;

struct endpoint {
  std::string host;                    // name of the node
  std::vector<std::string> addresses;  // numeric, the loopback first
  std::uint16_t port = 0;
  job_key key{};
};

/// This node's endpoint with a fresh random key. errors: std::system_error
endpoint make_endpoint(std::uint16_t port);
/// This node's endpoint in a job that has its key.
endpoint make_endpoint(std::uint16_t port, const job_key& key);
/// On its own node all, the loopback first; elsewhere all but the loopback: the key is for its node only.
std::vector<std::string> reachable_addresses(const endpoint& e);

bytes encode(const endpoint& e);
endpoint decode_endpoint(std::span<const std::uint8_t> frame);

/// A build of mana, for people.
struct build_name {
  std::string version;                 // "0.1.0"; empty: not known
  std::string command;                 // path of its command; empty: not known
};
/// This one; the command's path where this process runs from an installation.
build_name own_build();
/// The command of the installation that a lower half is of, by its file: empty where there is none.
std::string command_beside(const std::string& lower_half);
/// "protocol 2 of mana 0.1.0"
std::string name_of(std::uint32_t protocol, const std::string& version);

/// DIR/job.json: what `mana checkpoint` and `mana status` find a job by. Only its owner can read it.
struct job_file {
  endpoint where;                      // port 0: the job is starting, its coordinator is not up yet
  int pid = 0;                         // of the coordinator's process
  int ranks = 0;
  std::string program;
  build_name build = {};               // of the job
  std::uint32_t protocol = protocol_version;
  std::string doing = {};              // without a port: what the job does until it has one, "is starting"
  std::string executable = {};         // that the process runs, as /proc has it; empty: not known
  std::uint16_t early_port = 0;        // of the coordinator that a job has before MPI_Init; `where` has the rest
  int depth = 0;                       // lower halves above that process: a script under mana may start a program under mana
};

/// The name of the file that process `pid` of this node runs; empty: there is no such process, or it may not be looked at.
std::string executable_of(int pid);
/// Lower halves among the processes above this one.
int depth_of_this_process();

std::string job_file_path(const std::string& directory);
/// What a rank 0 leaves before its MPI runs, so that a request waits for the coordinator instead of failing.
job_file starting_job(int ranks, std::string program, std::string doing = "is starting", build_name build = {});
/// errors: std::system_error naming the file
void write_job_file(const std::string& directory, const job_file& job);
/// Removes it if it is this coordinator's: another job may have come to the directory.
void remove_job_file(const std::string& directory, const endpoint& where) noexcept;
/// This node's name, as in endpoint::host.
std::string own_host_name();

enum class job_file_problem { missing, not_owner, damaged };
struct job_file_error : std::runtime_error {
  job_file_error(job_file_problem p, const std::string& text) : std::runtime_error(text), problem(p) {}
  job_file_problem problem;
};
/// path: the file, or the directory that holds it      errors: job_file_error
job_file read_job_file(const std::string& path);

}  // namespace mana::control
