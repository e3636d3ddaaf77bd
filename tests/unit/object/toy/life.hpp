// Tallies from their constructor to their end.
#pragma once
#include "descriptor.hpp"

#include <mana/object/errhandler/calls.hpp>

#include <mana/gen/lower_slots.hpp>

namespace toy {

using entry = mana::vid::entry<tally>;
inline mana::vid::id_table<tally>& tallies() { return mana::vid::table<tally>(); }

/// As the wrapper of an MPI function ends: the error handler is called when all else is over.
inline int error_of(mana::function_id f, int neutral_class, const char* detail) noexcept {
  return mana::object::finish(mana::object::fail(f, neutral_class, detail));
}

/// Makes the real one: an info object serves as well as any other.      out: neutral error class
inline int make_real(entry& e) noexcept {
  const mana::lower::mpi_slots& mpi = *mana::lower::the_bridge().mpi;
  mana::real<mana::kind::info> made{};
  const int rc = mana::lower::cross([&] { return mpi.MPI_Info_create(&made); });
  e.real = mana::real<tally>(made.bits());
  return rc;
}
inline mana::real<mana::kind::info> stand_in(const entry& e) noexcept {
  return mana::real<mana::kind::info>(e.real.bits());
}

inline int create(handle* out) noexcept {
  entry* const e = tallies().insert_entry();
  if (e == nullptr) return error_of(mana::fn::info_create::id, mana::neutral::err_no_mem, "no free tally id");
  if (const int rc = make_real(*e); rc != mana::neutral::success) {
    tallies().erase(*e);
    return error_of(mana::fn::info_create::id, rc, nullptr);
  }
  *out = mana::app::from_virt<tally>(tallies().id_of(*e));
  return MPI_SUCCESS;
}

/// It is added when the live MPI has gone through a barrier.
inline int add(handle h, int number) noexcept {
  const mana::resolved<tally> t = mana::resolve<tally>(h);
  if (!t.ok || t.e == nullptr) return error_of(mana::fn::info_set::id, mana::class_facts<tally>::error, "no tally");
  t.e->what.under_way = number;
  const mana::lower::mpi_slots& mpi = *mana::lower::the_bridge().mpi;
  return mana::lower::cross([&] {
    return mpi.MPI_Ibarrier(mana::lower::predefined(mana::neutral::comm_self), &t.e->what.pending); });
}

/// out: whether it has come
inline bool look_after(entry& e) noexcept {
  if (!e.what.pending) return true;
  mana::neutral::status status{};
  const mana::lower::services& s = *mana::lower::the_bridge().service;
  mana::lower::cross([&] { return s.test_some(1, &e.what.pending, &status); });
  if (e.what.pending) return false;
  e.what.value += std::exchange(e.what.under_way, 0);
  return true;
}

inline int free(handle* h) noexcept {
  const mana::resolved<tally> t = mana::resolve<tally>(*h);
  if (!t.ok || t.e == nullptr) return error_of(mana::fn::info_free::id, mana::class_facts<tally>::error, "no tally");
  const mana::lower::mpi_slots& mpi = *mana::lower::the_bridge().mpi;
  mana::real<mana::kind::info> real = stand_in(*t.e);
  mana::lower::cross([&] { return mpi.MPI_Info_free(&real); });
  tallies().erase(*t.e);
  *h = handle{};
  return MPI_SUCCESS;
}

}  // namespace toy
