// The whole header-only library. If CMake finds an mpi.h, it also includes the wrappers of MPI's functions: then link
// mana::wrappers and the MPI (docs/tools.md).
#pragma once
#include <mana/clock/policies.hpp>
#include <mana/core/handle.hpp>
#include <mana/hooks.hpp>
#include <mana/image/format.hpp>
#include <mana/lower/abi.hpp>
#include <mana/vid/ggid.hpp>
#include <mana/vid/group_clock.hpp>
#include <mana/vid/id_table.hpp>

#if defined(MANA_ONE_PROCESS)
#include <mana/gen/calls.hpp>
#endif
