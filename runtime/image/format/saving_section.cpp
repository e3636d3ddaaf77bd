#include <runtime/image/format/saving_section.hpp>

#include <mana/image/section_table.hpp>

namespace mana::image {

section saving_section(const std::string& mode) { return {sections::saving, {mode.begin(), mode.end()}}; }

std::string mode_of(const contents& image) {
  for (const section& s : image.sections)
    if (s.name == sections::saving) return {s.bytes.begin(), s.bytes.end()};
  return {};
}

void set_mode(std::vector<section>& sections, const std::string& mode) {
  for (section& s : sections)
    if (s.name == sections::saving) s = saving_section(mode);
}

}  // namespace mana::image
