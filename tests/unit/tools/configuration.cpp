#include <runtime/tools/options/configuration.hpp>

#include <runtime/tools/options/command_line.hpp>
#include <runtime/tools/text/failure.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace tools_configuration_tests {

using namespace mana::tools;
using words = std::vector<std::string>;

namespace {

configuration_error error_of(const std::string& text) { return parse_configuration(text).error; }

/// The options that a command gets by this file.
run_options options_of(const words& line, const std::string& text) {
  const command made = parse_command_line(line, [&text] { return configuration_file{"/c", text}; });
  if (const auto* run = std::get_if<run_command>(&made)) return run->options;
  return std::get<restart_command>(made).options;
}

std::string refusal(const words& line, const std::string& text) {
  try {
    options_of(line, text);
  } catch (const failure& failed) {
    CHECK(failed.code() == mana::exit_status::usage);
    return failed.what();
  }
  return {};
}

struct directory {
  directory() {
    char name[] = "/tmp/mana-configuration-XXXXXX";
    path = mkdtemp(name);
  }
  ~directory() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

std::string refused_file(const std::filesystem::path& file) {
  try {
    find_configuration([&](const char* name) { return std::string(name) == "MANA_CONFIG" ? file.c_str() : nullptr; });
  } catch (const failure& failed) {
    return failed.what();
  }
  return {};
}

}  // namespace

TEST_CASE("the form of a configuration") {
  const configuration read = parse_configuration(
      "# mine\r\n\n [ run ] # all\n compress = \"zstd:3\"\ninterval=1_0.5\n\tforked = true # yes\n[restart]\n"
      "map = ['/a=/b', \"/c\\\\=/\\\"d\"]\nx = []\n");
  REQUIRE(read.error.line == 0);
  REQUIRE(read.options.size() == 5);
  CHECK(read.options[0].section == "run");
  CHECK(read.options[0].line == 4);
  CHECK(read.options[0].values == words{"zstd:3"});
  CHECK(read.options[1].values == words{"10.5"});
  CHECK(read.options[2].values == words{"true"});
  CHECK(read.options[3].section == "restart");
  CHECK(read.options[3].is_list);
  CHECK(read.options[3].values == words{"/a=/b", "/c\\=/\"d"});
  CHECK(read.options[4].values.empty());
  CHECK(parse_configuration("").options.empty());
  CHECK(parse_configuration("[run]\na = \"1_0\"").options[0].values == words{"1_0"});
}

TEST_CASE("what is no configuration is answered with its line and key") {
  for (const char* wrong : {"interval = 3", "[run", "[]", "[run] x", "[a.b]", "[run]\nx", "[run]\nx =", "[run]\nx = zstd",
                            "[run]\nx = \"a", "[run]\nx = 'a", "[run]\nx = [1", "[run]\nx = [1 2]", "[run]\nx = 1 2",
                            "[run]\nx = \"\\q\"", "[run]\nx = \"\\", "[run]\nx = 1\nx = 2", "[run]\n= 3", "[run]\nx = --1",
                            "[run]\nx = +", "[run]\nx = [,]", "[[run]]"}) {
    CAPTURE(wrong);
    const configuration read = parse_configuration(wrong);
    CHECK(read.error.line >= 1);
    CHECK_FALSE(read.error.what.empty());
    CHECK(read.options.empty());
  }
  CHECK(error_of("[run]\n\nx = 1\nx = 2").line == 4);
  CHECK(error_of("[run]\n\nx = 1\nx = 2").key == "x");
  CHECK(error_of(std::string("[run]\na = \"\0\"", 11)).line == 2);
  CHECK(error_of("[run]\n" + std::string(most_configuration_bytes, '#')).line == 1);
  CHECK(error_of("[run]\n[run]\nx = 1").line == 0);
  CHECK(error_of("\xff").line == 1);
}

TEST_CASE("every text is answered") {
  std::string text = "[run]\ncompress = \"zstd:3\" # x\nmap = ['/a', \"b\"]\n";
  for (std::size_t at = 0; at <= text.size(); ++at)
    for (int byte = 0; byte < 256; byte += 3) {
      std::string other = text.substr(0, at) + static_cast<char>(byte) + text.substr(std::min(at + 1, text.size()));
      const configuration read = parse_configuration(other);
      CHECK((read.error.line == 0) == read.error.what.empty());
    }
}

TEST_CASE("a rate in the file is what it is in an option") {
  CHECK(options_of({"run", "./app"}, "[run]\nmax-rate = \"100M\"\n").max_rate == std::uint64_t{100} << 20);
  CHECK(options_of({"run", "./app"}, "[run]\nmax-rate = 4096\n").max_rate == 4096);
  for (const char* wrong : {"-1", "0", "99999999999999999999", "\"1.5G\""})
    CHECK_THROWS_WITH_AS(options_of({"run", "./app"}, std::string("[run]\nmax-rate = ") + wrong + "\n"),
                         doctest::Contains("max-rate"), failure);
}

TEST_CASE("the file holds where the command line says nothing") {
  const std::string file = "[run]\ncompress = \"zstd:3\"\ninterval = 600\nforked = true\nincremental = false\n";
  const run_options run = options_of({"run", "./app", "--interval", "1"}, file);
  CHECK(run.compress == "zstd:3");
  CHECK(run.interval_s == 600);
  CHECK(run.forked);
  CHECK_FALSE(run.incremental);
  CHECK(run.command == words{"./app", "--interval", "1"});
  CHECK(options_of({"run", "--interval", "5", "./app"}, file).interval_s == 5);
  CHECK(options_of({"run", "--interval=5", "--", "./app"}, file).compress == "zstd:3");
  CHECK(options_of({"run", "--no-config", "./app"}, file).interval_s == 0);
  CHECK(options_of({"run", "./app"}, "").interval_s == 0);
}

TEST_CASE("a restart takes what is said of runs, and what is said of restarts before it") {
  const std::string file = "[run]\ninterval = 600\nclock = \"needs\"\ncpu = \"x86-64\"\nckpt-dir = \"/c\"\n"
                           "[restart]\ninterval = 5\nmap = [\"/a=/b\", \"/c=/d\"]\nlazy = true\n";
  const run_options restart = options_of({"restart", "d"}, file);
  CHECK(restart.interval_s == 5);
  CHECK(restart.clock == "needs");
  CHECK(restart.cpu.empty());                    // no option of a restart
  CHECK(restart.checkpoint_directory == "d");
  CHECK(restart.lazy);
  CHECK(restart.moved == words{"/a=/b", "/c=/d"});
  CHECK(options_of({"restart", "d", "--map", "/x=/y"}, file).moved == words{"/x=/y"});
  CHECK(options_of({"run", "./app"}, file).interval_s == 600);
  CHECK(options_of({"run", "./app"}, file).checkpoint_directory == "/c");
  CHECK_FALSE(options_of({"run", "./app"}, file).lazy);
}

TEST_CASE("unknown keys and bad values are refused by file, line and key") {
  const auto says = [](const std::string& text, const std::string& part) {
    CAPTURE(text);
    const std::string said = refusal({"run", "./app"}, text);
    CAPTURE(said);
    return said.starts_with("/c:") && said.find(part) != std::string::npos;
  };
  CHECK(says("[run]\nnonsense = 3", "/c:2: nonsense: mana run has no such option"));
  CHECK(says("[run]\ninterval = \"soon\"", "/c:2: interval: "));
  CHECK(says("[run]\n\ncompress = \"zstd:99\"", "/c:3: compress: "));
  CHECK(says("[run]\npack-threads = 0", "/c:2: pack-threads: "));
  CHECK(says("[run]\nlazy = true", "lazy: mana run has no such option"));
  CHECK(says("[run]\nhelp = true", "help: mana run has no such option"));
  CHECK(says("[run]\nno-config = true", "no-config: "));
  CHECK(says("[run]\nforked = 1", "forked: is true or false"));
  CHECK(says("[run]\nforked = []", "forked: "));
  CHECK(says("[run]\ninterval = [1, 2]", "interval: takes one value"));
  CHECK(says("[run]\nclock-trace = \"\"", "clock-trace: "));
  CHECK(says("[gdb]\npid = 3", "/c:2: pid: there is no section [gdb]"));
  CHECK(says("[restart]\nDIR = \"x\"", "DIR: "));
  CHECK(says("[restart]\nmap = [\"/a=/b\", \"/a\"]", "/c:2: map: "));   // also where it is a restart's
  CHECK(refusal({"restart", "d"}, "[run]\ncpu = \"vax\"").starts_with("/c:2: cpu: "));
  CHECK(refusal({"run", "--no-config", "./app"}, "[run]\nnonsense = 3").empty());
}

TEST_CASE("the file is asked for run and restart, and for where checkpoints are if nothing else says it") {
  bool asked = false;
  const configuration_source source = [&asked] {
    asked = true;
    return std::optional<configuration_file>();
  };
  for (const words& line : {words{"list", "d"}, words{"status", "--job", "f"}, words{"gdb", "1"}, words{"diff", "a", "b"},
                            words{"verify", "--ckpt-dir", "d"}, words{"status", "--no-config"}, words{"run", "--help"}, words{"--version"},
                            words{"run", "--no-config", "./app"}, words{"restart", "d", "--no-config"}})
    parse_command_line(line, source);
  CHECK_FALSE(asked);
  for (const words& line : {words{"run", "./app"}, words{"status"}, words{"checkpoint"}, words{"list"}, words{"verify"}, words{"prune"},
                            words{"compact"}, words{"inspect"}, words{"extract", "--core", "-o", "f"}, words{"doctor"}, words{"restart"}}) {
    asked = false;
    parse_command_line(line, source);
    CHECK(asked);
  }
}

TEST_CASE("all commands look for checkpoints where the file has mana run make them") {
  const configuration_source source = [] {
    return configuration_file{"/f", "[run]\nckpt-dir = \"/scratch/c\"\ninterval = 600\n"};
  };
  const auto directory_in = [&](const words& line) {
    const command parsed = parse_command_line(line, source);
    if (const auto* c = std::get_if<status_command>(&parsed)) return c->job.checkpoint_directory;
    if (const auto* c = std::get_if<checkpoint_command>(&parsed)) return c->job.checkpoint_directory;
    if (const auto* c = std::get_if<list_command>(&parsed)) return c->directory;
    if (const auto* c = std::get_if<verify_command>(&parsed)) return c->directory;
    if (const auto* c = std::get_if<prune_command>(&parsed)) return c->directory;
    if (const auto* c = std::get_if<compact_command>(&parsed)) return c->directory;
    if (const auto* c = std::get_if<inspect_command>(&parsed)) return c->what;
    if (const auto* c = std::get_if<extract_command>(&parsed)) return c->what;
    if (const auto* c = std::get_if<doctor_command>(&parsed)) return c->checkpoint_directory;
    if (const auto* c = std::get_if<run_command>(&parsed)) return c->options.checkpoint_directory;
    return std::get<restart_command>(parsed).options.checkpoint_directory;
  };
  for (const words& line : {words{"run", "./app"}, words{"status"}, words{"checkpoint"}, words{"list"}, words{"verify"}, words{"prune"},
                            words{"compact"}, words{"inspect"}, words{"extract", "--core", "-o", "f"}, words{"doctor"}, words{"restart"}}) {
    CAPTURE(line[0]);
    CHECK(directory_in(line) == "/scratch/c");
    words named = line;
    named.insert(named.begin() + 1, {"--ckpt-dir", "d"});
    CHECK(directory_in(named) == "d");
    named = line;
    named.insert(named.begin() + 1, "--no-config");
    CHECK(directory_in(named) == "mana-ckpt");
  }
  for (const char* by_place : {"status", "checkpoint", "list", "verify", "prune", "compact", "inspect", "restart"})
    CHECK(directory_in({by_place, "d"}) == "d");
  CHECK(std::get<status_command>(parse_command_line({"status", "--job", "j"}, source)).job.checkpoint_directory == "mana-ckpt");
}

TEST_CASE("a file that others could have written is refused") {
  const directory own;
  const auto file = own.path / "config";
  std::ofstream(file) << "[run]\n";
  chmod(file.c_str(), 0644);
  CHECK(refused_file(file).empty());
  for (const mode_t mode : {mode_t{0664}, mode_t{0646}}) {
    chmod(file.c_str(), mode);
    CHECK(refused_file(file).find("is writable by others") != std::string::npos);
  }
  chmod(file.c_str(), 0600);
  std::ofstream(file) << std::string(most_configuration_bytes + 1, ' ');
  CHECK(refused_file(file).find("64 KiB") != std::string::npos);
  CHECK(refused_file(own.path).find("is not a regular file") != std::string::npos);
  CHECK(refused_file(own.path / "none").find("cannot be opened") != std::string::npos);
  CHECK(refused_file("/dev/null").find("is not a regular file") != std::string::npos);
  REQUIRE(mkfifo((own.path / "fifo").c_str(), 0600) == 0);
  CHECK(refused_file(own.path / "fifo").find("is not a regular file") != std::string::npos);
  if (geteuid() == 0) {
    std::ofstream(own.path / "foreign") << "[run]\n";
    REQUIRE(chown((own.path / "foreign").c_str(), 65534, 65534) == 0);
    CHECK(refused_file(own.path / "foreign").find("belongs to another user") != std::string::npos);
  }
}

TEST_CASE("where the file is") {
  const directory own;
  std::filesystem::create_directories(own.path / "xdg/mana");
  std::filesystem::create_directories(own.path / "home/.config/mana");
  std::ofstream(own.path / "xdg/mana/config") << "xdg";
  std::ofstream(own.path / "home/.config/mana/config") << "home";
  std::ofstream(own.path / "named") << "named";
  for (const char* name : {"xdg/mana/config", "home/.config/mana/config", "named"}) chmod((own.path / name).c_str(), 0600);
  const auto text = [](const std::map<std::string, std::string>& variables) {
    const auto found = find_configuration([&](const char* name) {
      const auto value = variables.find(name);
      return value == variables.end() ? nullptr : value->second.c_str();
    });
    return found ? found->text : "none";
  };
  const std::string xdg = own.path / "xdg", home = own.path / "home", named = own.path / "named";
  CHECK(text({}) == "none");
  CHECK(text({{"HOME", home}}) == "home");
  CHECK(text({{"HOME", home}, {"XDG_CONFIG_HOME", xdg}}) == "xdg");
  CHECK(text({{"HOME", home}, {"XDG_CONFIG_HOME", xdg}, {"MANA_CONFIG", named}}) == "named");
  CHECK(text({{"HOME", home}, {"XDG_CONFIG_HOME", own.path}}) == "none");
  CHECK(text({{"HOME", home}, {"XDG_CONFIG_HOME", "relative"}}) == "home");
  CHECK(text({{"HOME", named}}) == "none");
}

}  // namespace tools_configuration_tests
