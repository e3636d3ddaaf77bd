// The scripted lower half's own objects, its table of MPI's functions, and its checkpoints.
#include "half.hpp"

#include <mana/checkpoint/program_with_mpi.hpp>
#include <mana/calls.hpp>
#include <mana/library/words.hpp>

#include <every_function.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>

namespace mana::scripted {

lower_half& half() {
  static lower_half only;
  return only;
}

namespace {

std::uint64_t bits_of(std::uint64_t number) { return half().generation << 48 | number; }
std::uint64_t predefined_bits(std::uint32_t code) { return predefined_bit | bits_of(code); }

const char* name_of_kind(kind_code kind) {
  switch (kind) {
    case kind_code::comm: return "communicator";
    case kind_code::request: return "request";
    case kind_code::op: return "operation";
    case kind_code::datatype: return "datatype";
    case kind_code::info: return "info object";
    case kind_code::message: return "message";
    case kind_code::win: return "window";
    default: return "handle";
  }
}

void fill_predefined() {
  lower::bridge& b = lower::the_bridge();
  for (std::uint32_t code = 0; code < neutral::predefined_limit; ++code) b.predefined_real[code] = predefined_bits(code);
}

std::vector<int> everyone() {
  std::vector<int> ranks(world_size);
  for (int r = 0; r < world_size; ++r) ranks[static_cast<std::size_t>(r)] = r;
  return ranks;
}

/// The last parameter of a slot.
template <class Params>
using last_of = std::tuple_element_t<std::tuple_size_v<Params> - 1, Params>;

/// What makes one object that is no request makes one; what takes one's address and gives nothing ends it.
struct fill_slot {
  mpi_slots& table;
  template <class Fn, auto Slot>
  void operator()() {
    table.*Slot = script<Slot>::called;
    script<Slot>::instance().name = Fn::name;
    using params = typename Fn::params::as_tuple;
    positions gives;
    [&]<class... P>(std::tuple<P...>*) {
      std::size_t at = 0;
      ((P::direction == dir::inout && !P::is_array ? gives.push_back(at) : void(), ++at), ...);
    }(static_cast<params*>(nullptr));
    check_handles<Slot>(gives);
    using last = last_of<params>;
    if constexpr (requires { last::kind::code; }) {
      using K = typename last::kind;
      if constexpr (K::code == kind_code::request || last::is_array) return;
      else if constexpr (last::direction == dir::out)
        stock<Slot>([](auto... a) {
          *std::get<sizeof...(a) - 1>(std::tuple(a...)) = make<K>();
          return int{neutral::success};
        });
      else if constexpr (last::direction == dir::inout)
        stock<Slot>([](auto... a) {
          end<K>(std::exchange(*std::get<sizeof...(a) - 1>(std::tuple(a...)), {}));
          return int{neutral::success};
        });
    }
  }
};

mpi_slots& own_slots() {
  static mpi_slots table{};
  table.head = lower::head_of<mpi_slots>();
  return table;
}

/// The other ranks drain too: what needs them completes.
void complete_at_drain() {
  for (auto& [real, o] : half().objects)
    if (o.kind == kind_code::request && o.at_drain && !o.completed) o.completed = neutral::status{};
}

/// Threads of the program's besides the one that runs checkpoints: how many there are, how many of them are parked.
struct other_threads {
  std::mutex lock;
  std::condition_variable changed;
  int running = 0, parked = 0;
  std::uint64_t checkpoints = 0;             // that are over
};
other_threads& others() {
  static other_threads all;
  return all;
}
thread_local bool is_other = false;

void park_other() {
  other_threads& all = others();
  std::unique_lock hold(all.lock);
  const std::uint64_t mine = all.checkpoints;
  ++all.parked;
  all.changed.notify_all();
  all.changed.wait(hold, [&] { return all.checkpoints != mine; });
  --all.parked;
}
void await_others() {
  other_threads& all = others();
  std::unique_lock hold(all.lock);
  all.changed.wait(hold, [&] { return all.parked == all.running; });
}
void let_others_go() {
  const std::lock_guard hold(others().lock);
  ++others().checkpoints;
  others().changed.notify_all();
}

}  // namespace

outcome begin_checkpoint() {
  await_others();
  const outcome how = half().next_checkpoint;
  ++half().parks;
  if (how == outcome::is_given_up) expect<&services::drain_turn>().gives(lower::drain_order::end);
  else complete_at_drain();
  lower::the_bridge().current = lower::phase::draining;
  return how;
}
/// Another process goes on with the program's memory: none of the handles means anything there.
void begin_new_process() {
  half().objects.clear();
  half().network.clear();
  ++half().generation;
  fill_predefined();
  lower::the_bridge().current = lower::phase::restoring;
}
void end_checkpoint() {
  script<&services::drain_turn>::instance().drop_expected();
  half().mails.clear();
  lower::the_bridge().attention = 0;
  lower::the_bridge().current = lower::phase::running;
  if (const auto act = std::exchange(half().after_checkpoint, nullptr)) act();
  let_others_go();
}
void set_checkpoint(void (*run)()) { half().run = run; }

void attach() {
  lower::bridge& b = lower::the_bridge();
  b.service = &own_services();
  for_each_slot(fill_slot{own_slots()});
  b.mpi = &own_slots();
  b.upper.reduce = mana::object::reduce_upcall;
  stock_all();
  ++half().generation;
  fill_predefined();
  app::init_predefined();
}

void end_of_script() {
  for (script_base* const s : script_base::all()) {
    if (s->expected() != 0) fail("the lower half's " + s->name + " was expected, and never called");
    s->forget();
  }
  half().network.clear();
  half().notes.clear();
  half().aborted.reset();
  half().parks = 0;
  lower::the_bridge().attention = 0;
}

int take_completed(int n, real<kind::request>* requests, neutral::status* statuses) {
  int got = 0;
  for (int i = 0; i < n; ++i) {
    if (!requests[i]) continue;
    check_live(requests[i]);
    const auto found = half().objects.find(requests[i].bits());
    if (found == half().objects.end() || !found->second.completed) continue;
    statuses[i] = *found->second.completed;
    half().objects.erase(found);
    requests[i] = {};
    ++got;
  }
  return got;
}

std::uint64_t bits::make(kind_code kind, std::vector<int> group) {
  const std::uint64_t real = bits_of(half().next++);
  if (kind == kind_code::comm && group.empty()) group = everyone();
  half().objects[real] = {kind, std::move(group), false, {}};
  return real;
}

void bits::check_live(kind_code kind, std::uint64_t real) {
  if ((real & predefined_bit) != 0) {
    if ((real & ~predefined_bit) >> 48 != half().generation) fail("a predefined handle of a process that is gone");
    return;
  }
  const auto found = half().objects.find(real);
  if (found == half().objects.end())
    fail(std::string("the lower half gets a ") + name_of_kind(kind) + " that is not there: " + std::to_string(real));
  else if (found->second.kind != kind)
    fail(std::string("the lower half gets a ") + name_of_kind(found->second.kind) + " as a " + name_of_kind(kind));
}

void bits::end(kind_code kind, std::uint64_t real) {
  check_live(kind, real);
  half().objects.erase(real);
}

std::size_t live_count() { return half().objects.size(); }
std::size_t live_count(kind_code kind) {
  return static_cast<std::size_t>(std::count_if(half().objects.begin(), half().objects.end(),
                                                [kind](const auto& o) { return o.second.kind == kind; }));
}

real<kind::request> pending_request(bool at_drain) {
  const auto made = make<kind::request>();
  half().objects[made.bits()].at_drain = at_drain;
  return made;
}
void complete(real<kind::request> request, neutral::status status) {
  check_live(request);
  half().objects[request.bits()].completed = status;
}
std::size_t pending_requests() { return live_count(kind_code::request); }

void arrive(message m) { half().network.push_back(std::move(m)); }
void forget_network() { half().network.clear(); }

void raise_attention() { lower::the_bridge().attention = lower::checkpoint_pending; }
wait_end declare_line(outcome how) {
  half().next_checkpoint = how;
  lower::the_bridge().current = lower::phase::parking;
  return wait_end::attention;
}
void after_checkpoint(std::function<void()> act) { half().after_checkpoint = std::move(act); }
other_thread::other_thread(std::function<void()> body) {
  {
    const std::lock_guard hold(others().lock);
    ++others().running;
  }
  thread_ = std::thread([body = std::move(body)] {
    is_other = true;
    body();
    const std::lock_guard hold(others().lock);
    --others().running;
    others().changed.notify_all();
  });
}
int parks() { return half().parks; }
void send_mail(int from, std::string bytes) { half().mails.emplace_back(from, std::move(bytes)); }

const std::vector<std::string>& notes() { return half().notes; }
std::optional<int> aborted_with() { return half().aborted; }

std::array<std::uint64_t, lower::inventory_names.size()> inventory() {
  checkpoint::note_inventory<all_classes>();
  std::array<std::uint64_t, lower::inventory_names.size()> found{};
  std::copy_n(std::begin(lower::the_bridge().inventory), found.size(), found.begin());
  return found;
}

int agree(const void* own, void* result, int n, real<kind::datatype>, real<kind::op> op, real<kind::comm>) {
  if (op == lower::predefined(neutral::sum)) {       // sums_of_live(): 0 where all members have the same
    std::fill_n(static_cast<std::int64_t*>(result), n, std::int64_t{0});
    return neutral::success;
  }
  std::memcpy(result, own, sizeof(std::int64_t) * static_cast<std::size_t>(n));
  return neutral::success;
}

}  // namespace mana::scripted

namespace mana {

void call::park_if_asked() noexcept {
  if (!checkpoint::park_asked()) return;
  if (scripted::is_other) return scripted::park_other();
  const auto given = scripted::half().run;
  given != nullptr ? given() : scripted::run_checkpoint_of<checkpoint::program_with_mpi>();
}
void object::receive_words() noexcept { library::receive_all_words(); }

}  // namespace mana
