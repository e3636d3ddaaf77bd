#include "checkpoint_view.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

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

TEST_CASE("JSON carries its schema and everything in bytes, whatever is in a path") {
  const auto json = nlohmann::json::parse(as_json({sample()}));
  CHECK(json["schema"] == checkpoint_schema);
  CHECK(json["checkpoints"][0]["file_bytes"] == 3072);
  CHECK(json["checkpoints"][0]["images"][1]["rank"] == 1);
  CHECK(json["checkpoints"][0]["sound"] == true);
  CHECK(nlohmann::json::parse(as_json({}))["checkpoints"].empty());
}
