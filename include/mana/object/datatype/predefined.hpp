// The process's data on predefined datatypes: the layout, asked from the live MPI when it starts; name and attributes,
// if the program has set any.
#pragma once
#include <mana/app/argument.hpp>
#include <mana/app/datatype_names.hpp>
#include <mana/object/attribute/store.hpp>
#include <mana/object/datatype/descriptor.hpp>

#include <mana/call/scope.hpp>

namespace mana::object {

struct predefined_type {
  type_layout layout;
  std::int64_t first_of_pair = 0;             // bytes; 0: not a pair
  attribute_list* attributes = nullptr;
  char* name = nullptr;                       // nullptr: the standard's name
};

inline predefined_type* predefined_types() noexcept {
  static predefined_type all[neutral::predefined_limit - neutral::datatype_null];
  return all;
}

/// Asks the live MPI for the layout of any datatype. out: neutral error class
inline int ask_layout(real<kind::datatype> type, type_layout& out) noexcept {
  std::int64_t values[5] = {};
  const lower::services& s = *lower::the_bridge().service;
  const int rc = lower::cross([&] { return s.datatype_layout(type, values); });
  if (rc == neutral::success) out = {values[0], values[1], values[2], values[3], values[4]};
  return rc;
}

/// Called once, when the live MPI runs. Types that it does not have keep a layout of zeros.
inline void learn_predefined_types() noexcept {
  app::for_each_predefined_datatype([](std::uint32_t code, MPI_Datatype handle, const char*) {
    predefined_type& t = predefined_types()[code - neutral::datatype_null];
    if (ask_layout(lower::predefined_of<kind::datatype>(code), t.layout) == neutral::success)
      t.first_of_pair = app::first_of_pair(handle);
  });
}

/// in: code  of a predefined datatype, neutral::datatype_null … predefined_limit - 1
inline predefined_type& predefined(std::uint32_t code) noexcept {
  return predefined_types()[code - neutral::datatype_null];
}

/// Asks when the layout is first needed, which for most datatypes is never. Threads that ask at the same time write the
/// same.
[[gnu::noinline, gnu::cold]] inline void learn_layout(vid::entry<kind::datatype>& e) noexcept {
  call::wrapper_scope scope(fn::type_size::id);
  ask_layout(e.real, e.what.layout);
  e.what.is_laid_out.store(true, std::memory_order_release);
}
inline const type_layout& layout_of(vid::entry<kind::datatype>& e) noexcept {
  if (!e.what.is_laid_out.load(std::memory_order_acquire)) [[unlikely]] learn_layout(e);
  return e.what.layout;
}

/// in: name  neutral code or bits of a live virtual id
inline const type_layout& layout_named(std::uint32_t name) noexcept {
  if (name < neutral::predefined_limit) return predefined(name).layout;
  vid::entry<kind::datatype>* const e = vid::table<kind::datatype>().find(virt<kind::datatype>(name));
  if (e == nullptr) __builtin_unreachable();
  return layout_of(*e);
}

/// A datatype of the program. MPI_DATATYPE_NULL is not ok, and neither are handles that were freed as often as they
/// were given out. Exception: a reduction function of the program was passed the handle.
[[gnu::always_inline]] inline resolved<kind::datatype> resolve_type(MPI_Datatype handle) noexcept {
  resolved<kind::datatype> found = resolve<kind::datatype>(handle);
  if (found.predefined_code == neutral::datatype_null ||
      (found.e != nullptr && found.e->what.handles == 0 && found.e->what.lent == 0))
    found.ok = false;
  return found;
}

inline const type_layout& layout_of(const resolved<kind::datatype>& t) noexcept {
  return t.e != nullptr ? layout_of(*t.e) : predefined(t.predefined_code).layout;
}

/// The name of a datatype from the program, or else from the standard; "" without a name.
inline const char* name_of_type(const resolved<kind::datatype>& t) noexcept {
  const char* const given = t.e != nullptr ? t.e->what.name : predefined(t.predefined_code).name;
  if (given != nullptr) return given;
  return t.e != nullptr ? "" : app::predefined_type_name(t.predefined_code);
}

}  // namespace mana::object
