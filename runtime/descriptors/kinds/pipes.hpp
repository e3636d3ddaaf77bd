// Anonymous and named pipes, including named ones that lost their names. Each opening is an open file of its own.
#pragma once
#include <runtime/descriptors/base/proc_info.hpp>
#include <runtime/descriptors/base/report.hpp>
#include <runtime/descriptors/base/spare_numbers.hpp>
#include <runtime/descriptors/base/table.hpp>

#include <nlohmann/json.hpp>

#include <map>
#include <set>

namespace mana::descriptors {

class pipe_describer {
 public:
  /// all: the program's descriptors, which may include both ends of a pipe
  explicit pipe_describer(const std::vector<owned_descriptor>& all);

  /// row: with "path" and "flags". The first row of a pipe gets the contents, which also stay in the pipe.
  nlohmann::json describe(int fd, const struct stat& s, nlohmann::json row, report& said);

 private:
  struct ends { int read = -1, write = -1; };
  std::map<file_key, ends> ends_;
  std::set<file_key> described_;
};

class pipe_maker {
 public:
  explicit pipe_maker(const spare_numbers& spare) : spare_(spare) {}
  ~pipe_maker();
  pipe_maker(const pipe_maker&) = delete;
  pipe_maker& operator=(const pipe_maker&) = delete;

  /// errors: descriptor_error
  int open(const nlohmann::json& row);

 private:
  struct ends { int read, write; };
  ends make(const nlohmann::json& row) const;

  const spare_numbers& spare_;
  std::map<file_key, ends> pipes_;   // by their keys at the checkpoint; closed when all have been opened
};

}  // namespace mana::descriptors
