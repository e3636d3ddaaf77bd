// Where files are now that had another path at the checkpoint (mana restart --map OLD=NEW).
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mana::files {

struct path_map_error : std::runtime_error { using std::runtime_error::runtime_error; };

/// Replaces the beginnings of absolute paths, component by component: /a leads /a and /a/b, not /ab. Of several that
/// fit the longest counts. What was replaced is not looked at again, so that names can be exchanged.
class path_map {
 public:
  /// in:     word  "OLD=NEW", both absolute, taken apart at the first "=/"
  /// errors: path_map_error, one line: no such form, a relative or an empty path, or OLD has another NEW already
  void add(std::string_view word);
  bool empty() const noexcept { return rules_.empty(); }
  /// The path as it is now. What is relative or no path ("pipe:[7]") stays as it is.
  std::string operator()(const std::string& path) const;

 private:
  struct rule { std::string from, to; };   // without a slash at the end: "/" is ""
  std::vector<rule> rules_;
};

}  // namespace mana::files
