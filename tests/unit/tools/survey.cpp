// What list, verify, inspect, diff and extract make of what is in a directory of checkpoints.
#include <runtime/tools/job/survey.hpp>

#include <runtime/tools/memory/image_choice.hpp>
#include <runtime/tools/options/commands.hpp>
#include <runtime/tools/text/failure.hpp>

#include "../image/checkpoints.hpp"
#include "../image/in_child.hpp"
#include "../without_rights.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

namespace tools_survey_tests {

using namespace mana;
using namespace mana::tools;
namespace fs = std::filesystem;

namespace {

template <class Step>
mana::exit_status refusal(Step&& step, const std::string& words = {}) {
  try {
    step();
  } catch (const failure& failed) {
    CHECK(std::string(failed.what()).find(words) != std::string::npos);
    return failed.code();
  }
  return mana::exit_status::success;
}

std::string state_of(const std::string& directory, std::size_t which) {
  return nlohmann::json::parse(as_json(view_directory(directory)))["checkpoints"].at(which)["state"];
}

}  // namespace

TEST_CASE("a path that the system refuses is no defect") {
  const temporary_directory scratch;
  const std::string long_one = scratch.path() / std::string(300, 'x');
  CHECK(refusal([&] { view_directory(long_one); }, "File name too long") == mana::exit_status::checkpoint_unreadable);
  CHECK(refusal([&] { view_directory(scratch.path() / "none"); }, "no such directory") == mana::exit_status::checkpoint_missing);
  CHECK(refusal([&] { view_directory(scratch.write("file", "")); }, "no such directory") == mana::exit_status::checkpoint_missing);
}

TEST_CASE("a checkpoint that may not be looked into is unreadable, with the system's words") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  const auto g = made.add();
  for (const auto mode : {0000u, 0600u}) {
    fs::permissions(g.path, fs::perms(mode));
    CHECK(in_child([&]() -> std::string {
      give_up_rights_over_files();
      const auto all = view_directory(made.directory());
      if (state_of(made.directory(), 0) != "unreadable") return state_of(made.directory(), 0);
      if (all[0].problem.find("Permission denied") == std::string::npos) return all[0].problem;
      verify_command verified;
      verified.directory = made.directory();
      verified.json = true;
      if (verify(verified) != 85) return "verify";
      inspect_command inspected;
      inspected.what = g.path;
      for (const char* of : {"", "/rank-00000.mana"}) {
        inspected.what = g.path + of;
        if (refusal([&] { inspect(inspected); }, "Permission denied") != mana::exit_status::checkpoint_unreadable) return inspected.what;
      }
      return "";
    }) == "");
    fs::permissions(g.path, fs::perms(0700));
  }
}

TEST_CASE("a checkpoint that is being written is neither damaged nor never finished") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  made.add();
  {
    const auto g = store::begin_generation(made.directory());
    checkpoints::put(g, "rank-00000.mana", "a part");
    CHECK(state_of(made.directory(), 1) == "being written");
    for (const char* of : {"", "/rank-00000.mana"})
      CHECK(refusal([&] { choose_images(g.path + of, {}); }, "is being written") == mana::exit_status::checkpoint_missing);
  }
  CHECK(state_of(made.directory(), 1) == "incomplete");
  fs::remove(fs::path(made.directory()) / "lock");
  CHECK(state_of(made.directory(), 1) == "incomplete");
  CHECK_FALSE(fs::exists(fs::path(made.directory()) / "lock"));      // who looks makes no files
}

TEST_CASE("an image that is not the one that the manifest means is not taken for it") {
  const temporary_directory scratch;
  const checkpoints made(scratch.path());
  const auto g = made.add();
  CHECK_FALSE(choose_images(g.path, {}).images[0].problem);
  checkpoints::put(g, "rank-00000.mana", checkpoints::bytes(g, "rank-00001.mana"));
  for (const std::string& named : {made.directory(), g.path, g.path + "/rank-00000.mana"}) {
    const chosen images = choose_images(named, 0);
    REQUIRE(images.images.size() == 1);
    REQUIRE(images.images[0].problem);
    CHECK(std::string(images.images[0].problem->what()).find("this is the image of rank 1 of 2, not of rank 0 of 2") !=
          std::string::npos);
  }
  CHECK_FALSE(choose_images(g.path, 1).images[0].problem);
  extract_command extracted;
  extracted.what = made.directory();
  extracted.rank = 0;
  extracted.section = "run";
  extracted.output = scratch.path() / "out";
  CHECK(refusal([&] { extract(extracted); }, "rank-00000.mana") == mana::exit_status::checkpoint_damaged);
  CHECK_FALSE(fs::exists(extracted.output));
  diff_command compared;
  compared.first = compared.second = g.path;
  CHECK(refusal([&] { diff(compared); }, "rank-00000.mana") == mana::exit_status::checkpoint_damaged);
  fs::copy_file(g.path + "/rank-00000.mana", scratch.path() / "alone");
  CHECK_FALSE(choose_images(scratch.path() / "alone", {}).images[0].problem);
}

}  // namespace tools_survey_tests
