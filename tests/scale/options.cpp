#include "options.hpp"

#include <cmath>
#include <stdexcept>

namespace clock_scale {

const char* const usage =
    "usage: mana-clock-scale [options]      simulates one quiesce\n"
    "  --ranks N          or 2^K (1024)\n"
    "  --pattern NAME     halo, grid, straggler, chain (halo)\n"
    "  --network NAME     star, tree (tree)\n"
    "  --fan-out K        children of a process (16)\n"
    "  --link-us X        latency of the control network (10)\n"
    "  --handling-us X    time of each message at its sender and at its receiver (1)\n"
    "  --jitter-us X      up to so much more latency, each time anew (0)\n"
    "  --policy NAME      (needs)\n"
    "  --seed N           of lengths of computations, the request's moment, the jitter (1)\n"
    "  --no-twin          without the run that is not quiesced\n"
    "  --json             one line for programs\n";

namespace {

[[noreturn]] void wrong(const std::string& what) { throw std::invalid_argument(what); }

double number_of(const std::string& text, const std::string& option) try {
  std::size_t used = 0;
  const double value = std::stod(text, &used);
  if (used != text.size() || !(value >= 0)) wrong(option + ": not a number: " + text);
  return value;
} catch (const std::logic_error&) {
  wrong(option + ": not a number: " + text);
}

int ranks_of(const std::string& text) {
  const bool is_power = text.starts_with("2^");
  const double n = number_of(is_power ? text.substr(2) : text, "--ranks");
  const double ranks = is_power ? std::ldexp(1.0, static_cast<int>(n)) : n;
  if (ranks < 2 || ranks > 1 << 22) wrong("--ranks: between 2 and 2^22");
  return static_cast<int>(ranks);
}

const pattern& pattern_of(std::string_view name) {
  std::string names;
  for (const pattern& p : patterns()) {
    if (p.name == name) return p;
    names.append(1, ' ').append(p.name);
  }
  wrong("unknown pattern " + std::string(name) + "; there are:" + names);
}

nanoseconds microseconds(double us) { return static_cast<nanoseconds>(us * 1000); }

void read(options& o, const std::string& option, const std::string& value) {
  network_options& n = o.what.network;
  if (option == "--ranks") o.what.ranks = ranks_of(value);
  else if (option == "--pattern") o.what.program = &pattern_of(value);
  else if (option == "--network") o.network = value;
  else if (option == "--fan-out") n.fan_out = static_cast<int>(number_of(value, option));
  else if (option == "--link-us") n.link = microseconds(number_of(value, option));
  else if (option == "--handling-us") n.handling = microseconds(number_of(value, option));
  else if (option == "--jitter-us") n.jitter = microseconds(number_of(value, option));
  else if (option == "--policy") o.policy = value;
  else if (option == "--seed") o.what.seed = static_cast<std::uint64_t>(number_of(value, option));
  else wrong("unknown option " + option);
}

}  // namespace

options read_options(int count, char** words) {
  options o;
  o.what.program = &patterns().front();
  for (int i = 1; i < count; ++i) {
    const std::string option = words[i];
    if (option == "--json") o.json = true;
    else if (option == "--no-twin") o.what.twin = false;
    else if (i + 1 == count) wrong(option + " without a value, or unknown");
    else read(o, option, words[++i]);
  }
  if (o.network != "star" && o.network != "tree") wrong("unknown network " + o.network + "; there are: star tree");
  if (o.network == "star") o.what.network.fan_out = o.what.ranks;
  if (o.what.network.fan_out < 1) wrong("--fan-out: at least 1");
  o.what.network.seed = o.what.seed;
  return o;
}

}  // namespace clock_scale
