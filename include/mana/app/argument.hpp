// From the application's handles to what the wrappers work on: entry, descriptor, real handle.
#pragma once
#include <mana/app/abi.hpp>
#include <mana/lower/abi.hpp>
#include <mana/object/comm/state.hpp>

namespace mana {

/// A handle of the application, looked up. ok: it is predefined or live. e: nullptr for predefined ones that have no
/// descriptor of ours.
template <class K>
struct resolved {
  bool ok = false;
  std::uint32_t predefined_code = 0;
  vid::entry<K>* e = nullptr;
  mana::real<K> real{};
};

/// in: handle  any bits; garbage is answered with ok == false      cost: O(1), no allocation, no lock, no switch
/// Inlined always: out of line, the result would go through memory, on the path of every call.
template <class K>
[[gnu::always_inline]] inline resolved<K> resolve(app::handle<K> handle) noexcept {
  if (app::may_be_virt<K>(handle)) [[unlikely]] {
    if (vid::entry<K>* const e = vid::table<K>().find(app::to_virt<K>(handle))) return {true, 0, e, e->real};
  }
  const std::uint32_t code = app::predefined_code<K>(handle);
  if (code == 0) [[unlikely]] return {};
  return {true, code, nullptr, lower::predefined_of<K>(code)};
}

/// The application's handles of the predefined communicators.
/// INV-89: before MPI runs there are no communicators, the predefined ones neither: these are equal to no handle then. So a call
/// looks at nothing more for it.
struct lasting_handles {
  static constexpr std::uint64_t none = 0x7fff'ffff;
  app::handle<kind::comm> world = app::handle_of_bits<app::handle<kind::comm>>(none), self = world;
};
inline lasting_handles the_lasting;

/// MPI runs from now on.
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

/// Neutral code or bits of the virtual id: how a descriptor names another object.
template <class K>
inline std::uint32_t name_of(const resolved<K>& r) noexcept {
  return r.predefined_code != 0 ? r.predefined_code : vid::table<K>().id_of(*r.e).bits();
}

/// The other way: the real handle of an object that a descriptor names; none if it is gone.
template <class K>
inline real<K> real_of(std::uint32_t name) noexcept {
  if (name < neutral::predefined_limit) return lower::predefined_of<K>(name);
  const vid::entry<K>* const e = vid::table<K>().find(virt<K>(name));
  return real<K>(e != nullptr ? e->real.bits() : 0);
}

}  // namespace mana
