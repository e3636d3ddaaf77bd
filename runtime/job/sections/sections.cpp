#include <runtime/job/sections/sections.hpp>

#include <runtime/job/start_failure.hpp>

#include <runtime/image/read/rank_image.hpp>

#include <type_traits>

namespace mana::job {

namespace {

template <image::saved_when When>
using saved_at = std::integral_constant<image::saved_when, When>;
template <image::restored_when When>
using restored_at = std::integral_constant<image::restored_when, When>;

constexpr bool is_step(image::restored_when when) {
  return when != image::restored_when::later && when != image::restored_when::never;
}

read_section find(const image::rank_image& image, const char* name, image::section_need need) {
  if (need == image::section_need::optional && !image.has_section(name)) return {image, std::nullopt};
  return {image, image.section(name)};
}

}  // namespace

// A row may lack functions that it does not call: its conditions are in templates, which leave the calls out.

std::vector<image::section> save_sections(const gathered& all) {
  std::vector<image::section> made;
#define MANA_ROW(name, since, needed, saved, ...) \
  [&](auto when) { \
    if constexpr (when == image::saved_when::when_stopped) made.push_back({image::sections::name, save_##name(all)}); \
  }(saved_at<image::saved_when::saved>());
  MANA_IMAGE_SECTIONS(MANA_ROW)
#undef MANA_ROW
  return made;
}

void restore_sections(image::restored_when now, const image::rank_image& image, restored_parts& parts) {
#define MANA_ROW(name, since, needed, saved, restored, ...) \
  [&](auto when) { \
    if constexpr (is_step(when)) \
      if (when == now) restore_##name(find(image, image::sections::name, image::section_need::needed), parts); \
  }(restored_at<image::restored_when::restored>());
  MANA_IMAGE_SECTIONS(MANA_ROW)
#undef MANA_ROW
}

void check_sections(const image::rank_image& image) {
  for (const image::section& s : image.about().sections)
    if (!image::is_known_section(s.name))
      throw start_failure(exit_status::surroundings_differ,
                          image.path() + ": the image has a section \"" + s.name +
                              "\" that this version of mana does not "
                              "know",
                          "restart with the version that wrote it", met_by::all);
}

}  // namespace mana::job
