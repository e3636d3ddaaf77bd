#include <runtime/process_state/given.hpp>

#include <runtime/process_state/children.hpp>
#include <runtime/process_state/process_attributes.hpp>
#include <runtime/process_state/process_state.hpp>
#include <runtime/process_state/thread_records.hpp>
#include <runtime/process_state/unkept.hpp>

namespace mana::process_state {

namespace {

std::set<int> pids_of(const std::vector<child>& all) {
  std::set<int> pids;
  for (const child& c : all) pids.insert(c.pid);
  return pids;
}

/// Values that differ from `before` were also given.
void take_over(attribute_values& given, const attribute_values& before, const attribute_values& now) {
  for (const auto& [name, value] : now) {
    const auto was = before.find(name);
    if (was == before.end() || was->second != value) given[name] = value;
  }
}

}  // namespace

given_values& given() noexcept {
  static given_values values;
  return values;
}

changed_names& changed_before() noexcept {
  static changed_names names;
  return names;
}

given_values read_given() { return {read_all(thread_attributes()), read_all(process_attributes()), read_limits()}; }

void begin() {
  given() = read_given();
  note_given_surroundings();
  install_thread_hooks();
}

struct lower_half_start::before {
  given_values values = read_given();
  std::set<int> children = pids_of(process_state::children());
};

lower_half_start::lower_half_start() : before_(new before) {}

lower_half_start::~lower_half_start() {
  const given_values now = read_given();
  take_over(given().thread, before_->values.thread, now.thread);
  take_over(given().process, before_->values.process, now.process);
  take_over(given().limits, before_->values.limits, now.limits);
  std::set<int> made = pids_of(children());
  for (const int pid : before_->children) made.erase(pid);
  these_are_the_mpis(made);
  delete before_;
}

}  // namespace mana::process_state
