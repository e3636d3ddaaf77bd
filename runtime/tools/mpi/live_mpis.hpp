// The MPIs that programs can run over here: the lower halves of this installation, each with a description beside it.
#pragma once
#include <runtime/words/mpi_families.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mana::tools {

/// A live MPI: the library that does the communication, whatever mpi.h the program was compiled with.
struct live_mpi {
  std::string name;                    // in --mpi, and of the file libexec/mana/mana-lower-NAME
  mpi_name family{};
  std::string version;                 // of its mpi.h
  std::filesystem::path launcher;      // its mpirun; empty: not known
  std::filesystem::path place = {};    // the folder with bin/mpicc; empty: not known, and so below
  std::filesystem::path compiler = {};
  std::string mana = {};               // version of the mana that the lower half is a part of
  std::filesystem::path lower_half = {};   // empty: in the installation, by the name
  std::vector<std::filesystem::path> hidden = {};   // lower halves of the same name that are not taken
};

/// in:     text  of a description: {"name": , "family": , "version": , "launcher": , …}, see codegen/mpi_compiler.py
/// out:    nothing for another text, and for a family that this mana does not know
std::optional<live_mpi> parse_live_mpi(const std::string& text);

/// By name. in: directory  of lower halves. A description that cannot be read counts as missing.
std::vector<live_mpi> read_live_mpis(const std::filesystem::path& directory);

/// Two lists as one, by name. Of one name, the MPI of the first list is taken, and hides the other.
std::vector<live_mpi> joined(std::vector<live_mpi> first, std::vector<live_mpi> second);

/// out: nullptr: there is none of this name
const live_mpi* find_live_mpi(const std::vector<live_mpi>& all, std::string_view name) noexcept;

/// "mpich, openmpi"
std::string names_of(const std::vector<live_mpi>& all);

}  // namespace mana::tools
