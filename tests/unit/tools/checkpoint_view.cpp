#include <runtime/tools/job/checkpoint_view.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace tools_checkpoint_view_tests {

using namespace mana::tools;

namespace {

checkpoint_view sample() {
  checkpoint_view view;
  view.directory = "/c/gen-4";
  view.generation = 4;
  view.complete = true;
  view.mpi = "MPICH";
  view.mpi_version = "4.0.2";
  view.program = "/bin/\xff app";
  view.ranks = 2;
  view.images = {{0, "/c/gen-4/a", 1024, 4096, ""}, {1, "/c/gen-4/b", 2048, 4096, ""}};
  return view;
}

}  // namespace

TEST_CASE("a checkpoint is sound if it is complete, has all images, and nothing is wrong with one") {
  auto view = sample();
  CHECK(is_sound(view));
  view.images[1].problem = "chunk 3 has another checksum";
  CHECK(!is_sound(view));
  CHECK(as_text({view}, false).find("/c/gen-4, rank 1: chunk 3 has another checksum") != std::string::npos);
  CHECK(as_text({view}, false).find("damaged") != std::string::npos);
  view = sample();
  view.images.pop_back();
  CHECK(!is_sound(view));
  view = sample();
  view.complete = false;
  CHECK(!is_sound(view));
  CHECK(as_text({view}, true).find("incomplete") != std::string::npos);
}

TEST_CASE("one that is being written, and one that cannot be read, are said to be that") {
  auto view = sample();
  view.complete = false;
  view.being_written = true;
  CHECK(as_text({view}, false).find("being written") != std::string::npos);
  CHECK(nlohmann::json::parse(as_json({view}))["checkpoints"][0]["state"] == "being written");
  checkpoint_view closed;
  closed.directory = "/c/gen-4";
  closed.complete = closed.unreadable = true;
  closed.problem = "/c/gen-4/manifest.json: cannot be opened: Permission denied";
  const std::string text = as_text({closed}, true);
  CHECK(text.find("unreadable") != std::string::npos);
  CHECK(text.find("Permission denied") != std::string::npos);
  CHECK(text.find("1970") == std::string::npos);
  CHECK(text.find("damaged") == std::string::npos);
  CHECK(nlohmann::json::parse(as_json({closed}))["checkpoints"][0]["state"] == "unreadable");
  CHECK(nlohmann::json::parse(as_json({closed}))["checkpoints"][0]["sound"] == false);
}

TEST_CASE("nothing that is in a name or a warning reaches the terminal as a command") {
  auto view = sample();
  view.program = "/bin/\x1b]0;title\x07x\ny";
  view.mode = "whole\x9b\r";
  view.warnings = {"a socket \x1b[2J\xc2\x9b" "1m"};
  view.images[1].problem = "chunk\n\x1b[31m 3";
  for (const bool details : {false, true}) {
    const std::string text = as_text({view}, details);
    for (const char* wrong : {"\x1b", "\x07", "\r", "\xc2\x9b"}) CHECK(text.find(wrong) == std::string::npos);
    CHECK(text.find("\\x1b]0;title\\x07x\\ny") != std::string::npos);
    CHECK(text.find("a socket \\x1b[2J\\x9b1m\n") != std::string::npos);
    CHECK(text.find("chunk\\n\\x1b[31m 3\n") != std::string::npos);
  }
}

TEST_CASE("JSON carries its schema and everything in bytes, whatever is in a path") {
  const auto json = nlohmann::json::parse(as_json({sample()}));
  CHECK(json["schema"] == checkpoint_schema);
  CHECK(json["checkpoints"][0]["file_bytes"] == 3072);
  CHECK(json["checkpoints"][0]["images"][1]["rank"] == 1);
  CHECK(json["checkpoints"][0]["sound"] == true);
  CHECK(nlohmann::json::parse(as_json({}))["checkpoints"].empty());
}

}  // namespace tools_checkpoint_view_tests
