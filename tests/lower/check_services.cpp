// The runtime's MPI services against the real MPI, two ranks, without loader or wrappers: prints "EXIT-SUCCESS" on
// each rank, or the line that failed.
#include <runtime/lower/convert.hpp>
#include <runtime/lower/life.hpp>
#include <runtime/lower/real_mpi.hpp>

#include <mana/lower/cross.hpp>

#include <asm/prctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define CHECK(condition)                                                                       \
  do {                                                                                         \
    if (!(condition)) {                                                                        \
      std::fprintf(stderr, "%s:%d: rank %d: %s\n", __FILE__, __LINE__, my_rank, #condition);   \
      PMPI_Abort(MPI_COMM_WORLD, 1);                                                           \
    }                                                                                          \
  } while (false)

namespace {

using namespace mana;
using lower::send_mode;

int my_rank = 0, peer = 0;
real<kind::comm> world() { return lower::predefined(neutral::comm_world); }
real<kind::datatype> bytes() { return lower::predefined(neutral::byte); }
real<kind::datatype> type(MPI_Datatype handle) { return real_mpi::to_neutral<kind::datatype>(handle); }
void set_attention(unsigned value) { lower::the_bridge().attention.store(value); }

void blocking_calls_finish_or_hand_over() {
  real<kind::request> request{};
  neutral::status status{};
  char got[8] = {};
  if (my_rank == 0) {
    // With attention set and no message there, recv hands its request over; the wait goes on afterwards.
    set_attention(1);
    CHECK(real_mpi::recv(got, 8, bytes(), neutral::any_source, neutral::any_tag, world(), &status, &request) == 0);
    CHECK(bool{request});
    CHECK(real_mpi::wait_some(1, &request, &status, 1) == 0);
    set_attention(0);
    PMPI_Barrier(MPI_COMM_WORLD);
    CHECK(real_mpi::wait_some(1, &request, &status, 1) == 1);
    CHECK(!request && status.error == 0 && status.source == 1 && status.tag == 7 && status.count_bytes == 5);
    CHECK(std::memcmp(got, "hello", 5) == 0);
  } else {
    PMPI_Barrier(MPI_COMM_WORLD);
    CHECK(real_mpi::send(send_mode::synchronous, "hello", 5, bytes(), 0, 7, world(), &request) == 0);
    CHECK(!request);
  }
}

void null_process() {
  real<kind::request> request(1);
  neutral::status status{};
  CHECK(real_mpi::send(send_mode::standard, "x", 1, bytes(), neutral::proc_null, 1, world(), &request) == 0);
  CHECK(!request);
  CHECK(real_mpi::recv(nullptr, 0, bytes(), neutral::proc_null, 1, world(), &status, &request) == 0);
  CHECK(!request && status.source == neutral::proc_null && status.count_bytes == 0);
  real<kind::request> two[2];
  neutral::status statuses[2];
  CHECK(real_mpi::isend(send_mode::standard, "x", 1, bytes(), neutral::proc_null, 1, world(), &two[0]) == 0);
  CHECK(real_mpi::irecv(nullptr, 0, bytes(), neutral::proc_null, 1, world(), &two[1]) == 0);
  CHECK(real_mpi::test_some(2, two, statuses) == 2);
  CHECK(statuses[1].source == neutral::proc_null && statuses[1].tag == neutral::any_tag);
  int flag = 0;
  real<kind::message> message{};
  CHECK(real_mpi::probe(neutral::proc_null, 1, world(), 1, &flag, &status) == 0 && flag == 1);
  CHECK(status.source == neutral::proc_null && status.tag == neutral::any_tag && status.count_bytes == 0);
  CHECK(real_mpi::mprobe(neutral::proc_null, 1, world(), 1, &flag, &message, &status) == 0 && flag == 1);
  CHECK(status.source == neutral::proc_null && real_mpi::imrecv(nullptr, 0, bytes(), message, two) == 0);
  CHECK(real_mpi::wait_some(2, two, statuses, 1) == 1 && statuses[0].source == neutral::proc_null);
}

/// Three receives, the middle one too short: each has its own error and status, none is lost.
void errors_are_per_request(bool with_test) {
  char into[3][16];
  real<kind::request> requests[4] = {};
  neutral::status statuses[4] = {};
  if (my_rank == 0) {
    for (int i = 0; i < 3; ++i)
      CHECK(real_mpi::irecv(into[i], i == 1 ? 4 : 16, bytes(), 1, i, world(), &requests[i]) == 0);
    PMPI_Barrier(MPI_COMM_WORLD);
    if (with_test) {
      int done = 0;
      while (done < 3) done += real_mpi::test_some(4, requests, statuses);
      CHECK(done == 3);
    } else {
      CHECK(real_mpi::wait_some(4, requests, statuses, 4) == 3);
    }
    CHECK(statuses[0].error == 0 && statuses[2].error == 0 && statuses[1].error == neutral::err_truncate);
    CHECK(statuses[0].count_bytes == 9 && statuses[2].tag == 2);
    CHECK(!requests[0] && !requests[1] && !requests[2]);
  } else {
    PMPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 3; ++i) PMPI_Send("123456789", 9, MPI_BYTE, 0, i, MPI_COMM_WORLD);
  }
}

/// INV-15
void wait_for_some_of_many() {
  constexpr int n = 100;
  real<kind::request> requests[n];
  neutral::status statuses[n];
  int into[n] = {}, out[n];
  for (int i = 0; i < n; ++i)
    CHECK(real_mpi::irecv(&into[i], 4, bytes(), peer, i, world(), &requests[i]) == 0);
  int done = 0;
  for (int i = 0; i < n; ++i) {
    out[i] = i * 3;
    PMPI_Send(&out[i], 4, MPI_BYTE, peer, i, MPI_COMM_WORLD);
    if (i % 10 == 9 && done < i) done += real_mpi::wait_some(n, requests, statuses, 1);
  }
  while (done < n) done += real_mpi::wait_some(n, requests, statuses, 1);
  CHECK(done == n);
  for (int i = 0; i < n; ++i) CHECK(into[i] == i * 3 && statuses[i].tag == i && statuses[i].error == 0);
}

void cancel_and_free() {
  real<kind::request> request{};
  neutral::status status{};
  char c = 0;
  CHECK(real_mpi::irecv(&c, 1, bytes(), peer, 99, world(), &request) == 0);
  CHECK(real_mpi::cancel(request) == 0);
  CHECK(real_mpi::wait_some(1, &request, &status, 1) == 1 && status.cancelled == 1);
  CHECK(real_mpi::isend(send_mode::standard, "f", 1, bytes(), peer, 98, world(), &request) == 0);
  CHECK(real_mpi::request_free(request) == 0);
  CHECK(real_mpi::recv(&c, 1, bytes(), peer, 98, world(), &status, &request) == 0 && c == 'f');
}

void probes() {
  int flag = 1;
  neutral::status status{};
  real<kind::message> message{};
  real<kind::request> request{};
  CHECK(real_mpi::probe(neutral::any_source, 5, world(), 0, &flag, &status) == 0 && flag == 0);
  set_attention(1);
  CHECK(real_mpi::mprobe(peer, 5, world(), 1, &flag, &message, &status) == 0 && flag == 0 && !message);
  set_attention(0);
  PMPI_Barrier(MPI_COMM_WORLD);
  const int numbers[3] = {1, 2, 3};
  for (int i = 0; i < 2; ++i) PMPI_Send(numbers, 3, MPI_INT, peer, 5, MPI_COMM_WORLD);
  CHECK(real_mpi::probe(neutral::any_source, neutral::any_tag, world(), 1, &flag, &status) == 0 && flag == 1);
  CHECK(status.count_bytes == 12 && status.source == peer && status.tag == 5);
  CHECK(real_mpi::mprobe(peer, 5, world(), 1, &flag, &message, &status) == 0 && flag == 1 && bool{message});
  int got[3] = {};
  CHECK(real_mpi::mrecv_bytes(got, 12, message, &status) == 0 && got[2] == 3 && status.count_bytes == 12);
  CHECK(real_mpi::mprobe(peer, 5, world(), 1, &flag, &message, &status) == 0 && flag == 1);
  CHECK(real_mpi::imrecv(got, 3, type(MPI_INT), message, &request) == 0);
  CHECK(real_mpi::wait_some(1, &request, &status, 1) == 1 && status.count_bytes == 12);
}

void deliver_lays_out() {
  MPI_Datatype column;
  PMPI_Type_vector(4, 1, 3, MPI_INT, &column);
  PMPI_Type_commit(&column);
  const int sent[4] = {1, 2, 3, 4};
  int into[12] = {};
  neutral::status status{};
  CHECK(real_mpi::deliver(sent, 16, into, 1, type(column), &status) == 0);
  CHECK(into[0] == 1 && into[3] == 2 && into[9] == 4 && into[1] == 0 && status.count_bytes == 16);
  CHECK(real_mpi::deliver(sent, 16, into, 3, type(MPI_INT), &status) == neutral::err_truncate);
  CHECK(status.error == neutral::err_truncate);
  CHECK(real_mpi::deliver(sent, 0, into, 3, type(MPI_INT), &status) == 0 && status.count_bytes == 0);
  std::vector<char> big(64 << 20, 'b'), target(big.size());
  const auto size = static_cast<std::int64_t>(big.size());
#if !defined(OPEN_MPI)
  CHECK(real_mpi::deliver(sent, 0, nullptr, 0, type(MPI_DATATYPE_NULL), &status) == 0);
#endif
  CHECK(real_mpi::deliver(big.data(), size, target.data(), size, bytes(), &status) == 0 && target == big);
  CHECK(real_mpi::deliver(big.data(), size, target.data(), 100, bytes(), &status) == neutral::err_truncate);
  // After an error the next message must not meet what the last one left.
  CHECK(real_mpi::deliver(sent, 12, into, 4, type(MPI_INT), &status) == 0 && status.count_bytes == 12);
  PMPI_Type_free(&column);
}

bool returns_errors(MPI_Comm comm) {
  MPI_Errhandler handler;
  PMPI_Comm_get_errhandler(comm, &handler);
  const bool yes = handler == MPI_ERRORS_RETURN;
  PMPI_Errhandler_free(&handler);
  return yes;
}

void communicators() {
  int sizes[2] = {-1, -1}, ranks[2] = {-1, -1};
  CHECK(real_mpi::comm_members(world(), sizes, ranks, 2) == 0);
  CHECK(sizes[0] == 2 && sizes[1] == 0 && ranks[0] == 0 && ranks[1] == 1);
  const int reversed[2] = {1, 0}, only_one[1] = {1};
  real<kind::comm> comm{};
  CHECK(real_mpi::comm_from_ranks(reversed, 2, 3, &comm) == 0);
  CHECK(real_mpi::comm_members(comm, sizes, ranks, 2) == 0 && ranks[0] == 1 && ranks[1] == 0);
  real<kind::comm> small(1);
  CHECK(real_mpi::comm_create(world(), my_rank == 1 ? only_one : nullptr, my_rank == 1 ? 1 : 0, &small) == 0);
  CHECK(bool{small} == (my_rank == 1));
  real<kind::comm> more{};
  real<kind::request> request{};
  CHECK(real_mpi::comm_create_group(comm, reversed, 2, 4, &more) == 0 && bool{more});
  CHECK(returns_errors(real_mpi::to_mpi(more)));
  CHECK(real_mpi::split_shared(world(), my_rank, 0, &more) == 0 && bool{more} == (my_rank == 1));
  CHECK(real_mpi::comm_idup(world(), &more, &request) == 0);
  neutral::status status{};
  CHECK(real_mpi::wait_some(1, &request, &status, 1) == 1 && status.error == 0);
  CHECK(real_mpi::comm_members(more, sizes, ranks, 2) == 0 && sizes[0] == 2);
  CHECK(!small || returns_errors(real_mpi::to_mpi(small)));
  if (my_rank == 1) {
    CHECK(real_mpi::comm_from_ranks(only_one, 1, 3, &comm) == 0);
    CHECK(real_mpi::comm_members(comm, sizes, ranks, 0) == 0 && sizes[0] == 1);
  }
}

void intercommunicators() {
  const int me[1] = {my_rank}, other[1] = {1 - my_rank};
  real<kind::comm> alone{}, joined{}, merged{};
  CHECK(real_mpi::comm_from_ranks(me, 1, 3, &alone) == 0);
  int sizes[2] = {-1, -1}, ranks[2] = {-1, -1};
  for (const bool anew : {false, true}) {
    CHECK((anew ? real_mpi::intercomm_from_ranks(me, 1, other, 1, 5, &joined)
                : real_mpi::intercomm_create(alone, 0, other[0], 6, &joined)) == 0);
    CHECK(returns_errors(real_mpi::to_mpi(joined)));
    CHECK(real_mpi::comm_members(joined, sizes, ranks, 2) == 0 && sizes[0] == 1 && sizes[1] == 1);
    CHECK(ranks[0] == my_rank && ranks[1] == 1 - my_rank);
    ranks[1] = -1;
    CHECK(real_mpi::comm_members(joined, sizes, ranks, 1) == 0 && sizes[1] == 1 && ranks[1] == -1);
    CHECK(real_mpi::intercomm_merge(joined, my_rank == 0, &merged) == 0);
    CHECK(real_mpi::comm_members(merged, sizes, ranks, 2) == 0 && sizes[0] == 2 && sizes[1] == 0 && ranks[0] == 1);
    CHECK(returns_errors(real_mpi::to_mpi(merged)));
  }
}

/// What a plain constructor makes from a communicator returns its errors as well. MPI_Comm_create and
/// MPI_Comm_create_group are not here: MPICH 4.0 gives their results the default handler; real_mpi's own set it.
void error_handler_is_inherited() {
  MPI_Comm made[6];
  MPI_Request request;
  const int dims[1] = {2}, periods[1] = {1};
  PMPI_Comm_dup(MPI_COMM_WORLD, &made[0]);
  PMPI_Comm_split(MPI_COMM_WORLD, 0, my_rank, &made[1]);
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made[2]);
  PMPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &made[3]);
  PMPI_Comm_idup(MPI_COMM_WORLD, &made[4], &request);
  PMPI_Wait(&request, MPI_STATUS_IGNORE);
  PMPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &made[5]);
  for (int i = 0; i < 6; ++i) {
    if (!returns_errors(made[i])) std::fprintf(stderr, "constructor %d does not hand MPI_ERRORS_RETURN on\n", i);
    CHECK(returns_errors(made[i]));
    PMPI_Comm_free(&made[i]);
  }
}

void add(std::uint32_t index, void* in, void* inout, std::int64_t count, real<kind::datatype>) {
  for (std::int64_t i = 0; i < count; ++i)
    static_cast<int*>(inout)[i] += static_cast<int*>(in)[i] + static_cast<int>(index);
}

/// Upcalls look for the thread's block; here both halves are one.
void be_a_thread() {
  static lower::thread_block block;
  block.self = &block;
  block.upper_fs = block.lower_fs = lower::thread_pointer();
  CHECK(syscall(SYS_arch_prctl, ARCH_SET_GS, &block) == 0);
}

void reductions() {
  be_a_thread();
  lower::the_bridge().upper.reduce = add;
  real<kind::op> op{};
  CHECK(real_mpi::op_create(1023, 1, &op) == 0 && bool{op});
  CHECK(real_mpi::op_create(1024, 1, &op) == neutral::err_no_mem && !op);
  CHECK(real_mpi::op_create(5, 1, &op) == 0);
  int in[3] = {my_rank, 10, 20}, out[3] = {};
  CHECK(PMPI_Allreduce(in, out, 3, MPI_INT, real_mpi::to_mpi(op), MPI_COMM_WORLD) == MPI_SUCCESS);
  CHECK(out[0] == 6 && out[1] == 25 && out[2] == 45);
}

void environment() {
  int flag = 0, length = 0;
  std::int64_t value = 0;
  CHECK(real_mpi::world_attribute(0, &flag, &value) == 0 && flag != 0 && value >= 32767);
  char text[512];
  CHECK(real_mpi::error_text(neutral::err_truncate, text, &length) == 0 && length > 0);
  std::int64_t layout[5];
  CHECK(real_mpi::datatype_layout(type(MPI_DOUBLE_INT), layout) == 0);
  CHECK(layout[0] == 12 && layout[1] == 0 && layout[2] == 16);
}

/// Of the mails that have come: how many, and the text of the last one.
int mails(std::string& last) {
  int taken = 0, unsent = 0, from = -1;
  const void* bytes = nullptr;
  std::int64_t n = 0;
  CHECK(real_mpi::drain_look(&taken, &unsent) == 0);
  if (taken == 0) return 0;
  real_mpi::drain_mail_at(taken - 1, &from, &bytes, &n);
  CHECK(from == peer);
  last.assign(static_cast<const char*>(bytes), static_cast<std::size_t>(n));
  return taken;
}

void post(const std::string& text) {
  CHECK(real_mpi::drain_post(peer, text.data(), static_cast<std::int64_t>(text.size())) == 0);
}

/// Both barriers of a drain; mails are taken meanwhile.
int pass_barriers(std::string& last) {
  int taken = 0;
  for (int barrier = 0; barrier < 2; ++barrier)
    for (int over = 0; over == 0;) {
      taken = mails(last);
      CHECK(real_mpi::drain_barrier(&over) == 0);
    }
  return taken;
}

/// One rank is in the first barrier of a drain that is given up, the other one in none, and mails of it are under way: the
/// next drain has its own barriers and mails alone.
void drains_that_are_given_up() {
  std::string last;
  CHECK(real_mpi::drain_begin(1) == 0);
  post("first");
  int over = 0;
  if (my_rank == 0) CHECK(real_mpi::drain_barrier(&over) == 0 && over == 0);
  PMPI_Barrier(MPI_COMM_WORLD);
  for (std::uint64_t number = 2; number < 5; ++number) {
    const std::string own = "of drain " + std::to_string(number);
    CHECK(real_mpi::drain_begin(number) == 0);
    post(own);
    while (mails(last) == 0) {}
    CHECK(pass_barriers(last) == 1);
    CHECK(last == own);
  }
  CHECK(real_mpi::drain_begin(5) == 0);
  if (my_rank == 1) post("nobody takes it");
  real_mpi::drain_end(5);
}

}  // namespace

int main() {
  if (mmap(reinterpret_cast<void*>(lower::bridge_address), 0x10000, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED) return 1;
  int provided = 0;
  CHECK(real_mpi::start(0, &provided) == 0);
  my_rank = static_cast<int>(lower::the_bridge().world_rank);
  peer = 1 - my_rank;
  CHECK(lower::the_bridge().world_size == 2);
  blocking_calls_finish_or_hand_over();
  null_process();
  errors_are_per_request(false);
  errors_are_per_request(true);
  wait_for_some_of_many();
  cancel_and_free();
  probes();
  deliver_lays_out();
  communicators();
  intercommunicators();
  error_handler_is_inherited();
  reductions();
  environment();
  drains_that_are_given_up();
  CHECK(real_mpi::finish() == 0);
  std::printf("%s %s: EXIT-SUCCESS\n", real_mpi::library_name().c_str(), real_mpi::library_version().c_str());
}
