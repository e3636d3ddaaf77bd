// What this process knows of predefined datatypes: layout, asked of the live MPI once; name and attributes, if the
// application set any.
#pragma once
#include <mana/vid/attribute_store.hpp>
#include <mana/vid/datatype_descriptor.hpp>
#include <mana/wrap/argument.hpp>
#include <mana/wrap/datatype_names.hpp>

#include <mana/lower/cross.hpp>

namespace mana::wrap {

struct predefined_type {
  vid::type_layout layout;
  std::int64_t first_of_pair = 0;             // bytes; 0: not a pair
  bool known = false;
  vid::attribute_list* attributes = nullptr;
  char* name = nullptr;                       // nullptr: the standard's
};

inline predefined_type* predefined_types() noexcept {
  static predefined_type all[neutral::predefined_limit - neutral::datatype_null];
  return all;
}

/// The layout of any datatype, from what the live MPI says. out: neutral error class
inline int ask_layout(std::uint64_t real, vid::type_layout& out) noexcept {
  std::int64_t values[5] = {};
  const lower::services& s = *lower::the_bridge().service;
  const int rc = lower::cross([&] { return s.datatype_layout(real, values); });
  if (rc == neutral::success) out = {values[0], values[1], values[2], values[3], values[4]};
  return rc;
}

inline void learn_predefined(std::uint32_t code, predefined_type& t) noexcept {
  if (ask_layout(lower::the_bridge().predefined_real[code], t.layout) != neutral::success) return;
  t.first_of_pair = first_of_pair(app::predefined_handle<kind::datatype>(code));
  __atomic_store_n(&t.known, true, __ATOMIC_RELEASE);     // two threads may both ask; they are told the same
}

/// in: code  of a predefined datatype, neutral::datatype_null … predefined_limit - 1
inline predefined_type& predefined(std::uint32_t code) noexcept {
  predefined_type& t = predefined_types()[code - neutral::datatype_null];
  if (!__atomic_load_n(&t.known, __ATOMIC_ACQUIRE)) [[unlikely]] learn_predefined(code, t);
  return t;
}

/// in: name  neutral code or bits of a live virtual id
inline const vid::type_layout& layout_named(std::uint32_t name) noexcept {
  if (name < neutral::predefined_limit) return predefined(name).layout;
  return vid::table<kind::datatype>().find(virt<kind::datatype>(name))->what.layout;
}

/// A datatype of the application; MPI_DATATYPE_NULL and handles whose last owner freed them are not ok.
inline resolved<kind::datatype> resolve_type(MPI_Datatype handle) noexcept {
  resolved<kind::datatype> found = resolve<kind::datatype>(handle);
  if (found.predefined_code == neutral::datatype_null || (found.e != nullptr && found.e->what.handles == 0)) found.ok = false;
  return found;
}

inline const vid::type_layout& layout_of(const resolved<kind::datatype>& t) noexcept {
  return t.e != nullptr ? t.e->what.layout : predefined(t.predefined_code).layout;
}

}  // namespace mana::wrap
