// Ping-pong and Irecv+Isend+Waitall through the runtime's services, called directly (no switch, no wrapper), against
// the MPI's own functions, in turn in one run. Two ranks. Prints one line per measurement: medians in ns and ratio.
#include "convert.hpp"
#include "life.hpp"
#include "real_mpi.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using namespace mana;

constexpr int rounds_per_sample = 2000, samples = 41, warm_up = 3;
int rank = 0;
std::vector<char> buffer(1 << 20), other(1 << 20);

void check(int error) {
  if (error != neutral::success) { std::fprintf(stderr, "bench_p2p: error class %d\n", error); std::abort(); }
}

void native_ping_pong(int bytes) {
  const int peer = 1 - rank;
  if (rank == 0) {
    MPI_Send(buffer.data(), bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
    MPI_Recv(buffer.data(), bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(buffer.data(), bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(buffer.data(), bytes, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
  }
}

void service_ping_pong(int bytes) {
  const int peer = 1 - rank;
  const std::uint64_t* const p = lower::the_bridge().predefined_real;
  std::uint64_t left = 0;
  neutral::status status;
  const auto send = [&] {
    check(real_mpi::send(lower::send_mode::standard, buffer.data(), bytes, p[neutral::byte], peer, 1,
                         p[neutral::comm_world], &left)); };
  const auto recv = [&] {
    check(real_mpi::recv(buffer.data(), bytes, p[neutral::byte], peer, 1, p[neutral::comm_world], &status, &left)); };
  if (rank == 0) { send(); recv(); }
  else { recv(); send(); }
}

void native_exchange(int bytes) {
  const int peer = 1 - rank;
  MPI_Request requests[2];
  MPI_Irecv(other.data(), bytes, MPI_BYTE, peer, 2, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(buffer.data(), bytes, MPI_BYTE, peer, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

void service_exchange(int bytes) {
  const int peer = 1 - rank;
  const std::uint64_t* const p = lower::the_bridge().predefined_real;
  std::uint64_t requests[2];
  neutral::status statuses[2];
  check(real_mpi::irecv(other.data(), bytes, p[neutral::byte], peer, 2, p[neutral::comm_world], &requests[0]));
  check(real_mpi::isend(lower::send_mode::standard, buffer.data(), bytes, p[neutral::byte], peer, 2,
                        p[neutral::comm_world], &requests[1]));
  real_mpi::wait_some(2, requests, statuses, 2);
}

/// Mean time of one round, in ns.
double sample(void (*round)(int), int bytes) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < rounds_per_sample; ++i) round(bytes);
  const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - begin;
  return passed.count() / rounds_per_sample;
}

void compare(const char* name, void (*native)(int), void (*service)(int), int bytes) {
  std::vector<double> native_ns, service_ns, ratio;
  for (int s = 0; s < samples + warm_up; ++s) {
    const double a = sample(native, bytes), b = sample(service, bytes);
    if (s < warm_up) continue;
    native_ns.push_back(a);
    service_ns.push_back(b);
    ratio.push_back(b / a);
  }
  const auto median = [](std::vector<double>& v) {
    std::nth_element(v.begin(), v.begin() + samples / 2, v.end());
    return v[samples / 2];
  };
  if (rank == 0)
    std::printf("%-10s %8d B  native %9.1f ns  services %9.1f ns  ratio %.3f\n", name, bytes, median(native_ns),
                median(service_ns), median(ratio));
}

}  // namespace

int main() {
  if (mmap(reinterpret_cast<void*>(lower::bridge_address), 0x10000, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED) return 1;
  int provided = 0;
  check(real_mpi::start(0, &provided));
  rank = static_cast<int>(lower::the_bridge().world_rank);
  if (lower::the_bridge().world_size != 2) return 2;
  for (const int bytes : {8, 1024, 65536}) compare("ping-pong", native_ping_pong, service_ping_pong, bytes);
  for (const int bytes : {8, 1024, 65536}) compare("exchange", native_exchange, service_exchange, bytes);
  check(real_mpi::finish());
}
