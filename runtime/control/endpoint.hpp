// The address of a job's coordinator or of a relay, and the key that only the job's processes and its owner know.
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

/// This node's endpoint with a new random key. errors: std::system_error
endpoint make_endpoint(std::uint16_t port);
/// This node's endpoint in a job that has a key.
endpoint make_endpoint(std::uint16_t port, const job_key& key);
/// On the endpoint's own node: all addresses, the loopback first. Elsewhere: all except the loopback, so that the key
/// does not go to another node's program.
std::vector<std::string> reachable_addresses(const endpoint& e);

bytes encode(const endpoint& e);
endpoint decode_endpoint(std::span<const std::uint8_t> frame);

/// A build of mana, to be shown to users.
struct build_name {
  std::string version;                 // "0.1.0"; empty: not known
  std::string command;                 // path of its command; empty: not known
};
/// This build. It has the command's path if this process runs from an installation.
build_name own_build();
/// The command of the installation of this lower half's file. Empty: there is none.
std::string command_beside(const std::string& lower_half);
/// "protocol 2 of mana 0.1.0"
std::string name_of(std::uint32_t protocol, const std::string& version);

/// DIR/job.json: by it `mana checkpoint` and `mana status` find a job. Only the owner can read it.
struct job_file {
  endpoint where;                      // port 0: the job is starting, and its coordinator does not run yet
  int pid = 0;                         // of the coordinator's process
  int ranks = 0;
  std::string program;
  build_name build = {};               // of the job
  std::uint32_t protocol = protocol_version;
  std::string doing = {};              // without a port: the job's state until it has one, "is starting"
  std::string executable = {};         // the program file of the process, as /proc shows it; empty: not known
  std::uint16_t early_port = 0;        // of the coordinator before MPI_Init; `where` has its other fields
  int depth = 0;                  // lower halves above that process: a script under mana may start a program under mana
};

/// The program file of process `pid` on this node. Empty: no such process exists, or /proc does not show it.
std::string executable_of(int pid);
/// Number of lower halves among the ancestors of this process.
int depth_of_this_process();

std::string job_file_path(const std::string& directory);
/// Rank 0 writes this file before its MPI runs, so that a request waits for the coordinator instead of failing.
job_file starting_job(int ranks, std::string program, std::string doing = "is starting", build_name build = {});
/// errors: std::system_error naming the file
void write_job_file(const std::string& directory, const job_file& job);
/// Removes the file if it belongs to this coordinator: another job may use the directory now.
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
