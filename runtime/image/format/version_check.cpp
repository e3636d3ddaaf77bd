#include <runtime/image/format/own_version.hpp>

namespace mana::image {

namespace {

std::string text_of(lower::boundary_version v) { return std::to_string(v.major) + "." + std::to_string(v.minor); }

/// The mana that reads the image, in words for the user.
std::string reader_of(lower::boundary_version image) {
  for (const lower::former_major& former : lower::former_majors)
    if (image.major <= former.major)
      return "mana " + std::string(former.mana) + " wrote it, and reads it";
  return "the mana that wrote it reads it, and each later one whose `mana --version` says images " +
         std::to_string(image.major) + ".N with N at least " + std::to_string(image.minor);
}

}  // namespace

std::string why_not_read(lower::boundary_version own, lower::boundary_version image) {
  if (lower::reads(own, image)) return {};
  return "the image is of version " + text_of(image) + " of the boundary between program and MPI, this mana has " +
         text_of(own) + "; restart with another mana: " + reader_of(image);
}

}  // namespace mana::image
