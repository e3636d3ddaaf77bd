#include <runtime/job/restart/restart_progress.hpp>

#include <runtime/job/job.hpp>

#include <runtime/lower/own_state.hpp>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace mana::job {

namespace {

constexpr int progress_tag = 3;        // images that go to other nodes have tag 1, parity has 2
constexpr std::chrono::milliseconds quiet{2000}, period{500};

/// So rank 0 gets about a thousand reports a second at most.
std::chrono::milliseconds period_of(int ranks) { return std::max(period, std::chrono::milliseconds(ranks)); }

}  // namespace

restart_progress::restart_progress(const char* doing, std::uint64_t bytes)
    : doing_(doing), world_(real_mpi::own().world), next_(begin_ + quiet) {
  PMPI_Comm_rank(world_, &rank_);
  PMPI_Comm_size(world_, &size_);
  terminal_ = rank_ == 0 && isatty(STDERR_FILENO) == 1;
  int wanted = terminal_ || this_job().options.progress;
  PMPI_Bcast(&wanted, 1, MPI_INT, 0, world_);
  wanted_ = wanted != 0;
  if (!wanted_) return;
  std::vector<std::uint64_t> all(rank_ == 0 ? static_cast<std::size_t>(size_) : 0);
  PMPI_Gather(&bytes, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, 0, world_);
  const std::uint64_t begun = 1;            // all ranks begin now, so a rank at 0 bytes is behind
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    parts_.push_back({"rank " + std::to_string(rank), all[rank], std::min(begun, all[rank])});
  under_way_ = size_ - 1;
}

restart_progress::~restart_progress() {
  if (!wanted_) return;
  own_.is_last = 1;
  if (rank_ == 0) {
    while (under_way_ > 0) {
      if (!hear()) sched_yield();
      if (is_time()) say_line();
    }
    if (terminal_ && said_) std::fputs("\r\033[K", stderr);
  } else {
    PMPI_Wait(&sending_, MPI_STATUS_IGNORE);
    PMPI_Send(&own_, sizeof own_, MPI_BYTE, 0, progress_tag, world_);
  }
}

bool restart_progress::is_time() noexcept {
  const auto now = clock::now();
  if (now < next_) return false;
  next_ = now + period_of(size_);
  return true;
}

void restart_progress::add(std::uint64_t bytes) {
  own_.done += bytes;
  if (!wanted_ || !is_time()) return;
  if (rank_ != 0) return tell();
  while (hear()) {}
  say_line();
}

/// If the last report is still being sent, the next one says it.
void restart_progress::tell() {
  int is_free = 0;
  PMPI_Test(&sending_, &is_free, MPI_STATUS_IGNORE);
  if (is_free == 0) return;
  sent_ = own_;
  PMPI_Isend(&sent_, sizeof sent_, MPI_BYTE, 0, progress_tag, world_, &sending_);
}

/// out: false: no report had come
bool restart_progress::hear() {
  int is_there = 0;
  MPI_Status from;
  PMPI_Iprobe(MPI_ANY_SOURCE, progress_tag, world_, &is_there, &from);
  if (is_there == 0) return false;
  report heard;
  PMPI_Recv(&heard, sizeof heard, MPI_BYTE, from.MPI_SOURCE, progress_tag, world_, MPI_STATUS_IGNORE);
  words::work_part& part = parts_[static_cast<std::size_t>(from.MPI_SOURCE)];
  part.done = heard.is_last != 0 ? part.bytes : std::min(heard.done, part.bytes);
  if (heard.is_last != 0) --under_way_;
  return true;
}

void restart_progress::say_line() {
  parts_[0].done = own_.is_last != 0 ? parts_[0].bytes : std::min(own_.done, parts_[0].bytes);
  const std::chrono::duration<double> took = clock::now() - begin_;
  const std::string line = words::work_line(parts_, took.count());
  std::fprintf(stderr, "%srestart: %s: %s%s", terminal_ ? "\r" : "", doing_, line.c_str(), terminal_ ? "\033[K" : "\n");
  std::fflush(stderr);
  said_ = true;
}

}  // namespace mana::job
