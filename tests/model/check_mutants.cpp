// The table of mutants.
#include "options.hpp"
namespace clock_model { bool check_mutants(const options&) { return false; } }
