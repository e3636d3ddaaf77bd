// Starts a lower half and asks for its MPI library.
#pragma once
#include <chrono>
#include <filesystem>
#include <string>

namespace mana::tools {

struct lower_half_answer {
  std::string version;    // "MPICH 4.0.2"; empty if the lower half does not start
  std::string complaint;  // if version is empty: the dynamic loader's message, the lower half's own, or what happened to it
};

/// A cold network file system may need many seconds to load an MPI and its network libraries.
inline constexpr std::chrono::milliseconds patience_with_lower_half = std::chrono::seconds(60);

/// The answer of a lower half, its first line. It is killed if it gives none within `patience`.
lower_half_answer ask_lower_half(const std::filesystem::path& lower_half, std::chrono::milliseconds patience = patience_with_lower_half);

}  // namespace mana::tools
