// A process under mana executes another program before its MPI starts: this is what it becomes first.
#pragma once
#include <runtime/tools/mpi/launcher.hpp>

#include <string>
#include <vector>

namespace mana::tools {

/// ROLE MASK FILE INPUT MPI COUNT WORDS… ARGUMENTS…, see split/traps/process/follow.hpp; MPI and COUNT words are those of the lower
/// half that the process had. Becomes the lower half that loads FILE with ARGUMENTS. A child (ROLE) becomes FILE itself
/// if that has nothing to do with MPI and mana cannot load it; what it starts in turn, and its own libraries, find mana
/// again by the environment.
/// errors: failure: what a rank becomes, or a program that is linked with MPI, cannot be run under mana
[[noreturn]] void follow(const std::vector<std::string>& words, const environment& get);

}  // namespace mana::tools
