// The life of datatypes: construction, end, and rebuilding at a restart.
#pragma once
#include <mana/call/library.hpp>
#include <mana/object/attribute/calls.hpp>
#include <mana/object/datatype/build.hpp>
#include <mana/object/datatype/elements.hpp>

#include <mana/vid/in_order.hpp>

#include <mutex>

namespace mana::object {

using type_entry = vid::entry<kind::datatype>;

/// Held where handles of datatypes are dropped and datatypes destroyed; costs nothing if callers take turns. Its holder
/// is in a wrapper, so it never parks.
inline std::unique_lock<std::mutex> type_lock() noexcept {
  static constinit std::mutex lock;
  return call::library().callers == turns::at_once ? std::unique_lock(lock) : std::unique_lock<std::mutex>();
}

inline MPI_Datatype type_handle(std::uint32_t name) noexcept {
  return name < neutral::predefined_limit ? app::predefined_handle<kind::datatype>(name)
                                          : app::from_virt<kind::datatype>(virt<kind::datatype>(name));
}

/// Ends an entry that nobody needs. Its inner datatypes may become forsaken.
inline void destroy_type(type_entry& e) noexcept {
  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  auto real = e.real;
  if (real) lower::cross([&] { return mpi.MPI_Type_free(&real); });
  for (int t = 0; t < e.what.made.types_size(); ++t) release_datatype(e.what.made.types()[t]);
  vid::table<kind::datatype>().erase(e);
}

/// Destroys the datatypes that have lost their last reference. Caller holds type_lock.      cost: one load if there is
/// none
inline void sweep_forsaken() noexcept {
  while (type_entry* const e = pop_forsaken()) destroy_type(*e);
}

/// Makes the real datatype of a recipe, and its virtual one. Caller is in a wrapper_scope.
/// out: entry; nullptr with *error set to a neutral class
inline type_entry* construct(recipe&& made, int* error) noexcept {
  if (forsaken_datatypes.load(std::memory_order_relaxed) != 0) [[unlikely]] {
    const auto hold = type_lock();
    sweep_forsaken();
  }
  real<kind::datatype> real{};
  *error = made.empty() ? int{neutral::err_no_mem} : build_datatype(made, real);
  if (*error != neutral::success) return nullptr;
  type_entry* const e = vid::table<kind::datatype>().insert_entry();
  if (e == nullptr) {
    const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
    lower::cross([&] { return mpi.MPI_Type_free(&real); });
    *error = neutral::err_no_mem;
    return nullptr;
  }
  e->real = real;
  e->references = 1;                     // the program's
  e->what.made = std::move(made);
  for (int t = 0; t < e->what.made.types_size(); ++t) keep_datatype(e->what.made.types()[t]);
  return e;
}

/// Drops one handle of the program. Caller is in a wrapper_scope.
inline void drop_handle(type_entry& e) noexcept {
  const auto hold = type_lock();
  if (--e.what.handles != 0) return;
  if (drop_reference(e)) destroy_type(e);
  sweep_forsaken();
}

/// out: neutral error class
inline int commit_type(type_entry& e) noexcept {
  if (e.what.committed) return neutral::success;
  const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
  const int rc = lower::cross([&] { return mpi.MPI_Type_commit(&e.real); });
  e.what.committed = rc == neutral::success;
  return rc;
}

/// Makes one datatype again in a new lower half.
inline void rebuild_type(type_entry& e) noexcept {
  int rc = build_datatype(e.what.made, e.real);
  if (rc == neutral::success && e.what.committed) {
    const lower::mpi_slots& mpi = *lower::the_bridge().mpi;
    rc = lower::cross([&] { return mpi.MPI_Type_commit(&e.real); });
  }
  const lower::services& s = *lower::the_bridge().service;
  if (rc != neutral::success) lower::cross([&] { s.fatal("a datatype could not be built again at restart"); });
}

/// At a restart: makes all datatypes that are needed again, inner before outer, and commits those that were committed.
/// Uses no malloc.
/// INV-13 an inner datatype is older than every outer one, so inner datatypes precede outer ones in the order of
/// creation.
inline void rebuild_datatypes() noexcept {
  vid::table<kind::datatype>().for_each_unordered([](type_entry& e) { e.real = {}; });
  vid::for_each_in_order<kind::datatype>(
      [](const type_entry& e) { return !is_forsaken(e); },
      [](const type_entry& a, const type_entry& b) { return a.serial < b.serial; }, rebuild_type);
}

}  // namespace mana::object
