// Opening a described descriptor again, by its kind.
#pragma once
#include <nlohmann/json.hpp>

#include <map>

namespace mana::descriptors {

/// errors: descriptor_error naming `path`, with errno's text
[[noreturn]] void fail(const std::string& path, const char* what);

/// The lowest free number from `base` on, for the same open file; `fd` stays open.
/// errors: descriptor_error if the limit of open files is reached
int duplicate_from(int fd, int base);

class reopener {
 public:
  /// first_free: what is made gets numbers from here on, out of the way of those that are still to be placed
  explicit reopener(int first_free) : base_(first_free) {}
  ~reopener();
  reopener(const reopener&) = delete;
  reopener& operator=(const reopener&) = delete;

  /// errors: descriptor_error
  int open(const nlohmann::json& row);

 private:
  struct ends { int read, write; };
  int moved(int fd) const;
  int open_pipe_end(const nlohmann::json& row);

  int base_;
  std::map<std::uint64_t, ends> pipes_;   // by their inode at the checkpoint; closed when all ends are duplicated
};

}  // namespace mana::descriptors
