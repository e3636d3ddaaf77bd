// Where a command says how far it is: on a terminal in one line, which is gone in the end.
#pragma once
#include <runtime/tools/text/progress.hpp>

#include <runtime/store/work_listener.hpp>

#include <optional>
#include <string>

namespace mana::tools {

class progress_output {
 public:
  /// in: command  its name      wanted  also where standard error is no terminal
  progress_output(std::string command, bool wanted);
  ~progress_output();
  progress_output(const progress_output&) = delete;
  progress_output& operator=(const progress_output&) = delete;

  /// Empty where nobody wants it. Lives as long as this.
  progress_meter::sink sink();

  /// A line from the third second on, until the end of this, or of what the next parts are.
  void begin(std::vector<work_part> parts);
  /// Of those parts; from any thread.
  void add(std::size_t part, std::uint64_t bytes) noexcept {
    if (meter_) meter_->add(part, bytes);
  }
  /// That says so to this. Lives as long as this.
  store::work_listener listener();

 private:
  const std::string command_;
  const bool terminal_, wanted_;
  bool said_ = false;
  std::optional<progress_meter> meter_;
};

}  // namespace mana::tools
