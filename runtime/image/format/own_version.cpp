#include <runtime/image/format/own_version.hpp>

namespace mana::image {

lower::boundary_version own_version() noexcept { return {lower::layout_major, lower::services_minor}; }

}  // namespace mana::image
