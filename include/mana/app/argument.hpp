// From the program's handles to the wrappers' entries, descriptors and real handles.
#pragma once
#include <mana/app/abi.hpp>
#include <mana/lower/abi.hpp>
#include <mana/object/comm/state.hpp>

namespace mana {

/// A handle of the program, looked up. ok: it is predefined or live. e: nullptr for predefined handles without a
/// descriptor of ours.
template <class K>
struct resolved {
  bool ok = false;
  std::uint32_t predefined_code = 0;
  vid::entry<K>* e = nullptr;
  mana::real<K> real{};
};

/// in: handle  any bits; for garbage ok == false
/// cost: O(1), no allocation, no lock, no switch
/// Always inlined: otherwise every call would pass the result through memory.
template <class K>
[[gnu::always_inline]] inline resolved<K> resolve(app::handle<K> handle) noexcept {
  if (app::may_be_virt<K>(handle)) [[unlikely]] {
    if (vid::entry<K>* const e = vid::table<K>().find(app::to_virt<K>(handle))) return {true, 0, e, e->real};
  }
  const std::uint32_t code = app::predefined_code<K>(handle);
  if (code == 0) [[unlikely]] return {};
  return {true, code, nullptr, lower::predefined_of<K>(code)};
}

/// The program's handles of the predefined communicators.
/// INV-89: before MPI runs there are no communicators, not even the predefined ones. Until then these handles are equal
/// to no handle, so a call needs no further check.
struct lasting_handles {
  static constexpr std::uint64_t none = 0x7fff'ffff;
  app::handle<kind::comm> world = app::handle_of_bits<app::handle<kind::comm>>(none), self = world;
};
inline lasting_handles the_lasting;

/// Called when MPI has started.
inline void begin_lasting_handles() noexcept {
  the_lasting.world = MPI_COMM_WORLD;
  the_lasting.self = MPI_COMM_SELF;
}

[[gnu::always_inline]] inline resolved<kind::comm> resolve_lasting(object::lasting_comm& comm,
                                                                   std::uint32_t code) noexcept {
  return {true, code, &comm, comm.real};
}

template <>
[[gnu::always_inline]] inline resolved<kind::comm> resolve<kind::comm>(app::handle<kind::comm> handle) noexcept {
  if (handle == the_lasting.world) return resolve_lasting(object::comms().world, neutral::comm_world);
  if (vid::entry<kind::comm>* const e = vid::table<kind::comm>().find(app::to_virt<kind::comm>(handle)))
    return {true, 0, e, e->real};
  if (handle == the_lasting.self) return resolve_lasting(object::comms().self, neutral::comm_self);
  return {};     // MPI_COMM_NULL is an error wherever a communicator is used
}

/// Neutral code, or bits of the virtual id: the name by which a descriptor refers to another object.
template <class K>
inline std::uint32_t name_of(const resolved<K>& r) noexcept {
  return r.predefined_code != 0 ? r.predefined_code : vid::table<K>().id_of(*r.e).bits();
}

/// The reverse: the real handle of an object that a descriptor names; empty if the object no longer exists.
template <class K>
inline real<K> real_of(std::uint32_t name) noexcept {
  if (name < neutral::predefined_limit) return lower::predefined_of<K>(name);
  const vid::entry<K>* const e = vid::table<K>().find(virt<K>(name));
  return real<K>(e != nullptr ? e->real.bits() : 0);
}

}  // namespace mana
