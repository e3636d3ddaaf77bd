// The life of communicators. The program's handle may end before the operations that it has started on them (INV-67).
#pragma once
#include <mana/call/library.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/comm/traffic_life.hpp>

#include <mana/lower/cross.hpp>

#include <mana/gen/lower_slots.hpp>

#include <utility>

namespace mana::object {

/// MPI_Comm_free of the live MPI is local, and no other rank expects it.
inline int free_real(real<kind::comm> comm) noexcept {
  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  return lower::cross([&] { return mpi.MPI_Comm_free(&comm); });
}

/// Ends a communicator that nobody needs. Messages for it that nobody received end with it.      out: neutral error
/// class
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
/// May free memory: do not use it in a drain or at a restart.
[[gnu::always_inline]] inline void let_go_of_comm(vid::entry<kind::comm>& e) noexcept {
  if (count_down(e.references, call::library().callers)) [[unlikely]] end_comm(e);
}

/// The program frees its handle. out: neutral error class
inline int drop_handle_of(vid::entry<kind::comm>& e) noexcept {
  return count_down(e.references, call::library().callers) ? end_comm(e) : int{neutral::success};
}

/// An entry for a new communicator, to which the program has a handle. out: nullptr if all ids are in use
inline vid::entry<kind::comm>* new_comm() noexcept {
  vid::entry<kind::comm>* const e = vid::table<kind::comm>().insert_entry();
  if (e != nullptr) e->references = 1;
  return e;
}

inline constexpr const char* no_comm_id = "no free communicator id";

/// The entry of a communicator that is being made. It is taken when the collective is counted, because a restart must
/// find no half-made communicator. It is taken before the live MPI is called: if no id is left, the start is taken back
/// without any effect. It ends with the constructor, unless take() has given it to a communicator.
class reserved_comm {
 public:
  reserved_comm() noexcept : e_(new_comm()) {}
  ~reserved_comm() { if (e_ != nullptr) vid::table<kind::comm>().erase(*e_); }
  reserved_comm(const reserved_comm&) = delete;
  reserved_comm& operator=(const reserved_comm&) = delete;
  bool ok() const noexcept { return e_ != nullptr; }
  /// The live MPI writes its handle here directly.
  mana::real<kind::comm>& real() noexcept { return e_->real; }
  vid::entry<kind::comm>& take() noexcept { return *std::exchange(e_, nullptr); }

 private:
  vid::entry<kind::comm>* e_;
};

}  // namespace mana::object
