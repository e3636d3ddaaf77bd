#include "network.hpp"

#include "coordinator.hpp"
#include "quiet_thread.hpp"
#include "relay.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace mana::control {

namespace {

std::unique_ptr<connection> connection_to(const endpoint& e) {
  return std::make_unique<connection>(connect_to(reachable_addresses(e), e.port));
}

/// pass: broadcasts, sends or receives so many bytes      out: what e is then
template <class Pass>
endpoint pass_on(const endpoint& e, Pass&& pass) {
  bytes text = encode(e);
  auto length = static_cast<std::uint32_t>(text.size());
  pass(&length, static_cast<int>(sizeof length));
  text.resize(length);
  pass(text.data(), static_cast<int>(length));
  return decode_endpoint(text);
}

}  // namespace

network::network(const surroundings& s) : around_(s), job_{s.clock_trace, {}, s.size, s.fan_out, s.clock} {
  if (s.rank == 0) start_coordinator();
  job_.key = peer_.key;
  if (s.by_file) return;
  s.broadcast(&job_.fan_out, sizeof job_.fan_out);
  peer_ = pass_on(peer_, s.broadcast);
  job_.key = peer_.key;
  const clock::place mine = clock::place_of(s.rank, s.size, job_.fan_out);
  if (mine.parent > 0) peer_ = pass_on({}, [&](void* data, int n) { s.receive(mine.parent, data, n); });
  if (mine.parent >= 0 && mine.range.size() > 1) start_relay(mine.range);
}

network::~network() = default;

void network::start_coordinator() {
  listener l = listen_on_any_port();
  peer_ = make_endpoint(l.port);
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    throw std::system_error(errno, std::generic_category(), "the coordinator cannot be told when to end");
  orders_ = std::make_unique<connection>(handle(pair[0]));
  coordinator_ = std::make_unique<coordinator>(around_, std::move(l), peer_, handle(pair[1]));
  thread_ = start_quiet([this] { coordinator_->run(); });
  try {
    job_file file = starting_job(around_.size, around_.program, "is starting", own_build());
    file.where = peer_;
    if (around_.by_file) file.early_port = std::exchange(file.where.port, std::uint16_t{0});
    write_job_file(around_.directory, file);
  } catch (const std::system_error& error) {
    if (around_.where != stage::in_mpi) return;      // it is said once
    std::fprintf(
        stderr,
        "mana: warning: %s\n      the program runs, but `mana checkpoint` cannot find it and no checkpoint can be "
        "kept\n",
        error.what());
  }
}

/// The children are told before the parent is connected to: who waits for them should not wait for it too.
void network::start_relay(const clock::rank_range& range) {
  listener l = listen_on_any_port();
  const endpoint own = make_endpoint(l.port, job_.key);
  for (const clock::rank_range& child : clock::links_of(range, job_.fan_out))
    if (child.first != around_.rank)
      pass_on(own, [&](const void* data, int n) { around_.send(child.first, data, n); });
  relay_ = std::make_unique<relay>(job_, range, std::move(l), connection_to(peer_));
  thread_ = start_quiet([this] { relay_->run(); });
  peer_ = own;
}

std::unique_ptr<connection> network::connect() const {
  auto line = connection_to(peer_);
  line->send_all(frame_writer(frame_type::hello_rank).put(job_.key).put(around_.rank).take());
  return line;
}

std::unique_ptr<connection> network::find() const {
  try {
    if (around_.rank == 0) return connect();
    const job_file file = read_job_file(around_.directory);
    if (file.early_port == 0 || file.ranks != around_.size || file.depth != depth_of_this_process()) return {};
    constexpr int limit_ms = 1000;
    auto line = std::make_unique<connection>(connect_to(reachable_addresses(file.where), file.early_port, limit_ms));
    line->send_all(frame_writer(frame_type::hello_rank).put(file.where.key).put(around_.rank).take());
    return line;
  } catch (const std::runtime_error&) {       // job_file_error and std::system_error are
    return {};
  }
}

void network::close_coordinator(bool process_ends) {
  if (orders_ != nullptr) orders_->send_all(frame_writer(frame_type::hand_over).put(static_cast<std::uint8_t>(process_ends)).take());
}

std::optional<coordinator_memory> network::end() {
  if (thread_.joinable()) thread_.join();
  if (coordinator_ == nullptr) return {};
  if (!coordinator_->gave_way()) remove_job_file(around_.directory, peer_);
  return coordinator_->memory();
}

}  // namespace mana::control
