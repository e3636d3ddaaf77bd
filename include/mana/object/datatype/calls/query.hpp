// Queries of datatypes, and of statuses by datatypes, answered from descriptors. The lower half is asked once for each
// datatype, when its layout is first needed.
#pragma once
#include <mana/call/declared.hpp>
#include <mana/object/datatype/calls/build.hpp>

namespace mana::object {

/// MPI_UNDEFINED for a value that the type does not hold, as MPI requires.
template <class Out>
inline Out fit(std::int64_t value) noexcept {
  if constexpr (sizeof(Out) < sizeof value)
    return value == static_cast<Out>(value) ? static_cast<Out>(value) : Out{MPI_UNDEFINED};
  else return static_cast<Out>(value);
}

/// The frame of layout queries. store(layout) writes the result.
template <class Fn, class Store>
inline int with_layout(MPI_Datatype type, Store&& store) noexcept {
  const resolved<kind::datatype> t = resolve_type(type);
  if (!t.ok) [[unlikely]] return fail_type(Fn::id);
  store(layout_of(t));
  return MPI_SUCCESS;
}
template <class Fn, class Out>
inline int get_size(MPI_Datatype type, Out* size) noexcept {
  return with_layout<Fn>(type, [=](const type_layout& l) noexcept { *size = fit<Out>(l.size); });
}
template <class Fn, class Out>
inline int get_extent(MPI_Datatype type, Out* lb, Out* extent) noexcept {
  return with_layout<Fn>(type, [=](const type_layout& l) noexcept {
    *lb = fit<Out>(l.lb);
    *extent = fit<Out>(l.extent);
  });
}
template <class Fn, class Out>
inline int get_true_extent(MPI_Datatype type, Out* lb, Out* extent) noexcept {
  return with_layout<Fn>(type, [=](const type_layout& l) noexcept {
    *lb = fit<Out>(l.true_lb);
    *extent = fit<Out>(l.true_extent);
  });
}

inline int app_combiner(combiner how) noexcept {
  switch (how) {
    case combiner::dup: return MPI_COMBINER_DUP;
    case combiner::contiguous: return MPI_COMBINER_CONTIGUOUS;
    case combiner::vector: return MPI_COMBINER_VECTOR;
    case combiner::hvector: return MPI_COMBINER_HVECTOR;
    case combiner::indexed: return MPI_COMBINER_INDEXED;
    case combiner::hindexed: return MPI_COMBINER_HINDEXED;
    case combiner::indexed_block: return MPI_COMBINER_INDEXED_BLOCK;
    case combiner::hindexed_block: return MPI_COMBINER_HINDEXED_BLOCK;
    case combiner::structure: return MPI_COMBINER_STRUCT;
    case combiner::subarray: return MPI_COMBINER_SUBARRAY;
    case combiner::darray: return MPI_COMBINER_DARRAY;
    case combiner::f90_real: return MPI_COMBINER_F90_REAL;
    case combiner::f90_complex: return MPI_COMBINER_F90_COMPLEX;
    case combiner::f90_integer: return MPI_COMBINER_F90_INTEGER;
    case combiner::resized: return MPI_COMBINER_RESIZED;
  }
  return MPI_UNDEFINED;
}

/// A recipe's arrays for the program. Derived inner datatypes get one more handle each, which the program will free.
inline void give_contents(const recipe& r, int* ints, MPI_Aint* addresses, MPI_Datatype* types) noexcept {
  std::copy_n(r.ints(), r.ints_size(), ints);
  std::copy_n(r.addresses(), r.addresses_size(), addresses);
  const auto hold = type_lock();
  for (int t = 0; t < r.types_size(); ++t) {
    types[t] = type_handle(r.types()[t]);
    if (r.types()[t] < neutral::predefined_limit) continue;
    if (vid::table<kind::datatype>().find(virt<kind::datatype>(r.types()[t]))->what.handles++ == 0)
      keep_datatype(r.types()[t]);
  }
}

inline std::int64_t bytes_in(const MPI_Status& status) noexcept { return app::load_status(&status).count_bytes; }

template <class Fn, class Out>
inline int get_count_of(const MPI_Status* status, MPI_Datatype type, Out* count) noexcept {
  const resolved<kind::datatype> t = resolve_type(type);
  if (!t.ok) return fail_type(Fn::id);
  const std::int64_t bytes = bytes_in(*status), size = layout_of(t).size;
  if (size == 0) *count = bytes == 0 ? Out{0} : Out{MPI_UNDEFINED};
  else *count = bytes % size == 0 ? fit<Out>(bytes / size) : Out{MPI_UNDEFINED};
  return MPI_SUCCESS;
}
template <class Fn, class Out>
inline int get_elements_of(const MPI_Status* status, MPI_Datatype type, Out* count) noexcept {
  const resolved<kind::datatype> t = resolve_type(type);
  if (!t.ok) return fail_type(Fn::id);
  if (family::pair_is_one_element && t.predefined_code != 0) return get_count_of<Fn>(status, type, count);
  const std::optional<std::int64_t> found = elements_in(name_of(t), bytes_in(*status));
  *count = found ? fit<Out>(*found) : Out{MPI_UNDEFINED};
  return MPI_SUCCESS;
}
template <class Fn>
inline int set_elements_of(MPI_Status* status, MPI_Datatype type, std::int64_t count) noexcept {
  const resolved<kind::datatype> t = resolve_type(type);
  if (!t.ok) return fail_type(Fn::id);
  if (count < 0) return fail(Fn::id, neutral::err_arg, "negative count");
  neutral::status s = app::load_status(status);
  const bool whole = family::pair_is_one_element && t.predefined_code != 0;
  s.count_bytes = whole ? count * layout_of(t).size : bytes_of_elements(name_of(t), count);
  app::store_status(status, s);
  return MPI_SUCCESS;
}

}  // namespace mana::object

namespace mana::manual {

inline int type_size(MPI_Datatype t, int* size) noexcept { return object::get_size<fn::type_size>(t, size); }
inline int type_size_x(MPI_Datatype t, MPI_Count* size) noexcept { return object::get_size<fn::type_size_x>(t, size); }
inline int type_get_extent(MPI_Datatype t, MPI_Aint* lb, MPI_Aint* extent) noexcept {
  return object::get_extent<fn::type_get_extent>(t, lb, extent);
}
inline int type_get_extent_x(MPI_Datatype t, MPI_Count* lb, MPI_Count* extent) noexcept {
  return object::get_extent<fn::type_get_extent_x>(t, lb, extent);
}
inline int type_get_true_extent(MPI_Datatype t, MPI_Aint* lb, MPI_Aint* extent) noexcept {
  return object::get_true_extent<fn::type_get_true_extent>(t, lb, extent);
}
inline int type_get_true_extent_x(MPI_Datatype t, MPI_Count* lb, MPI_Count* extent) noexcept {
  return object::get_true_extent<fn::type_get_true_extent_x>(t, lb, extent);
}
inline int type_extent(MPI_Datatype t, MPI_Aint* extent) noexcept {
  return object::with_layout<fn::type_extent>(t, [=](const object::type_layout& l) noexcept { *extent = l.extent; });
}
inline int type_lb(MPI_Datatype t, MPI_Aint* lb) noexcept {
  return object::with_layout<fn::type_lb>(t, [=](const object::type_layout& l) noexcept { *lb = l.lb; });
}
inline int type_ub(MPI_Datatype t, MPI_Aint* ub) noexcept {
  return object::with_layout<fn::type_ub>(t, [=](const object::type_layout& l) noexcept { *ub = l.lb + l.extent; });
}

inline int type_get_envelope(MPI_Datatype type, int* ints, int* addresses, int* types, int* how) noexcept {
  const resolved<kind::datatype> t = object::resolve_type(type);
  if (!t.ok) return object::fail_type(fn::type_get_envelope::id);
  *ints = *addresses = *types = 0;
  *how = MPI_COMBINER_NAMED;
  if (t.e == nullptr) return MPI_SUCCESS;
  const object::recipe& r = t.e->what.made;
  if (r.large())
    return object::fail(fn::type_get_envelope::id, neutral::err_type,
                      "made with large counts: use MPI_Type_get_envelope_c");
  *ints = r.ints_size();
  *addresses = r.addresses_size();
  *types = r.types_size();
  *how = object::app_combiner(r.how());
  return MPI_SUCCESS;
}
inline int type_get_contents(MPI_Datatype type, int max_ints, int max_addresses, int max_types, int ints[],
                             MPI_Aint addresses[], MPI_Datatype types[]) noexcept {
  const resolved<kind::datatype> t = object::resolve_type(type);
  if (!t.ok) return object::fail_type(fn::type_get_contents::id);
  if (t.e == nullptr)
    return object::fail(fn::type_get_contents::id, neutral::err_type, "predefined datatypes have no contents");
  const object::recipe& r = t.e->what.made;
  if (r.large())
    return object::fail(fn::type_get_contents::id, neutral::err_type,
                      "made with large counts: use MPI_Type_get_contents_c");
  if (max_ints < r.ints_size() || max_addresses < r.addresses_size() || max_types < r.types_size())
    return object::fail(fn::type_get_contents::id, neutral::err_arg, "arrays too short");
  object::give_contents(r, ints, addresses, types);
  return MPI_SUCCESS;
}

/// Datatypes of sizes that few MPIs have; MPI_DATATYPE_NULL: this mpi.h has none.
#if defined(MPI_REAL2)
inline const MPI_Datatype real_of_2 = MPI_REAL2;
#else
inline const MPI_Datatype real_of_2 = MPI_DATATYPE_NULL;
#endif
#if defined(MPI_COMPLEX4)
inline const MPI_Datatype complex_of_4 = MPI_COMPLEX4;
#else
inline const MPI_Datatype complex_of_4 = MPI_DATATYPE_NULL;
#endif
#if defined(MPI_INTEGER16)
inline const MPI_Datatype integer_of_16 = MPI_INTEGER16;
#else
inline const MPI_Datatype integer_of_16 = MPI_DATATYPE_NULL;
#endif

/// The predefined datatype of a class of Fortran types and a size in bytes, if the live MPI has it.
inline int type_match_size(int type_class, int size, MPI_Datatype* type) noexcept {
  struct row { int type_class, size; MPI_Datatype fortran, c; };
  constexpr auto first = [](MPI_Datatype of_default_kind, MPI_Datatype of_that_size) {
    return family::matches_default_kinds_first ? of_default_kind : of_that_size;
  };
  const row rows[] = {{MPI_TYPECLASS_REAL, 2, real_of_2, MPI_DATATYPE_NULL},
                      {MPI_TYPECLASS_REAL, 4, first(MPI_REAL, MPI_REAL4), MPI_FLOAT},
                      {MPI_TYPECLASS_REAL, 8, MPI_REAL8, MPI_DOUBLE},
                      {MPI_TYPECLASS_REAL, 16, MPI_REAL16, MPI_LONG_DOUBLE},
                      {MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1, MPI_INT8_T},
                      {MPI_TYPECLASS_INTEGER, 2, MPI_INTEGER2, MPI_INT16_T},
                      {MPI_TYPECLASS_INTEGER, 4, first(MPI_INTEGER, MPI_INTEGER4), MPI_INT32_T},
                      {MPI_TYPECLASS_INTEGER, 8, MPI_INTEGER8, MPI_INT64_T},
                      {MPI_TYPECLASS_INTEGER, 16, integer_of_16, MPI_DATATYPE_NULL},
                      {MPI_TYPECLASS_COMPLEX, 4, complex_of_4, MPI_DATATYPE_NULL},
                      {MPI_TYPECLASS_COMPLEX, 8, first(MPI_COMPLEX, MPI_COMPLEX8), MPI_C_FLOAT_COMPLEX},
                      {MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16, MPI_C_DOUBLE_COMPLEX},
                      {MPI_TYPECLASS_COMPLEX, 32, MPI_COMPLEX32, MPI_C_LONG_DOUBLE_COMPLEX}};
  if (type_class != MPI_TYPECLASS_REAL && type_class != MPI_TYPECLASS_INTEGER && type_class != MPI_TYPECLASS_COMPLEX)
    return object::fail(fn::type_match_size::id, neutral::err_arg, "type class");
  for (const row& r : rows) {
    if (r.type_class != type_class || r.size != size) continue;
    const MPI_Datatype found = r.fortran != MPI_DATATYPE_NULL ? r.fortran : r.c;
    const resolved<kind::datatype> t = object::resolve_type(found);
    if (!t.ok || object::layout_of(t).size != size) break;
    *type = found;
    return MPI_SUCCESS;
  }
  return object::fail(fn::type_match_size::id, neutral::err_arg, "no datatype of that size");
}

/// The predefined pair for MPI_MINLOC and MPI_MAXLOC of a value and an index; MPI_DATATYPE_NULL if there is none. No
/// MPI has others: the operations could not work on them.
inline int type_get_value_index(MPI_Datatype value, MPI_Datatype index, MPI_Datatype* pair) noexcept {
  if (!object::resolve_type(value).ok || !object::resolve_type(index).ok)
    return object::fail_type(fn::type_get_value_index::id);
  struct row { MPI_Datatype value, index, pair; };
  const row rows[] = {{MPI_FLOAT, MPI_INT, MPI_FLOAT_INT}, {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
                      {MPI_LONG, MPI_INT, MPI_LONG_INT}, {MPI_INT, MPI_INT, MPI_2INT},
                      {MPI_SHORT, MPI_INT, MPI_SHORT_INT}, {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
                      {MPI_REAL, MPI_REAL, MPI_2REAL},
                      {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
                      {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER}};
  *pair = MPI_DATATYPE_NULL;
  for (const row& r : rows)
    if (r.value == value && r.index == index) *pair = r.pair;
  return MPI_SUCCESS;
}

inline int get_count(const MPI_Status* s, MPI_Datatype t, int* n) noexcept {
  return object::get_count_of<fn::get_count>(s, t, n);
}
inline int get_elements(const MPI_Status* s, MPI_Datatype t, int* n) noexcept {
  return object::get_elements_of<fn::get_elements>(s, t, n);
}
inline int get_elements_x(const MPI_Status* s, MPI_Datatype t, MPI_Count* n) noexcept {
  return object::get_elements_of<fn::get_elements_x>(s, t, n);
}
inline int status_set_elements(MPI_Status* s, MPI_Datatype t, int n) noexcept {
  return object::set_elements_of<fn::status_set_elements>(s, t, n);
}
inline int status_set_elements_x(MPI_Status* s, MPI_Datatype t, MPI_Count n) noexcept {
  return object::set_elements_of<fn::status_set_elements_x>(s, t, n);
}
inline int status_set_cancelled(MPI_Status* status, int flag) noexcept {
  neutral::status s = app::load_status(status);
  s.cancelled = flag != 0;
  app::store_status(status, s);
  return MPI_SUCCESS;
}
inline int test_cancelled(const MPI_Status* status, int* flag) noexcept {
  *flag = app::load_status(status).cancelled != 0;
  return MPI_SUCCESS;
}

#if defined(MANA_DECLARES_MPI_Type_size_c)
inline int type_size_c(MPI_Datatype t, MPI_Count* size) noexcept { return object::get_size<fn::type_size_c>(t, size); }
inline int type_get_extent_c(MPI_Datatype t, MPI_Count* lb, MPI_Count* extent) noexcept {
  return object::get_extent<fn::type_get_extent_c>(t, lb, extent);
}
inline int type_get_true_extent_c(MPI_Datatype t, MPI_Count* lb, MPI_Count* extent) noexcept {
  return object::get_true_extent<fn::type_get_true_extent_c>(t, lb, extent);
}
inline int get_count_c(const MPI_Status* s, MPI_Datatype t, MPI_Count* n) noexcept {
  return object::get_count_of<fn::get_count_c>(s, t, n);
}
inline int get_elements_c(const MPI_Status* s, MPI_Datatype t, MPI_Count* n) noexcept {
  return object::get_elements_of<fn::get_elements_c>(s, t, n);
}

inline int type_get_envelope_c(MPI_Datatype type, MPI_Count* ints, MPI_Count* addresses, MPI_Count* counts,
                               MPI_Count* types, int* how) noexcept {
  const resolved<kind::datatype> t = object::resolve_type(type);
  if (!t.ok) return object::fail_type(fn::type_get_envelope_c::id);
  *ints = *addresses = *counts = *types = 0;
  *how = MPI_COMBINER_NAMED;
  if (t.e == nullptr) return MPI_SUCCESS;
  const object::recipe& r = t.e->what.made;
  *ints = r.ints_size();
  *addresses = r.addresses_size();
  *counts = r.counts_size();
  *types = r.types_size();
  *how = object::app_combiner(r.how());
  return MPI_SUCCESS;
}
inline int type_get_contents_c(MPI_Datatype type, MPI_Count max_ints, MPI_Count max_addresses, MPI_Count max_counts,
                               MPI_Count max_types, int ints[], MPI_Aint addresses[], MPI_Count counts[],
                               MPI_Datatype types[]) noexcept {
  const resolved<kind::datatype> t = object::resolve_type(type);
  if (!t.ok) return object::fail_type(fn::type_get_contents_c::id);
  if (t.e == nullptr)
    return object::fail(fn::type_get_contents_c::id, neutral::err_type, "predefined datatypes have no contents");
  const object::recipe& r = t.e->what.made;
  if (max_ints < r.ints_size() || max_addresses < r.addresses_size() || max_counts < r.counts_size() ||
      max_types < r.types_size())
    return object::fail(fn::type_get_contents_c::id, neutral::err_arg, "arrays too short");
  std::copy_n(r.counts(), r.counts_size(), counts);
  object::give_contents(r, ints, addresses, types);
  return MPI_SUCCESS;
}
#endif

}  // namespace mana::manual
