#include <runtime/tools/launch/doctor.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace mana::tools {
namespace {

const char* name_of(verdict how) {
  switch (how) {
    case verdict::ok: return "ok";
    case verdict::warning: return "warning";
    case verdict::will_not_work: return "will not work";
  }
  return "";
}

}  // namespace

finding as_finding(const std::string& check, const failure& refused) {
  return {check, verdict::will_not_work, refused.what(), refused.remedy()};
}

bool works(const findings& all) {
  return std::none_of(all.begin(), all.end(), [](const finding& f) { return f.how == verdict::will_not_work; });
}

std::string as_text(const findings& all) {
  std::string text;
  for (const finding& f : all)
    text += fmt::format("{:<13}  {:<12}  {}{}{}\n", name_of(f.how), f.check, f.text, f.remedy.empty() ? "" : "; ",
                        f.remedy);
  return text;
}

std::string as_json(const findings& all, const std::vector<std::string>& command) {
  nlohmann::ordered_json json{{"schema", doctor_schema}, {"works", works(all)}, {"command", command}};
  json["findings"] = nlohmann::ordered_json::array();
  for (const finding& f : all)
    json["findings"].push_back(
        {{"check", f.check}, {"verdict", name_of(f.how)}, {"text", f.text}, {"remedy", f.remedy}});
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

int examine(const doctor_command& wanted, const environment& get) {
  findings all;
  if (!wanted.command.empty()) all = examine_program(wanted, get);
  for (finding& f : examine_live_mpis()) all.push_back(std::move(f));
  for (finding& f : examine_machine(wanted.checkpoint_directory)) all.push_back(std::move(f));
  fmt::print("{}", wanted.json ? as_json(all, wanted.command) : as_text(all));
  return works(all) ? 0 : static_cast<int>(exit_status::will_not_work);
}

}  // namespace mana::tools
