// Warnings of a checkpoint about descriptors that a restart cannot restore exactly.
#pragma once
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace mana::descriptors {

class report {
 public:
  void warn(std::string text) { warnings_.push_back(std::move(text)); }
  void warn(int fd, const nlohmann::json& row, const std::string& what) {
    const std::string path = row.at("path");
    (path.starts_with("socket:") ? sockets_ : warnings_)
        .push_back("descriptor " + std::to_string(fd) + " (" + path + ") " + what);
  }
  /// Makes the row that of a descriptor whose other end is closed.
  nlohmann::json lost(int fd, nlohmann::json row) {
    row["kind"] = "lost";
    row["why"] = row.at("path") == "anon_inode:[io_uring]"
                     ? "not saved: after a restart, its requests under way are lost, and io_uring_enter ends with "
                       "EOPNOTSUPP"
                     : "not saved: after a restart the other side has closed it";
    warn(fd, row, "is " + row.at("why").get<std::string>());
    return row;
  }
  std::vector<std::string> take() { return std::move(warnings_); }
  std::vector<std::string> take_sockets() { return std::move(sockets_); }

 private:
  std::vector<std::string> warnings_, sockets_;
};

}  // namespace mana::descriptors
