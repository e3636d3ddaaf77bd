// std::filesystem in the middle of a directory, std::regex in the middle of a text, and containers of many shapes.
#include "place.h"

#include <filesystem>
#include <list>
#include <map>
#include <memory_resource>
#include <regex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  namespace fs = std::filesystem;
  for (int i = 0; i < 12; ++i)
    fs::create_directories(fs::path(place) / ("d" + std::to_string(i % 3)) / std::to_string(i));
  std::set<std::string> seen;
  fs::recursive_directory_iterator at(place), end;
  const std::string text = "k1=v1;k2=v2;k3=v3;k4=v4";
  const std::regex pattern("([a-z]\\d)=([a-z]\\d)");
  std::sregex_iterator match(text.begin(), text.end(), pattern);
  char room[4096];
  std::pmr::monotonic_buffer_resource memory(room, sizeof room);
  std::pmr::vector<std::pmr::string> strings(&memory);
  std::unordered_map<std::string, std::list<int>> table;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 5 && at != end; ++i, ++at)
      seen.insert(at->path().filename().string() + std::to_string(at.depth()));
    strings.emplace_back("a string that is too long to be kept in place, number ").append(std::to_string(round));
    for (int i = 0; i < 1000; ++i) table[std::to_string(i % 100)].push_back(round * 1000 + i);
    CHECK(match->str(1) == "k" + std::to_string(round + 1) && match->str(2) == "v" + std::to_string(round + 1));
    if (round < 2) line();
    ++match;
    CHECK(int(strings.size()) == round + 1 && strings[0].back() == '0' && strings.back().back() == '0' + round);
    CHECK(table.size() == 100 && table["42"].front() == 42 && table["42"].back() == round * 1000 + 942);
  }
  CHECK(at == end && seen.size() == 15, "%zu", seen.size());
  fs::remove_all(place);
  return finish();
}
