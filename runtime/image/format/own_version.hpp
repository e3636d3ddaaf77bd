// The version of the boundary that this program has, and its judgement of images of other versions.
#pragma once
#include <mana/lower/version.hpp>

#include <string>

namespace mana::image {

/// Defined in an archive member of its own: a test links a lower half of a later minor.
lower::boundary_version own_version() noexcept;

/// Why a lower half of version `own` cannot restart an image of version `image`, and which mana can. Empty: it can.
std::string why_not_read(lower::boundary_version own, lower::boundary_version image);

}  // namespace mana::image
