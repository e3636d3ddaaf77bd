// What the scripted lower half answers in stock, and which arguments of its services are handles.
#include "half.hpp"

#include <algorithm>
#include <cstring>

namespace mana::scripted {
namespace {

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
  stock<&services::win_enter>([](real<kind::win>) { return int{neutral::success}; });
  stock<&mpi_slots::MPI_Win_unlock_all>([](real<kind::win>) { return int{neutral::success}; });
  stock<&mpi_slots::MPI_Win_sync>([](real<kind::win>) { return int{neutral::success}; });
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

}  // namespace

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
  X(drained) X(not_drained) X(write_image) X(release) X(fault_point) X(affinity_text) X(win_enter)
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

void stock_all() {
  stock_messages();
  stock_objects();
  stock_life();
  stock_drain();
}

}  // namespace mana::scripted
