#include <runtime/control/network.hpp>

#include <runtime/control/coordinator.hpp>
#include <runtime/control/own_words.hpp>
#include <runtime/control/passage.hpp>
#include <runtime/control/quiet_thread.hpp>
#include <runtime/control/relay.hpp>
#include <runtime/files/own_table.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace mana::control {

namespace {

std::unique_ptr<connection> connection_to(const endpoint& e) {
  return std::make_unique<connection>(connect_to(reachable_addresses(e), e.port));
}

/// pass: broadcasts, sends or receives the given number of bytes      out: e afterwards
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
  if (s.by_file) {
    if (s.rank != 0) spare_ = stream_socket();      // while no thread of the program runs
    return;
  }
  s.broadcast(&job_.fan_out, sizeof job_.fan_out);
  peer_ = pass_on(peer_, s.broadcast);
  job_.key = peer_.key;
  const clock::place mine = clock::place_of(s.rank, s.size, job_.fan_out);
  if (mine.parent > 0) peer_ = pass_on({}, [&](void* data, int n) { s.receive(mine.parent, data, n); });
  if (mine.parent >= 0 && mine.range.size() > 1) start_relay(mine.range);
}

network::~network() = default;

namespace {

/// The new thread sets the promise when it has taken the table over or failed: an answer comes in any case.
template <class Value>
Value await(const std::shared_ptr<std::promise<Value>>& promise, std::thread& thread) {
  try {
    return promise->get_future().get();
  } catch (...) {
    thread.join();
    throw;
  }
}

/// errors: std::system_error
void leave_table(int kept) {
  if (!files::begin_own_table(kept))
    throw std::system_error(errno, std::generic_category(), "no table of descriptors of its own");
}

}  // namespace

void network::start_coordinator() {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    throw std::system_error(errno, std::generic_category(), "the coordinator cannot be told when to end");
  orders_ = std::make_unique<connection>(handle(pair[0]));
  const files::kept_of_table kept;
  const passage to_thread(pair[1]);
  const auto where = std::make_shared<std::promise<endpoint>>();
  thread_ = start_quiet([this, where, orders = to_thread.number()] { run_coordinator(orders, where); });
  peer_ = await(where, thread_);
}

/// The coordinator's descriptors lie in the thread's own table. The same applies to those of commits and removals.
void network::run_coordinator(int orders, shared_promise<endpoint> where) {
  std::unique_ptr<coordinator> own;
  endpoint e;
  try {
    leave_table(orders);
    handle told(orders);
    listener l = listen_on_any_port();
    e = make_endpoint(l.port);
    own = std::make_unique<coordinator>(around_, std::move(l), e, std::move(told));
    say_where(e);
    where->set_value(e);
  } catch (...) {
    where->set_exception(std::current_exception());
    return;
  }
  own->run();
  if (!own->gave_way()) remove_job_file(around_.directory, e);
  memory_ = own->memory();
}

void network::say_where(const endpoint& where) const {
  try {
    job_file file = starting_job(around_.size, around_.program, "is starting", own_build());
    file.where = where;
    if (around_.by_file) file.early_port = std::exchange(file.where.port, std::uint16_t{0});
    write_job_file(around_.directory, file);
  } catch (const std::system_error& error) {
    if (around_.where != stage::in_mpi) return;      // one warning is enough
    say(std::string("mana: warning: ") + error.what() +
        "\n      the program runs, but `mana checkpoint` cannot find it and no checkpoint can be kept\n");
  }
}

/// Children learn the relay's address before the relay connects to its parent, so that they do not wait for that too.
void network::start_relay(const clock::rank_range& range) {
  const auto where = std::make_shared<std::promise<endpoint>>();
  const auto up = std::make_shared<std::promise<void>>();
  const files::kept_of_table kept;
  thread_ = start_quiet([this, range, where, up, parent = peer_] { run_relay(range, parent, where, up); });
  const endpoint own = await(where, thread_);
  for (const clock::rank_range& child : clock::links_of(range, job_.fan_out))
    if (child.first != around_.rank)
      pass_on(own, [&](const void* data, int n) { around_.send(child.first, data, n); });
  await(up, thread_);
  peer_ = own;
}

void network::run_relay(const clock::rank_range& range, const endpoint& parent, shared_promise<endpoint> where, shared_promise<void> up) {
  std::optional<listener> l;
  try {
    leave_table(-1);
    l = listen_on_any_port();
    where->set_value(make_endpoint(l->port, job_.key));
  } catch (...) {
    return where->set_exception(std::current_exception());
  }
  std::unique_ptr<relay> own;
  try {
    own = std::make_unique<relay>(job_, range, std::move(*l), [parent] { return connection_to(parent); });
    up->set_value();
  } catch (...) {
    return up->set_exception(std::current_exception());
  }
  own->run();
}

std::unique_ptr<connection> network::connect() const {
  auto line = connection_to(peer_);
  line->send_all(frame_writer(frame_type::hello_rank).put(job_.key).put(around_.rank).take());
  return line;
}

std::unique_ptr<connection> network::find() const {
  try {
    if (around_.rank == 0) return connect();
    job_file file;
    int depth = 0;
    files::in_own_table([&] {
      file = read_job_file(around_.directory);
      depth = depth_of_this_process();
    });
    if (file.early_port == 0 || file.ranks != around_.size || file.depth != depth) return {};
    constexpr int limit_ms = 1000;
    if (!connect_by(spare_, reachable_addresses(file.where), file.early_port, limit_ms)) return {};
    auto line = std::make_unique<connection>(std::move(spare_));
    line->send_all(frame_writer(frame_type::hello_rank).put(file.where.key).put(around_.rank).take());
    return line;
  } catch (const std::runtime_error&) {       // job_file_error and std::system_error are
    return {};
  }
}

void network::give_back(std::unique_ptr<connection> line) const noexcept {
  if (line == nullptr || around_.rank == 0) return;
  spare_ = line->release();
  disconnect(spare_);
}

void network::close_coordinator(bool process_ends) {
  if (orders_ != nullptr) orders_->send_all(frame_writer(frame_type::hand_over).put(static_cast<std::uint8_t>(process_ends)).take());
}

std::optional<coordinator_memory> network::end() {
  if (thread_.joinable()) thread_.join();
  return std::exchange(memory_, std::nullopt);
}

}  // namespace mana::control
