#include <runtime/split/load/program_file.hpp>

#include <runtime/split/window/upper_half.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace mana::split {
namespace {

bool is_regular(const std::string& path) {
  struct stat s;
  return ::stat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode);
}

std::string search(const std::string& name, const std::string& list) {
  if (name.empty()) throw load_error(65, "no program was named: give its path");
  if (name.find('/') != std::string::npos) return name;
  std::string not_executable;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    const std::string candidate = (end == begin ? std::string(".") : list.substr(begin, end - begin)) + "/" + name;
    if (is_regular(candidate)) {
      if (::access(candidate.c_str(), X_OK) == 0) return candidate;
      not_executable = candidate;
    }
    begin = end + 1;
  }
  if (!not_executable.empty()) return not_executable;
  throw load_error(65, name + ": no such program in PATH: check the spelling, or give its path");
}

void check(const std::string& path) {
  struct stat s;
  if (::stat(path.c_str(), &s) != 0) throw load_error(65, path + ": no such file: check the path");
  if (!S_ISREG(s.st_mode)) throw load_error(66, path + " is not a regular file: give the program's file");
  if (::access(path.c_str(), X_OK) != 0) throw load_error(66, path + " is not executable: chmod +x " + path);
  if (::access(path.c_str(), R_OK) != 0)
    throw load_error(66, path + " cannot be read: it is loaded by this process, so it must be readable");
}

/// Words of a line with "#!": the interpreter and at most one argument, which may contain blanks. Empty: no such line.
std::vector<std::string> script_words(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string line;
  char mark[2] = {};
  if (!in.read(mark, 2) || mark[0] != '#' || mark[1] != '!') return {};
  std::getline(in, line);
  const char* const blanks = " \t\r";
  const auto trim = [&](std::string text) {
    const std::size_t b = text.find_first_not_of(blanks);
    return b == std::string::npos ? std::string() : text.substr(b, text.find_last_not_of(blanks) - b + 1);
  };
  line = trim(line);
  const std::size_t end = line.find_first_of(blanks);
  std::vector<std::string> words{line.substr(0, end)};
  if (words[0].empty()) throw load_error(67, path + " has an empty \"#!\" line: name its interpreter there");
  if (end != std::string::npos) words.push_back(trim(line.substr(end)));
  return words;
}

}  // namespace

program_file find_program(const std::string& name, std::vector<std::string> args, const std::string& env_path) {
  program_file file{search(name, env_path), std::move(args)};
  constexpr int nested_scripts = 5;   // as the kernel allows
  for (int depth = 0; depth <= nested_scripts; ++depth) {
    check(file.path);
    std::vector<std::string> words = script_words(file.path);
    if (words.empty()) return file;
    words.push_back(file.path);
    if (!file.args.empty()) words.insert(words.end(), file.args.begin() + 1, file.args.end());
    file.path = words[0];
    file.args = std::move(words);
  }
  throw load_error(67, name + ": more than 5 scripts that interpret each other");
}

}  // namespace mana::split
