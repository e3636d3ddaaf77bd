#include "options.hpp"

#include <cmath>
#include <stdexcept>

namespace clock_scale {

const char* const usage =
    "usage: mana-clock-scale [options]      simulates a quiesce, or one for each fan-out and latency\n"
    "  --ranks N          or 2^K (1024)\n"
    "  --pattern NAME     halo, grid, straggler, chain (halo)\n"
    "  --network NAME     star, tree (tree)\n"
    "  --fan-out K        children of a process (16); or several: 2,8,16\n"
    "  --link-us X        latency of the control network (10); or several\n"
    "  --handling-us X    time of each message at its sender and at its receiver (1)\n"
    "  --pace-us X        a relay's turns begin at least so long after one another (0)\n"
    "  --jitter-us X      up to so much more latency, each time anew (0)\n"
    "  --policy NAME      (needs)\n"
    "  --seed N           of lengths of computations, the request's moment, the jitter (1)\n"
    "  --limit-s X        after which there is no line (100)\n"
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

std::vector<double> numbers_of(const std::string& text, const std::string& option) {
  std::vector<double> all;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    all.push_back(number_of(text.substr(at, end - at), option));
    at = end + 1;
  }
  return all;
}

struct lists {
  std::vector<double> fan_outs{mana::clock::default_fan_out}, links_us{10};
};

void read(options& o, network_options& n, lists& l, const std::string& option, const std::string& value) {
  if (option == "--ranks") o.what.ranks = ranks_of(value);
  else if (option == "--pattern") o.what.program = &pattern_of(value);
  else if (option == "--network") o.network = value;
  else if (option == "--fan-out") l.fan_outs = numbers_of(value, option);
  else if (option == "--link-us") l.links_us = numbers_of(value, option);
  else if (option == "--handling-us") n.handling = microseconds(number_of(value, option));
  else if (option == "--pace-us") n.pace = microseconds(number_of(value, option));
  else if (option == "--jitter-us") n.jitter = microseconds(number_of(value, option));
  else if (option == "--policy") o.policy = value;
  else if (option == "--limit-s") o.what.limit = microseconds(number_of(value, option) * 1e6);
  else if (option == "--seed") o.what.seed = static_cast<std::uint64_t>(number_of(value, option));
  else wrong("unknown option " + option);
}

}  // namespace

options read_options(int count, char** words) {
  options o;
  network_options common;
  lists all;
  o.what.program = &patterns().front();
  for (int i = 1; i < count; ++i) {
    const std::string option = words[i];
    if (option == "--json") o.json = true;
    else if (option == "--no-twin") o.what.twin = false;
    else if (i + 1 == count) wrong(option + " without a value, or unknown");
    else read(o, common, all, option, words[++i]);
  }
  if (o.network != "star" && o.network != "tree") wrong("unknown network " + o.network + "; there are: star tree");
  if (o.network == "star") all.fan_outs = {static_cast<double>(o.what.ranks)};
  common.seed = o.what.seed;
  for (const double fan_out : all.fan_outs)
    for (const double link : all.links_us) {
      if (fan_out < 1) wrong("--fan-out: at least 1");
      o.networks.push_back(common);
      o.networks.back().fan_out = static_cast<int>(fan_out);
      o.networks.back().link = microseconds(link);
    }
  return o;
}

}  // namespace clock_scale
