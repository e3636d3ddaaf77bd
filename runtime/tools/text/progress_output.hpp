// Prints a command's progress; on a terminal in one line, which is erased at the end.
#pragma once
#include <runtime/tools/text/progress.hpp>

#include <runtime/store/work_listener.hpp>

#include <optional>
#include <string>

namespace mana::tools {

class progress_output {
 public:
  /// in: command  its name  wanted  print also if standard error is no terminal
  progress_output(std::string command, bool wanted);
  ~progress_output();
  progress_output(const progress_output&) = delete;
  progress_output& operator=(const progress_output&) = delete;

  /// Empty if no progress is printed. Valid as long as this object.
  progress_meter::sink sink();

  /// Prints from the third second on, until the next begin() or the end of this object.
  void begin(std::vector<work_part> parts);
  /// Adds to one of those parts; from any thread.
  void add(std::size_t part, std::uint64_t bytes) noexcept {
    if (meter_) meter_->add(part, bytes);
  }
  /// A listener that adds to this object. Valid as long as this object.
  store::work_listener listener();

 private:
  const std::string command_;
  const bool terminal_, wanted_;
  bool said_ = false;
  std::optional<progress_meter> meter_;
};

}  // namespace mana::tools
