// All of the header-only library. Where an mpi.h is found, the wrappers of MPI's functions too: link mana::wrappers and the
// MPI then (docs/tools.md).
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
