#include <runtime/job/nodes/mpi_transport.hpp>

#include <runtime/lower/own_state.hpp>

#include <mpi.h>
#include <sched.h>

#include <stdexcept>
#include <string>

namespace mana::job {

namespace {

constexpr int parity_tag = 2;          // images that go to other nodes before a restart have 1

MPI_Comm channel() noexcept {
  const real_mpi::own_state& o = real_mpi::own();
  return o.parity != MPI_COMM_NULL ? o.parity : o.world;
}

std::string words_of(int error) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  return PMPI_Error_string(error, text, &length) == MPI_SUCCESS ? std::string(text) : "error " + std::to_string(error);
}

/// The requests of one exchange. If the exchange fails, requests that are still active are freed: the peers no longer
/// exist, and the job ends.
class transfers {
 public:
  ~transfers() {
    for (MPI_Request& one : all_)
      if (one != MPI_REQUEST_NULL) PMPI_Request_free(&one);
  }
  void receive(const redundancy::incoming& message, std::uint32_t rank) {
    check(PMPI_Irecv(message.bytes.data(), static_cast<int>(message.bytes.size()), MPI_BYTE, static_cast<int>(rank),
                     parity_tag, channel(), add()), "from", rank);
  }
  void send(const redundancy::outgoing& message, std::uint32_t rank) {
    check(PMPI_Isend(message.bytes.data(), static_cast<int>(message.bytes.size()), MPI_BYTE, static_cast<int>(rank),
                     parity_tag, channel(), add()), "to", rank);
  }
  /// Yields the core, as every wait of the runtime does.
  void wait() {
    std::vector<MPI_Status> statuses(all_.size());
    for (unsigned fruitless = 0;;) {
      int done = 0;
      const int error = PMPI_Testall(static_cast<int>(all_.size()), all_.data(), &done, statuses.data());
      if (error != MPI_SUCCESS) fail(error, statuses);
      if (done != 0) return;
      if (++fruitless < real_mpi::own().polls_before_yield) continue;
      fruitless = 0;
      sched_yield();
    }
  }

 private:
  MPI_Request* add() { return &all_.emplace_back(MPI_REQUEST_NULL); }
  static void check(int error, const char* which_way, std::uint32_t rank) {
    if (error != MPI_SUCCESS)
      throw std::runtime_error("a message of parity " + std::string(which_way) + " rank " + std::to_string(rank) +
                               " failed: " + words_of(error));
  }
  [[noreturn]] static void fail(int error, const std::vector<MPI_Status>& statuses) {
    if (error == MPI_ERR_IN_STATUS)
      for (const MPI_Status& one : statuses)
        if (one.MPI_ERROR != MPI_SUCCESS && one.MPI_ERROR != MPI_ERR_PENDING) error = one.MPI_ERROR;
    throw std::runtime_error("a message of parity failed: " + words_of(error));
  }

  std::vector<MPI_Request> all_;
};

}  // namespace

void mpi_transport::exchange(std::span<const redundancy::outgoing> out, std::span<const redundancy::incoming> in) {
  transfers all;
  for (const redundancy::incoming& message : in) all.receive(message, ranks_.at(message.member));
  for (const redundancy::outgoing& message : out) all.send(message, ranks_.at(message.member));
  all.wait();
}

}  // namespace mana::job
