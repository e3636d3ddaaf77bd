// `mana diff`: the differences between two checkpoints, rank by rank.
#include <runtime/tools/look/image_difference.hpp>
#include <runtime/tools/memory/image_choice.hpp>
#include <runtime/tools/options/commands.hpp>
#include <runtime/tools/options/option_checks.hpp>
#include <runtime/tools/text/image_failure.hpp>
#include <runtime/tools/text/json_text.hpp>
#include <runtime/tools/text/progress_output.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace mana::tools {
namespace {

struct pair_of_images {
  std::uint32_t rank = 0;
  std::string first, second;             // paths; empty: no image of this rank
  std::uint64_t bytes = 0;               // of the first image
};

std::string path_of_rank(const chosen& from, std::uint32_t rank) {
  for (const chosen_image& i : from.images)
    if (i.rank == rank) return i.path;
  return {};
}

/// Two images that the user names are compared whatever their ranks.
std::vector<pair_of_images> pairs_of(const chosen& a, const chosen& b) {
  if (a.images.size() == 1 && b.images.size() == 1) return {{a.images[0].rank, a.images[0].path, b.images[0].path, a.images[0].memory_bytes}};
  std::vector<pair_of_images> pairs;
  for (const chosen_image& i : a.images) pairs.push_back({i.rank, i.path, path_of_rank(b, i.rank), i.memory_bytes});
  for (const chosen_image& i : b.images)
    if (path_of_rank(a, i.rank).empty()) pairs.push_back({i.rank, {}, i.path, 0});
  return pairs;
}

class differences {
 public:
  explicit differences(const diff_command& wanted) : wanted_(wanted), moved_(path_map_of(wanted.moved)) {}

  /// in: passed  called with the bytes of the first image's memory that are done
  void add(const pair_of_images& pair, const std::function<void(std::uint64_t)>& passed) {
    if (pair.first.empty() || pair.second.empty()) return add_lonely(pair);
    const image_difference found = compare(memory_of(pair.first), memory_of(pair.second), passed);
    if (!found.is_none()) equal_ = false;
    if (wanted_.json) images_.push_back(as_json(found));
    else text_ += as_text(found, wanted_.pages);
  }
  bool equal() const noexcept { return equal_; }
  std::string text() const {
    if (!wanted_.json) return text_;
    return text_of({{"schema", diff_schema}, {"equal", equal_}, {"images", images_}});
  }

 private:
  saved_memory memory_of(const std::string& path) const { return saved_memory(path, [](std::uint64_t) {}, moved_); }

  void add_lonely(const pair_of_images& pair) {
    const char* const where = pair.second.empty() ? "first" : "second";
    equal_ = false;
    images_.push_back({{"rank", pair.rank}, {"in", where}});
    text_ += fmt::format("rank {}: only in the {}\n", pair.rank, where);
  }

  const diff_command& wanted_;
  const files::path_map moved_;
  bool equal_ = true;
  std::string text_;
  nlohmann::ordered_json images_ = nlohmann::ordered_json::array();
};

std::vector<work_part> parts_of(const std::vector<pair_of_images>& pairs) {
  std::vector<work_part> parts;
  for (const pair_of_images& pair : pairs)
    parts.push_back({fmt::format("rank {}", pair.rank), pair.second.empty() ? 0 : pair.bytes, 0});
  return parts;
}

void add_all(const std::vector<pair_of_images>& pairs, differences& all, bool show_progress) {
  progress_output output("diff", show_progress);
  output.begin(parts_of(pairs));
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    all.add(pairs[i], [&output, i](std::uint64_t bytes) { output.add(i, bytes); });
    output.add(i, pairs[i].bytes);       // the rest is memory that only one image has
  }
}

}  // namespace

int diff(const diff_command& wanted) {
  const chosen a = choose_images(wanted.first, wanted.rank), b = choose_images(wanted.second, wanted.rank);
  require_own(a);
  require_own(b);
  differences all(wanted);
  try {
    add_all(pairs_of(a, b), all, wanted.progress);
  } catch (const files::image_error& error) {
    fail(error);
  }
  fmt::print("{}", all.text());
  return static_cast<int>(all.equal() ? exit_status::success : exit_status::differ);
}

}  // namespace mana::tools
