#include "exec.hpp"

#include "failure.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace mana::tools {

void become(const std::filesystem::path& file, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{file.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(file.c_str(), pointers.data());
  const int error = errno;
  throw failure(error == E2BIG ? exit_code::usage : exit_code::parts_missing,
                fmt::format("{} cannot be started: {}", file.string(), std::strerror(error)),
                error == E2BIG ? "the arguments and the environment are too long together"
                               : "install mana again, and see that the file may be executed");
}

std::string seconds(double value) { return fmt::format("{:g}", value); }

}  // namespace mana::tools
