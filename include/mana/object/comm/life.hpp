// Communicators to their end: the program's handle may go before what it has started on them (INV-67).
#pragma once
#include <mana/call/library.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/comm/traffic_life.hpp>

#include <mana/lower/cross.hpp>

#include <mana/gen/lower_slots.hpp>

#include <utility>

namespace mana::object {

/// What MPI_Comm_free does in the live MPI is local there, and expected by nobody.
inline int free_real(real<kind::comm> comm) noexcept {
  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  return lower::cross([&] { return mpi.MPI_Comm_free(&comm); });
}

/// Nobody needs it any more. Messages for it that nobody received go with it.      out: neutral error class
[[gnu::noinline, gnu::cold]] inline int end_comm(vid::entry<kind::comm>& e) noexcept {
  const auto real = std::exchange(e.real, {});
  with_inbox([&](inbox& in) { in.drop(e.what.context); });
  delete e.what.topology;
  if (e.what.messages != nullptr) end_traffic(*e.what.messages);
  vid::table<kind::comm>().erase(e);
  return real ? free_real(real) : int{neutral::success};
}

[[gnu::always_inline]] inline void keep_comm(vid::entry<kind::comm>& e) noexcept {
  count_up(e.references, call::library().callers);
}
/// Not in a drain, nor at a restart: may free memory.
[[gnu::always_inline]] inline void let_go_of_comm(vid::entry<kind::comm>& e) noexcept {
  if (count_down(e.references, call::library().callers)) [[unlikely]] end_comm(e);
}

/// The program frees its handle. out: neutral error class
inline int drop_handle_of(vid::entry<kind::comm>& e) noexcept {
  return count_down(e.references, call::library().callers) ? end_comm(e) : int{neutral::success};
}

/// An entry for a communicator of the program, which has a handle of it. out: nullptr when all ids are in use
inline vid::entry<kind::comm>* new_comm() noexcept {
  vid::entry<kind::comm>* const e = vid::table<kind::comm>().insert_entry();
  if (e != nullptr) e->references = 1;
  return e;
}

inline constexpr const char* no_comm_id = "no free communicator id";

/// The entry of a communicator that is being made. It is taken when the collective is counted, as a restart must find no
/// half-made communicator, and before the live MPI is called: where there is none left, the start is taken back, and nothing
/// has happened. Ends with the constructor, unless take() has given it to a communicator.
class reserved_comm {
 public:
  reserved_comm() noexcept : e_(new_comm()) {}
  ~reserved_comm() { if (e_ != nullptr) vid::table<kind::comm>().erase(*e_); }
  reserved_comm(const reserved_comm&) = delete;
  reserved_comm& operator=(const reserved_comm&) = delete;
  bool ok() const noexcept { return e_ != nullptr; }
  /// Where the live MPI writes its handle by itself.
  mana::real<kind::comm>& real() noexcept { return e_->real; }
  vid::entry<kind::comm>& take() noexcept { return *std::exchange(e_, nullptr); }

 private:
  vid::entry<kind::comm>* e_;
};

}  // namespace mana::object
