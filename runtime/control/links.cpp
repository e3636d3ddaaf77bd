#include <runtime/control/links.hpp>

#include <poll.h>

#include <algorithm>
#include <cerrno>

namespace mana::control {

links::links(listener l, const job_key& key, std::vector<clock::rank_range> ranges, link_user& user)
    : listener_(std::move(l)), key_(key), user_(user) {
  for (const clock::rank_range& r : ranges) links_.push_back({r});
}

std::vector<connection*> links::poll_once(int timeout_ms, const std::vector<connection*>& others) {
  std::vector<pollfd> waits;
  const auto add = [&](const connection& c) {
    waits.push_back({c.fd(), static_cast<short>(POLLIN | (c.has_output() ? POLLOUT : 0)), 0});
  };
  std::vector<int> open;
  for (int l = 0; l < number(); ++l)
    if (at(l).line != nullptr) {
      add(*at(l).line);
      open.push_back(l);
    }
  for (const auto& s : strangers_) add(*s);
  for (const connection* c : others) add(*c);
  waits.push_back({listener_.socket.get(), static_cast<short>(accepting_ ? POLLIN : 0), 0});
  if (poll(waits.data(), waits.size(), timeout_ms) < 0) return {};

  std::size_t next = 0;
  const auto to_read = [&](connection& c) {
    const short seen = waits[next++].revents;
    if ((seen & POLLOUT) != 0) c.flush();
    return (seen & ~POLLOUT) != 0;
  };
  for (const int l : open)
    if (to_read(*at(l).line)) read(l);
  for (auto& s : strangers_)
    if (to_read(*s)) greet(s);
  if (strangers_.remove(nullptr) != 0) accepting_ = true;
  std::vector<connection*> ready;
  for (connection* const c : others)
    if (to_read(*c)) ready.push_back(c);
  if (waits[next].revents != 0) accept_one();
  return ready;
}

void links::read(int l) {
  bool alive = at(l).line->receive();
  try {
    while (const auto frame = at(l).line->next()) {
      frame_reader reader(*frame);
      if (reader.type() == frame_type::here) at(l).here = true;
      else user_.on_frame(l, reader);
    }
  } catch (const wire_error&) {
    alive = false;
  }
  if (alive) return;
  at(l).line.reset();
  at(l).here = false;
  user_.on_lost(l);
}

/// Cuts off a stranger that does not show the key. stranger: empty if it is now a link, a client, or cut off
void links::greet(std::unique_ptr<connection>& stranger) {
  const bool alive = stranger->receive();
  try {
    if (const auto hello = stranger->next(max_hello)) admit(stranger, frame_reader(*hello));
    else if (!alive) stranger.reset();
  } catch (const wire_error&) {
    stranger.reset();
  }
}

/// A later version may have added fields after the known ones.      errors: wire_error
static client_hello read_hello(frame_reader& hello) {
  client_hello who;
  if (hello.rest().empty()) return who;
  who.protocol = hello.get<std::uint32_t>();
  who.mana = hello.get<std::string>();
  return who;
}

void links::admit(std::unique_ptr<connection>& stranger, frame_reader hello) {
  if (hello.get<job_key>() != key_) throw wire_error();
  if (hello.type() == frame_type::hello_client) return user_.on_client(std::move(stranger), read_hello(hello));
  if (hello.type() != frame_type::hello_rank) throw wire_error();
  const int rank = hello.get<int>();
  const auto found =
      std::find_if(links_.begin(), links_.end(), [rank](const link& k) { return k.ranks.first == rank; });
  if (found == links_.end() || found->line != nullptr) throw wire_error();
  found->line = std::move(stranger);
  found->here = found->ranks.size() == 1;
  found->line->queue(frame_writer(frame_type::welcome).take());
  read(static_cast<int>(found - links_.begin()));
}

/// A stranger that has not shown the key costs a descriptor. If there are too many strangers, one is cut off.
void links::accept_one() {
  constexpr std::size_t spare = 64;
  handle fd = accept_from(listener_);
  const bool full = !fd && (errno == EMFILE || errno == ENFILE);
  if (fd) strangers_.push_back(std::make_unique<connection>(std::move(fd)));
  if (!full && strangers_.size() <= links_.size() + spare) return;
  if (strangers_.empty()) accepting_ = false;      // until a stranger leaves
  else cut_one_off();
}

/// Cuts off the oldest stranger that has sent nothing. The newest may have sent something that is not read yet. A rank that
/// is cut off connects again.
void links::cut_one_off() {
  const auto newest = std::prev(strangers_.end());
  const auto silent = std::find_if(strangers_.begin(), newest, [](const auto& s) { return !s->has_spoken(); });
  strangers_.erase(silent == newest ? strangers_.begin() : silent);
}

void links::send(int l, const bytes& frame) {
  if (at(l).line != nullptr) at(l).line->queue(frame);
}

void links::send_all(const bytes& frame) {
  for (int l = 0; l < number(); ++l) send(l, frame);
}

void links::send_to_rank(int rank, const bytes& frame) {
  const auto found = std::find_if(links_.begin(), links_.end(), [rank](const link& k) { return k.ranks.has(rank); });
  if (found == links_.end()) throw wire_error();
  const int l = static_cast<int>(found - links_.begin());
  send(l, is_agent(l) ? frame : marked(frame_type::to_rank, rank, frame));
}

void links::flush() {
  for (const link& k : links_)
    if (k.line != nullptr) k.line->flush();
}

void links::flush_all(int limit_ms) {
  for (const link& k : links_)
    if (k.line != nullptr) k.line->flush_all(limit_ms);
}

void links::close() {
  listener_.socket = handle();        // first: a process whose link is cut off must not be able to connect again
  for (link& k : links_) k.line.reset();
  strangers_.clear();
}

bool links::all_here() const {
  return std::all_of(links_.begin(), links_.end(), [](const link& k) { return k.here; });
}

bool links::none_left() const {
  return std::all_of(links_.begin(), links_.end(), [](const link& k) { return k.line == nullptr; });
}

}  // namespace mana::control
