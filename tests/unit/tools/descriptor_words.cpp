// What is said of descriptors of files without a name.
#include <runtime/tools/memory/descriptor_words.hpp>

#include <doctest/doctest.h>

namespace tools_descriptor_words_tests {

using namespace mana::tools;
using nlohmann::json;

TEST_CASE("of a file without a name it is said how much of it is in the image, and of what is not, why") {
  const json kept = {{"fd", 5}, {"file", 1}, {"kind", "object"}, {"path", "/scratch (deleted)"}, {"offset", 7}, {"size", 104857600},
                     {"flags", 2}, {"data", 104857600}, {"standard", -1}};
  json unread = kept;
  unread.erase("data");
  unread["unread"] = "Permission denied";
  const json lost = {{"fd", 6}, {"file", 2}, {"kind", "lost"}, {"path", "socket:[1]"}, {"why", "not saved"}, {"standard", -1}};
  const std::string words = words_of(kept, json::array({kept})).details;
  CHECK(words.find("at 7 of 104857600") != std::string::npos);
  CHECK(words.find("100 MiB of data in the image") != std::string::npos);
  CHECK(words_of(unread, json::array({unread})).details.find("not in the image: Permission denied") != std::string::npos);
  CHECK(words_of(lost, json::array({lost})).details == "not saved");
  CHECK(json_of_descriptor(kept).at("data") == 104857600);
  CHECK(json_of_descriptor(unread).at("unread") == "Permission denied");
  CHECK(json_of_descriptor(lost).at("why") == "not saved");
}

}  // namespace tools_descriptor_words_tests
