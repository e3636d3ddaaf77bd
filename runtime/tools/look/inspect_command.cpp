// `mana inspect`: the contents of a checkpoint's images.
#include <runtime/tools/look/image_report.hpp>
#include <runtime/tools/memory/image_choice.hpp>
#include <runtime/tools/options/commands.hpp>
#include <runtime/tools/text/failure.hpp>
#include <runtime/tools/text/image_failure.hpp>
#include <runtime/tools/text/json_text.hpp>

#include <fmt/format.h>

namespace mana::tools {

namespace {

image_report report_of(const chosen_image& image) {
  image_report report = look_at_image(image.path);
  if (!image.problem) return report;
  const std::string what = image.problem->what(), begin = image.path + ": ";
  report.problems.insert(report.problems.begin(), what.starts_with(begin) ? what.substr(begin.size()) : what);
  return report;
}

}  // namespace

int inspect(const inspect_command& wanted) {
  const chosen images = choose_images(wanted.what, wanted.rank);
  nlohmann::ordered_json json{{"schema", inspect_schema}};
  json["images"] = nlohmann::ordered_json::array();
  std::string text;
  try {
    for (const chosen_image& image : images.images) {
      const image_report report = report_of(image);
      if (wanted.json) json["images"].push_back(as_json(report, wanted.regions));
      else text += (text.empty() ? "" : "\n") + as_text(report, wanted.regions);
    }
  } catch (const files::image_error& error) {
    fail(error);
  }
  fmt::print("{}", wanted.json ? text_of(json) : text);
  return 0;
}

}  // namespace mana::tools
