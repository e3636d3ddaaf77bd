// The scripted lower half's own objects, and what it answers in stock.
#include "scripted.hpp"

#include <mana/checkpoint/program_with_mpi.hpp>
#include <mana/calls.hpp>
#include <mana/library/words.hpp>

#include <every_function.hpp>

#include <algorithm>
#include <cstring>
#include <map>

namespace mana::scripted {
namespace {

struct object {
  kind_code kind;
  std::vector<int> group;                        // of a communicator
  bool at_drain = false;                         // of a request: a drain completes it
  std::optional<neutral::status> completed;      // of a request
};

struct lower_half {
  std::map<std::uint64_t, object> objects;
  std::uint64_t next = 1;
  std::uint64_t generation = 0;                  // of the process: every restart has another lower half
  std::deque<message> network;
  std::map<std::uint64_t, message> matched;
  std::vector<std::pair<int, std::string>> mails;
  std::vector<std::string> notes;
  std::optional<int> aborted;
  checkpoint next_checkpoint = checkpoint::resumes;
  std::function<void()> after_checkpoint;
  int parks = 0, turns = 0;
  void (*run)() = nullptr;                       // a checkpoint; nullptr: of a program with MPI's classes of objects
};
lower_half& half() {
  static lower_half only;
  return only;
}

// Handles tell their process and their kind, and are wider than 32 bits.
constexpr std::uint64_t predefined_bit = 1ull << 60;
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

// --- answers in stock

template <auto Member, class F>
void stock(F answer) {
  using action = typename script<Member>::action;
  if constexpr (std::is_constructible_v<action, F>) script<Member>::instance().set_stock(answer);
  else script<Member>::instance().set_stock([answer](auto...) { return answer(); });
}

/// Objects' handles that go in. gives: positions at which an address is of one that does
using positions = std::vector<std::size_t>;

template <class T>
void check_argument(std::size_t, const T&, const positions&) {}
template <class K>
  requires requires { K::code; }
void check_argument(std::size_t, const real<K>& given, const positions&) { check_live(given); }
template <class K>
  requires requires { K::code; }
void check_argument(std::size_t at, real<K>* const& given, const positions& gives) {
  if (std::find(gives.begin(), gives.end(), at) != gives.end()) check_live(*given);
}
template <auto Member>
void check_handles(positions gives = {}) {
  script<Member>::instance().set_check([gives](const auto& arguments) {
    std::apply([&](const auto&... a) {
      std::size_t at = 0;
      (check_argument(at++, a, gives), ...);
    }, arguments);
  });
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

bool has_attention() { return lower::the_bridge().attention.load() != 0; }

int wait_some(int n, real<kind::request>* requests, neutral::status* statuses, int least) {
  int got = 0;
  while ((got += take_completed(n, requests, statuses)) < least && !has_attention()) {
    fail("a wait for requests that nothing completes");
    for (int i = 0; i < n; ++i)
      if (requests[i]) complete(requests[i]);
    if (half().objects.empty()) break;
  }
  return got;
}

bool fits(const message& m, int source, int tag, real<kind::comm> comm) {
  return m.comm == comm && (source == neutral::any_source || source == m.source) &&
         (tag == neutral::any_tag || tag == m.tag);
}
neutral::status status_of(const message& m) {
  return {m.source, m.tag, neutral::success, 0, static_cast<std::int64_t>(m.bytes.size())};
}
/// The first message that fits. One that is waited for has to be there, unless attention is.
auto find_message(int source, int tag, real<kind::comm> comm, int block) {
  auto& network = half().network;
  const auto found = std::find_if(network.begin(), network.end(),
                                  [&](const message& m) { return fits(m, source, tag, comm); });
  if (found == network.end() && block != 0 && !has_attention()) {
    fail("a wait for a message that never comes");
    raise_attention();
  }
  return found;
}

void stock_messages() {
  stock<&services::test_some>(take_completed);
  stock<&services::wait_some>(wait_some);
  stock<&services::probe>([](int source, int tag, real<kind::comm> comm, int block, int* flag,
                             neutral::status* status) {
    const auto found = find_message(source, tag, comm, block);
    *flag = found != half().network.end();
    if (*flag != 0) *status = status_of(*found);
    return int{neutral::success};
  });
  stock<&services::mprobe>([](int source, int tag, real<kind::comm> comm, int block, int* flag,
                              real<kind::message>* made, neutral::status* status) {
    const auto found = find_message(source, tag, comm, block);
    *flag = found != half().network.end();
    if (*flag == 0) return int{neutral::success};
    *status = status_of(*found);
    *made = make<kind::message>();
    half().matched[made->bits()] = *found;
    half().network.erase(found);
    return int{neutral::success};
  });
  stock<&services::mrecv_bytes>([](void* buffer, std::int64_t bytes, real<kind::message> matched, neutral::status*) {
    const message& m = half().matched[matched.bits()];
    std::memcpy(buffer, m.bytes.data(), std::min(m.bytes.size(), static_cast<std::size_t>(bytes)));
    end(matched);
    return int{neutral::success};
  });
  stock<&services::deliver>([](const void* bytes, std::int64_t size, void* buffer, std::int64_t count,
                               real<kind::datatype>, neutral::status* status) {
    const std::int64_t room = std::min(size, count * 4);
    std::memcpy(buffer, bytes, static_cast<std::size_t>(room));
    status->count_bytes = room;
    return size > room ? int{neutral::err_truncate} : int{neutral::success};
  });
}

void stock_objects() {
  stock<&services::comm_members>([](real<kind::comm> comm, int* sizes, int* ranks, int capacity) {
    const std::vector<int>& group = half().objects[comm.bits()].group;
    sizes[0] = static_cast<int>(group.size());
    sizes[1] = 0;
    std::copy_n(group.begin(), std::min(capacity, sizes[0]), ranks);
    return int{neutral::success};
  });
  stock<&services::comm_from_ranks>([](const int* ranks, int n, int, real<kind::comm>* made) {
    *made = make<kind::comm>({ranks, ranks + n});
    return int{neutral::success};
  });
  stock<&services::comm_create>([](real<kind::comm>, const int* ranks, int n, real<kind::comm>* made) {
    *made = n == 0 ? real<kind::comm>{} : make<kind::comm>({ranks, ranks + n});
    return int{neutral::success};
  });
  stock<&services::comm_create_group>([](real<kind::comm>, const int* ranks, int n, int, real<kind::comm>* made) {
    *made = make<kind::comm>({ranks, ranks + n});
    return int{neutral::success};
  });
  stock<&services::split_shared>([](real<kind::comm>, int, int, real<kind::comm>* made) {
    *made = make<kind::comm>();
    return int{neutral::success};
  });
  stock<&services::op_create>([](std::uint32_t, int, real<kind::op>* made) {
    *made = make<kind::op>();
    return int{neutral::success};
  });
  stock<&services::datatype_layout>([](real<kind::datatype>, std::int64_t* layout) {
    for (int i = 0; i < 5; ++i) layout[i] = i % 2 == 0 ? 4 : 0;
    return int{neutral::success};
  });
  stock<&mpi_slots::MPI_Type_commit>([](real<kind::datatype>*) { return int{neutral::success}; });
  stock<&mpi_slots::MPI_Comm_split>([](real<kind::comm>, int color, int, real<kind::comm>* made) {
    *made = color == neutral::undefined ? real<kind::comm>{} : make<kind::comm>();
    return int{neutral::success};
  });
  // While a new lower half is filled, all ranks are as this one.
  stock<&mpi_slots::MPI_Allreduce>(
      [](const void* own, void* result, int n, real<kind::datatype> type, real<kind::op> op, real<kind::comm> comm) {
        if (lower::the_bridge().current.load() != lower::phase::restoring) fail("unexpected call of MPI_Allreduce");
        return agree(own, result, n, type, op, comm);
      });
}

void stock_life() {
  stock<&services::init>([](int required, int* provided) {
    lower::bridge& b = lower::the_bridge();
    b.world_size = world_size;
    b.world_rank = own_rank;
    *provided = required;
    return int{neutral::success};
  });
  stock<&services::finalize>([] { return int{neutral::success}; });
  stock<&services::abort>([](int code) { half().aborted = code; });
  stock<&services::fatal>([](const char* text) { fail(std::string("the wrappers call it a defect: ") + text); });
  stock<&services::note>([](const char* text) { half().notes.emplace_back(text); });
  stock<&services::world_attribute>([](int, int* flag, std::int64_t* value) {
    *flag = 1;
    *value = 1 << 20;
    return int{neutral::success};
  });
  stock<&services::error_text>([](int, char* text, int* length) {
    std::strcpy(text, "words of the live MPI");
    *length = static_cast<int>(std::strlen(text));
    return int{neutral::success};
  });
  stock<&services::fault_point>([](const char*) {});
  stock<&services::clock_ending>([] { return wait_end::done; });
  stock<&services::clock_wait_end>([] {});
  stock<&services::clock_retract>([] {});
}

void stock_drain() {
  stock<&services::drain_begin>([] {
    half().turns = 0;
    return int{neutral::success};
  });
  stock<&services::drain_post>([](int, const void*, std::int64_t) { return int{neutral::success}; });
  stock<&services::drain_look>([](int* taken, int* unsent) {
    *taken = static_cast<int>(half().mails.size());
    *unsent = 0;
    return int{neutral::success};
  });
  stock<&services::drain_mail>([](int index, int* from, const void** bytes, std::int64_t* n) {
    const auto& [sender, text] = half().mails[static_cast<std::size_t>(index)];
    *from = sender;
    *bytes = text.data();
    *n = static_cast<std::int64_t>(text.size());
  });
  stock<&services::drain_barrier>([](int* over) {
    *over = 1;
    return int{neutral::success};
  });
  stock<&services::drain_turn>([] {
    if (++half().turns < 100) return lower::drain_order::go_on;
    fail("a drain that does not end");
    return lower::drain_order::end;
  });
  stock<&services::drain_waits>([](const char*) {});
  stock<&services::drained>([] {});
  stock<&services::not_drained>([](const char*) {});
}

services& own_services() {
  static services table{};
  if (table.head.bytes != 0) return table;
  table.head = lower::head_of<services>();
#define MANA_SERVICES(X)                                                                                          \
  X(attach) X(init) X(finalize) X(abort) X(fatal) X(note) X(send) X(recv) X(isend) X(irecv) X(test_some)          \
  X(wait_some) X(cancel) X(request_free) X(probe) X(mprobe) X(imrecv) X(mrecv_bytes) X(deliver) X(comm_members)   \
  X(comm_from_ranks) X(comm_create) X(comm_create_group) X(intercomm_create) X(intercomm_from_ranks)              \
  X(intercomm_merge) X(split_shared) X(comm_idup) X(datatype_layout) X(op_create) X(world_attribute)              \
  X(error_text) X(clock_enter) X(clock_retract) X(clock_wait) X(clock_wait_end) X(clock_ending) X(park_others)    \
  X(drain_begin) X(drain_post) X(drain_look) X(drain_mail) X(drain_barrier) X(drain_turn) X(drain_waits)          \
  X(drained) X(not_drained) X(write_image) X(release) X(fault_point) X(affinity_text)
#define MANA_NAME(member) #member,
  static constexpr const char* names[] = {MANA_SERVICES(MANA_NAME)};
#undef MANA_NAME
#define MANA_FILL(member)                              \
  table.member = script<&services::member>::called;    \
  script<&services::member>::instance().name = #member; \
  check_handles<&services::member>();
  MANA_SERVICES(MANA_FILL)
#undef MANA_FILL
  static_assert(sizeof(services) == sizeof(void*) * (std::size(names) + 1), "every service has a script");
#undef MANA_SERVICES
  return table;
}

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

}  // namespace

checkpoint begin_checkpoint() {
  const checkpoint how = half().next_checkpoint;
  ++half().parks;
  if (how == checkpoint::is_given_up) expect<&services::drain_turn>().gives(lower::drain_order::end);
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
}
void set_checkpoint(void (*run)()) { half().run = run; }

void attach() {
  lower::bridge& b = lower::the_bridge();
  b.service = &own_services();
  for_each_slot(fill_slot{own_slots()});
  b.mpi = &own_slots();
  b.upper.reduce = object::reduce_upcall;
  stock_messages();
  stock_objects();
  stock_life();
  stock_drain();
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

void raise_attention() { lower::the_bridge().attention = lower::checkpoint_pending; }
wait_end declare_line(checkpoint how) {
  half().next_checkpoint = how;
  lower::the_bridge().current = lower::phase::parking;
  return wait_end::attention;
}
void after_checkpoint(std::function<void()> act) { half().after_checkpoint = std::move(act); }
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

int agree(const void* own, void* result, int n, real<kind::datatype>, real<kind::op>, real<kind::comm>) {
  std::memcpy(result, own, sizeof(std::int64_t) * static_cast<std::size_t>(n));
  return neutral::success;
}

}  // namespace mana::scripted

namespace mana {

void call::park_if_asked() noexcept {
  if (!checkpoint::park_asked()) return;
  const auto given = scripted::half().run;
  given != nullptr ? given() : scripted::run_checkpoint_of<checkpoint::program_with_mpi>();
}
void object::receive_words() noexcept { library::receive_all_words(); }

}  // namespace mana
