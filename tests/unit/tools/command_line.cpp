#include <runtime/tools/options/command_line.hpp>

#include <runtime/tools/text/failure.hpp>
#include <runtime/tools/text/text_table.hpp>

#include <mana/clock/policies.hpp>

#include <doctest/doctest.h>

namespace tools_command_line_tests {

using namespace mana::tools;
using words = std::vector<std::string>;

namespace {

namespace clock = mana::clock;

run_options run_of(const words& line) { return std::get<run_command>(parse_command_line(line)).options; }

mana::exit_status refusal(const words& line) {
  try {
    parse_command_line(line);
  } catch (const failure& failed) {
    return failed.code();
  }
  return mana::exit_status::success;
}

}  // namespace

TEST_CASE("the program's words are its own") {
  const auto options =
      run_of({"run", "--interval", "30", "--ckpt-dir=a b", "./app", "--interval", "x y", "--", "\"\n", ""});
  CHECK(options.interval_s == 30);
  CHECK(options.checkpoint_directory == "a b");
  CHECK(options.command == words{"./app", "--interval", "x y", "--", "\"\n", ""});
  CHECK(run_of({"run", "--", "-app"}).command == words{"-app"});
  CHECK(run_of({"run", "--", "--", "a"}).command == words{"--", "a"});
  CHECK(run_of({"run", "--verbose", "./app"}).verbose);
  CHECK(run_of({"run", "./app"}).checkpoint_directory == "mana-ckpt");
  CHECK(run_of({"run", "--stop-on", "TERM,USR2", "--stop-after", "9", "./app"}).stop_on == "TERM,USR2");
}

TEST_CASE("a word that is no command is named") {
  CHECK_THROWS_WITH_AS(parse_command_line({"lis", "x"}), "mana has no command \"lis\"", failure);
  CHECK_THROWS_AS(parse_command_line({}), failure);
}

TEST_CASE("a rate is a number of bytes greater than 0") {
  constexpr std::uint64_t mib = std::uint64_t{1} << 20;
  const std::pair<const char*, std::uint64_t> right[] = {{"1", 1}, {"7B", 7}, {"100M", 100 * mib}, {"100MB", 100 * mib},
                                                         {"3mib", 3 * mib}, {"2Gi", 2048 * mib}, {"1k", 1024},
                                                         {"1T", mib * mib}, {"18446744073709551615", UINT64_MAX}};
  for (const auto& [text, bytes] : right) CHECK(run_of({"run", "--max-rate", text, "./app"}).max_rate == bytes);
  for (const char* wrong : {"-1", "0", "0M", "99999999999999999999", "18446744073709551616", "16777216T", "", "M", "1.5G", "1X",
                            "1MM", "1iB", "1 M", " 1", "+1", "0x10"}) {
    CAPTURE(wrong);
    try {
      run_of({"run", std::string("--max-rate=") + wrong, "./app"});
      FAIL("taken");
    } catch (const failure& failed) {
      CHECK(failed.code() == mana::exit_status::usage);
      CHECK(std::string(failed.what()).find("--max-rate") != std::string::npos);
    }
  }
}

TEST_CASE("a number of a checkpoint or a rank is digits") {
  const auto verify_of = [](const char* number) {
    return std::get<verify_command>(parse_command_line({"verify", "d", std::string("--generation=") + number}));
  };
  CHECK(verify_of("12").generation == 12);
  for (const char* wrong : {"-1", "", "x", "1x", "0x1", "99999999999999999999"}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH_AS(verify_of(wrong), doctest::Contains("--generation"), failure);
    CHECK(refusal({"inspect", "d", std::string("--rank=") + wrong}) == mana::exit_status::usage);
  }
  CHECK(refusal({"verify", "d", "--generation", "-1"}) == mana::exit_status::usage);
}

TEST_CASE("wrong words are usage errors") {
  CHECK(refusal({}) == mana::exit_status::usage);
  CHECK(refusal({"fly"}) == mana::exit_status::usage);
  CHECK(refusal({"run"}) == mana::exit_status::usage);
  CHECK(refusal({"run", "--"}) == mana::exit_status::usage);
  CHECK(refusal({"run", "--nonsense", "./app"}) == mana::exit_status::usage);
  CHECK(refusal({"run", "--interval", "soon", "./app"}) == mana::exit_status::usage);
  CHECK(refusal({"run", "--interval", "-1", "./app"}) == mana::exit_status::usage);
  CHECK(refusal({"run", "--interval"}) == mana::exit_status::usage);
  CHECK(refusal({"run", "--mpi", "../lam", "./app"}) == mana::exit_status::usage);
  CHECK(refusal({"run", "--stop-on", "KILL", "./app"}) == mana::exit_status::usage);
  CHECK(refusal({"run", "--clock", "sundial", "./app"}) == mana::exit_status::usage);
  CHECK(refusal({"run", "--checkpoint-on", "", "./app"}) == mana::exit_status::usage);
  CHECK(refusal({"run", "--clock-trace", "", "./app"}) == mana::exit_status::usage);
  for (const char* wrong : {"1", "0", "-2", "65537", "many", "3x", ""})
    CHECK(refusal({"run", "--fan-out", wrong, "./app"}) == mana::exit_status::usage);
  CHECK(refusal({"run", "--children", "perhaps", "./app"}) == mana::exit_status::usage);
  CHECK(refusal({"run", "--sockets", "", "./app"}) == mana::exit_status::usage);
  for (const char* name : {"restart", "list", "verify", "prune", "compact", "inspect", "status", "checkpoint"}) {
    CHECK(refusal({name, ""}) == mana::exit_status::usage);
    CHECK(refusal({name, "a", "--ckpt-dir", "b"}) == mana::exit_status::usage);
  }
  CHECK(refusal({"status", "a", "--job", "b"}) == mana::exit_status::usage);
  for (const char* wrong : {"-1", "256", "x", ""}) CHECK(refusal({"run", "--stopped-status", wrong, "./app"}) == mana::exit_status::usage);
  CHECK(refusal({"list", "a", "b"}) == mana::exit_status::usage);
  CHECK(refusal({"checkpoint", "--job", "a", "--ckpt-dir", "b"}) == mana::exit_status::usage);
}

TEST_CASE("a clock that there is not is answered with those that there are") {
  try {
    parse_command_line({"run", "--clock", "sundial", "./app"});
    FAIL_CHECK("accepted");
  } catch (const failure& wrong) {
    const std::string said = wrong.what();
    CHECK(said.find("sundial is none of needs, ") != std::string::npos);
    for (const std::string_view name : clock::policy_names()) CHECK(said.find(name) != std::string::npos);
  }
  CHECK(run_of({"run", "--clock", "needs", "./app"}).clock == "needs");
  CHECK(run_of({"run", "--clock-trace", "t", "./app"}).clock_trace == "t");
  CHECK(run_of({"run", "--fan-out", "2", "./app"}).fan_out == 2);
  CHECK(run_of({"run", "--children", "refuse", "./app"}).children == "refuse");
  CHECK(run_of({"run", "--sockets", "ignore", "./app"}).sockets == "ignore");
  CHECK(run_of({"run", "./app"}).fan_out == clock::default_fan_out);
}

TEST_CASE("how much of the images on the nodes may be lost") {
  CHECK(run_of({"run", "--redundancy", "4+2", "./app"}).redundancy == "4+2");
  for (const char* wrong : {"4", "4+", "0+1", "33+1", "4+9", "4-1", "four+1", "4+1x", ""})
    CHECK(refusal({"run", "--redundancy", wrong, "./app"}) == mana::exit_status::usage);
  run_options options;
  options.redundancy = "1+1";
  const auto refused = [&] {
    try {
      lower_half_words(options, "/c");
      return std::string("not refused");
    } catch (const failure& wrong) {
      CHECK(wrong.code() == mana::exit_status::usage);
      return std::string(wrong.what());
    }
  };
  CHECK(refused().find("but --local is missing") != std::string::npos);
  options.local = "/l";
  CHECK(refused() == "not refused");
  options.forked = true;
  CHECK(refused().find("--redundancy and --forked exclude each other") != std::string::npos);
}

TEST_CASE("where files have moved") {
  const auto options = std::get<restart_command>(parse_command_line({"restart", "--map", "/a=/b", "d", "--map=/c=/d"}));
  CHECK(options.options.moved == words{"/a=/b", "/c=/d"});
  CHECK(options.options.checkpoint_directory == "d");
  for (const char* wrong : {"/a", "a=/b", "/a=b", "=/b", "/a=", ""})
    CHECK(refusal({"restart", "d", "--map", wrong}) == mana::exit_status::usage);
  CHECK(refusal({"run", "--map", "/a=/b", "./app"}) == mana::exit_status::usage);   // a program that starts has no past
}

TEST_CASE("the doctor looks at a program, or at none") {
  const auto of = [](const words& line) { return std::get<doctor_command>(parse_command_line(line)); };
  CHECK(of({"doctor"}).command.empty());
  CHECK(of({"doctor", "--json", "--ckpt-dir", "d", "./app", "--json"}).command == words{"./app", "--json"});
  CHECK(of({"doctor", "--json", "--ckpt-dir", "d", "./app"}).json);
  CHECK(of({"doctor", "--ckpt-dir", "d", "--", "-app"}).checkpoint_directory == "d");
  CHECK(of({"doctor", "--ckpt-dir", "d", "--", "-app"}).command == words{"-app"});
  CHECK_FALSE(of({"doctor", "./app", "--json"}).json);
  CHECK(refusal({"doctor", "--mpi", "../lam", "./app"}) == mana::exit_status::usage);
  CHECK(refusal({"doctor", "--nonsense", "./app"}) == mana::exit_status::usage);
}

TEST_CASE("words of the debugger are its own") {
  const auto of = [](const words& line) { return std::get<gdb_command>(parse_command_line(line)); };
  CHECK(of({"gdb", "17"}).pid == "17");
  CHECK(of({"gdb", "17", "-batch", "-ex", "bt"}).words == words{"-batch", "-ex", "bt"});
  CHECK(of({"gdb", "--core", "a b", "--core", "x"}).core == "a b");
  CHECK(of({"gdb", "--core", "a b", "--core", "x"}).words == words{"--core", "x"});
  CHECK(of({"gdb", "--core=c", "-q"}).core == "c");
  CHECK(of({"gdb", "--core=c", "-q"}).words == words{"-q"});
  CHECK(refusal({"gdb"}) == mana::exit_status::usage);
  CHECK(refusal({"gdb", "me"}) == mana::exit_status::usage);
  CHECK(refusal({"gdb", "-3"}) == mana::exit_status::usage);
  CHECK(refusal({"gdb", "1.5"}) == mana::exit_status::usage);
  CHECK(refusal({"gdb", "--core"}) == mana::exit_status::usage);
  CHECK(refusal({"gdb", "--core="}) == mana::exit_status::usage);
  CHECK(std::get<show_text>(parse_command_line({"gdb", "--help"})).text.find("--core") != std::string::npos);
  CHECK(run_of({"run", "--perf-map", "./app"}).perf_map);
}

TEST_CASE("the other commands' words") {
  const auto checkpoint =
      std::get<checkpoint_command>(parse_command_line({"checkpoint", "--stop", "--timeout", "2.5"}));
  CHECK(checkpoint.stop);
  CHECK(checkpoint.timeout_s == 2.5);
  CHECK(std::get<restart_command>(parse_command_line({"restart", "d"})).options.checkpoint_directory == "d");
  CHECK(std::get<status_command>(parse_command_line({"status", "--json"})).json);
  CHECK(std::get<list_command>(parse_command_line({"list"})).directory == "mana-ckpt");
  CHECK(std::get<restart_command>(parse_command_line({"restart", "--verbose"})).options.checkpoint_directory == "mana-ckpt");
  CHECK(std::get<list_command>(parse_command_line({"list", "d"})).directory == "d");
  CHECK(std::get<verify_command>(parse_command_line({"verify", "d", "--json"})).json);
  CHECK(std::get<show_text>(parse_command_line({"--version"})).text.starts_with("mana "));
  CHECK(std::get<show_text>(parse_command_line({"run", "--help"})).text.find("--interval") != std::string::npos);
}

TEST_CASE("tables are aligned") {
  text_table table({"name", ">size"});
  table.add({"a", "1"});
  table.add({"größe", "1000"});
  CHECK(table.text() == "name   size\na         1\ngröße  1000\n");
  CHECK(human_bytes(1023) == "1023 B");
  CHECK(human_bytes(1536) == "1.50 KiB");
  CHECK(human_bytes(300ull << 20) == "300 MiB");
  CHECK(human_seconds(0.0414) == "41 ms");
  CHECK(human_seconds(12.34) == "12.3 s");
}

}  // namespace tools_command_line_tests
