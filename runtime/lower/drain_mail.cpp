#include <runtime/lower/drain_mail.hpp>

#include <runtime/lower/own_state.hpp>

#include <cstring>
#include <utility>

namespace mana::real_mpi {

namespace {

constexpr int mail_tag = 0;

}  // namespace

drain_mail& mails() noexcept {
  static auto& all = *new drain_mail;
  return all;
}

int drain_mail::begin(std::uint64_t number) {
  number_ = number;
  in_barrier_ = false;
  taken_.clear();
  return catch_up(number - 1);
}

/// Enters the barriers of the first `number` drains that this rank has not entered: other ranks may be in them.
int drain_mail::catch_up(std::uint64_t number) {
  int rc = MPI_SUCCESS;
  while (rc == MPI_SUCCESS && begun_ < number * barriers_of_a_drain) rc = begin_barrier();
  return rc;
}

int drain_mail::begin_barrier() {
  MPI_Request barrier = MPI_REQUEST_NULL;
  if (const int rc = PMPI_Ibarrier(own().mail, &barrier); rc != MPI_SUCCESS) return rc;
  ++begun_;
  barriers_.push_back(barrier);
  return MPI_SUCCESS;
}

/// A synchronous send: it completes when the receiver has taken the mail. So a barrier after it shows that all mails
/// were taken.
int drain_mail::post(int rank, const void* bytes, std::size_t n) {
  outgoing& made = sent_.emplace_back();
  made.bytes.resize(sizeof number_ + n);
  std::memcpy(made.bytes.data(), &number_, sizeof number_);
  if (n != 0) std::memcpy(made.bytes.data() + sizeof number_, bytes, n);
  const int rc = PMPI_Issend(made.bytes.data(), static_cast<int>(made.bytes.size()), MPI_BYTE, rank, mail_tag, own().mail,
                             &made.request);
  if (rc != MPI_SUCCESS) sent_.pop_back();
  return rc;
}

int drain_mail::look() {
  for (;;) {
    int there = 0, n = 0;
    MPI_Status status{};
    if (const int rc = PMPI_Iprobe(MPI_ANY_SOURCE, mail_tag, own().mail, &there, &status); rc != MPI_SUCCESS) return rc;
    if (there == 0) break;
    PMPI_Get_count(&status, MPI_BYTE, &n);
    std::vector<std::byte> whole(static_cast<std::size_t>(n));
    if (const int rc = PMPI_Recv(whole.data(), n, MPI_BYTE, status.MPI_SOURCE, mail_tag, own().mail, MPI_STATUS_IGNORE);
        rc != MPI_SUCCESS)
      return rc;
    std::uint64_t number = 0;
    if (whole.size() < sizeof number) continue;
    std::memcpy(&number, whole.data(), sizeof number);
    // No mail of a later drain can come: that drain begins when this rank has left this one.
    if (number == number_) taken_.push_back({status.MPI_SOURCE, {whole.begin() + sizeof number, whole.end()}});
  }
  for (auto at = sent_.begin(); at != sent_.end();) {
    int done = 0;
    if (const int rc = PMPI_Test(&at->request, &done, MPI_STATUS_IGNORE); rc != MPI_SUCCESS) return rc;
    at = done != 0 ? sent_.erase(at) : std::next(at);
  }
  return MPI_SUCCESS;
}

int drain_mail::test_barriers(std::size_t* open) {
  while (!barriers_.empty()) {
    int entered = 0;
    if (const int rc = PMPI_Test(&barriers_.front(), &entered, MPI_STATUS_IGNORE); rc != MPI_SUCCESS) return rc;
    if (entered == 0) break;
    barriers_.erase(barriers_.begin());
  }
  *open = barriers_.size();
  return MPI_SUCCESS;
}

int drain_mail::pass_barrier(bool* entered) {
  *entered = false;
  if (!std::exchange(in_barrier_, true))
    if (const int rc = begin_barrier(); rc != MPI_SUCCESS) return rc;
  std::size_t open = 0;
  if (const int rc = test_barriers(&open); rc != MPI_SUCCESS) return rc;
  *entered = open == 0;
  if (*entered) in_barrier_ = false;
  return MPI_SUCCESS;
}

/// This rank enters the last barrier when its own mails were taken. When the barrier is over, the mails of all ranks
/// were.
void drain_mail::end(std::uint64_t number) {
  if (number == 0) return;
  bool is_last = false;
  std::size_t open = 1;
  for (int rc = catch_up(number); rc == MPI_SUCCESS && !(is_last && open == 0);) {
    rc = look();
    if (rc == MPI_SUCCESS && sent_.empty() && !std::exchange(is_last, true)) rc = begin_barrier();
    if (rc == MPI_SUCCESS) rc = test_barriers(&open);
  }
}

}  // namespace mana::real_mpi
