// Pages of the guide as `mana help` shows them, and the words that it offers instead of an unknown one.
#include <runtime/tools/options/command_line.hpp>
#include <runtime/tools/options/similar_words.hpp>
#include <runtime/tools/text/plain_text.hpp>

#include <doctest/doctest.h>

#include <algorithm>

namespace tools_plain_text_tests {

using namespace mana::tools;
using words = std::vector<std::string>;

TEST_CASE("headings, paragraphs and lists are wrapped, and lose their syntax") {
  CHECK(plain_text("# One\n\nA [link\nof two lines](x.md#y), `code_of` and **bold**.\n", 80) ==
        "One\n===\n\nA link of two lines, code_of and bold.\n");
  CHECK(plain_text("## Two\ntext\n\n### Three\n", 80) == "Two\n---\n\ntext\n\nThree\n");
  CHECK(plain_text("one two three four\n", 9) == "one two\nthree\nfour\n");
  CHECK(plain_text("- one two\n  three\n- four\n\nend\n", 11) == "- one two\n  three\n- four\n\nend\n");
  CHECK(plain_text("1. one\n2. two\n   three\n", 80) == "1. one\n2. two three\n");
  CHECK(plain_text("![a picture](p.svg)\n<!-- begin: x -->\n", 80) == "a picture\n");
  CHECK(plain_text("a [ and ] stay, so does `x\n", 80) == "a [ and ] stay, so does `x\n");
}

TEST_CASE("code stays as it is") {
  CHECK(plain_text("Run\n\n    mana run  [x](y)  # `no` text\n    **second**\n\nend\n", 20) ==
        "Run\n\n    mana run  [x](y)  # `no` text\n    **second**\n\nend\n");
  CHECK(plain_text("```\n# none\n```\n", 80) == "    # none\n");
  CHECK(plain_text("- item\n\n      code of the item\n", 80) == "- item\n\n      code of the item\n");
}

TEST_CASE("a table has columns, or is a list where it is too wide") {
  const char* const table = "| name | meaning |\n|---|---|\n| `a \\| b` | [first](x) |\n| größe | second |\n";
  CHECK(plain_text(table, 80) == "name   meaning\na | b  first\ngröße  second\n");
  CHECK(plain_text("| a | b | c |\n|---|--:|---|\n| one two three | four five six | seven eight nine |\n", 16) ==
        "one two three\n    b: four five\n    six\n    c: seven\n    eight nine\n");
}

TEST_CASE("the title of a page") {
  CHECK(title_of("# Restart: [here](x) and `there`\n\ntext\n") == "Restart: here and there");
  CHECK(title_of("text\n") == "");
}

TEST_CASE("similar words") {
  const words all{"limits", "restart-elsewhere", "slurm", "what-is-restored"};
  CHECK(similar_words("slrum", all) == words{"slurm"});
  CHECK(similar_words("limit", all) == words{"limits"});
  CHECK(similar_words("restart", all) == words{"restart-elsewhere"});
  CHECK(similar_words("nonsense", all).empty());
}

TEST_CASE("the words of help") {
  CHECK(std::get<help_command>(parse_command_line({"help"})).topic.empty());
  CHECK(std::get<help_command>(parse_command_line({"help", "slurm"})).topic == "slurm");
  const words topics = mana::option::guide_topic::choices();
  for (const char* topic : {"slurm", "troubleshooting", "restart-elsewhere"})
    CHECK(std::find(topics.begin(), topics.end(), topic) != topics.end());
}

TEST_CASE("each command's help has its usage and an example") {
  for (const char* command : {"run", "restart", "checkpoint", "status", "list", "inspect", "verify", "compact", "diff", "prune",
                              "extract", "gdb", "doctor", "completion", "help"}) {
    CAPTURE(command);
    const std::string text = std::get<show_text>(parse_command_line({command, "--help"})).text;
    CHECK(text.find("Usage: ") != std::string::npos);
    CHECK(text.find("mana " + std::string(command)) < text.find("\n\n", text.find("Usage: ")));
    CHECK(text.find("Example:\n  ") != std::string::npos);
  }
  const std::string run = std::get<show_text>(parse_command_line({"run", "--help"})).text;
  CHECK(run.find("mpirun -n RANKS mana run [OPTIONS] [--] PROGRAM") != std::string::npos);
  CHECK(run.find("For experts:") > run.find("When to take a checkpoint:"));
}

}  // namespace tools_plain_text_tests
