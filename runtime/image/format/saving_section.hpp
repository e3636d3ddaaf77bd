// The section "saving" of an image: how it was written, as text for people.
#pragma once
#include <runtime/image/format/contents.hpp>

#include <string>
#include <vector>

namespace mana::image {

section saving_section(const std::string& mode);

/// Empty if the image does not say.
std::string mode_of(const contents& image);

/// For an image that is written again. Does nothing if the image does not say how it was written.
void set_mode(std::vector<section>& sections, const std::string& mode);

}  // namespace mana::image
