// The facts of the run that a restart needs and the upper half's memory lacks: the image section "run".
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mana::job {

/// The program has not called MPI_Init.
inline constexpr std::int32_t no_thread_level = -1;

struct run_record {
  std::string mpi_name;               // "MPICH", "Open MPI"
  std::string mpi_version;            // "4.0.2"
  std::int32_t thread_level = no_thread_level;   // as the program was told: neutral::thread_level_code
  std::string program;                // path of the program
  std::string build_id;               // of the program, in hex; see program_identity()
  std::vector<std::string> arguments; // argv, for people
  std::string directory;              // working directory of the program at the checkpoint, for people
  std::string cpu;                    // level of the x86-64 ABI that the program is limited to; empty: none
};

/// Version 2: "MANARUN2", then each member in order; version 1 had no cpu. Text: uint32 length, bytes. List: uint32
/// number, texts. Little endian.
std::vector<std::uint8_t> encode(const run_record& record);

/// errors: std::runtime_error if the bytes are no record of a known version, or end early
run_record decode_run_record(std::span<const std::uint8_t> bytes);

}  // namespace mana::job
