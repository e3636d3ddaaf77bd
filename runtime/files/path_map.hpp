// New paths of files that had other paths at the checkpoint (mana restart --map OLD=NEW).
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mana::files {

struct path_map_error : std::runtime_error { using std::runtime_error::runtime_error; };

/// Replaces the beginnings of absolute paths, component by component: /a matches /a and /a/b, not /ab. The longest
/// match counts. A result is not replaced again, so that names can be exchanged.
class path_map {
 public:
  /// in:     word  "OLD=NEW", both absolute, split at the first "=/"
  /// errors: path_map_error, one line: another form, a relative or empty path, or OLD already has another NEW
  void add(std::string_view word);
  bool empty() const noexcept { return rules_.empty(); }
  /// The present path. A relative path or another text ("pipe:[7]") is returned unchanged.
  std::string operator()(const std::string& path) const;

 private:
  struct rule { std::string from, to; };   // without a slash at the end: "/" is ""
  std::vector<rule> rules_;
};

}  // namespace mana::files
