// Continues a process under mana that executes another program before its MPI starts: `mana follow` runs in between.
#pragma once
#include <runtime/tools/mpi/launcher.hpp>

#include <string>
#include <vector>

namespace mana::tools {

/// Becomes the lower half that loads FILE with ARGUMENTS. A child (ROLE) executes FILE natively if FILE has nothing to
/// do with MPI and mana cannot load it. Programs that FILE starts, and FILE's libraries, find mana again through the
/// environment.
/// in:     words  `ROLE MASK FILE INPUT MPI COUNT WORDS… ARGUMENTS…`, see split/traps/process/follow.hpp; MPI and the
///                COUNT words are those of the process's earlier lower half
/// errors: failure: a rank's program, or a program linked with MPI, cannot run under mana
[[noreturn]] void follow(const std::vector<std::string>& words, const environment& get);

}  // namespace mana::tools
