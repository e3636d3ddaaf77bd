// Constructors of datatypes, commit, free. Each constructor writes its arguments down and makes the real datatype from
// them, as a restart will.
#pragma once
#include <mana/call/declared.hpp>
#include <mana/object/datatype/recipe_writer.hpp>

#include <cstdio>
#include <cstring>
#include <mutex>

namespace mana::object {

inline int fail_type(function_id f) noexcept { return fail(f, neutral::err_type, "null, stale or foreign datatype"); }

/// The end of every constructor.
template <class Fn>
inline int finish_type(recipe_writer& w, MPI_Datatype* out) noexcept {
  if (w.error() == neutral::err_type) return fail_type(Fn::id);
  if (!w.ok()) return fail(Fn::id, w.error(), nullptr);
  if (out == nullptr) return fail(Fn::id, neutral::err_arg, "null pointer");
  call::wrapper_scope scope(Fn::id);
  int error = neutral::success;
  const type_entry* const e = construct(w.take(), &error);
  if (e == nullptr) return fail(Fn::id, error, nullptr);
  *out = type_handle(vid::table<kind::datatype>().id_of(*e).bits());
  return MPI_SUCCESS;
}

template <class Fn, class Count>
inline int make_contiguous(Count count, MPI_Datatype old, MPI_Datatype* out) noexcept {
  if (count < 0) return fail(Fn::id, neutral::err_count, "negative count");
  recipe_writer w(combiner::contiguous, is_large<Count>, 0, 1, 0, 1);
  w.number(count).type(old);
  return finish_type<Fn>(w, out);
}
template <class Fn, class Count>
inline int make_vector(Count count, Count length, Count stride, MPI_Datatype old, MPI_Datatype* out) noexcept {
  if (count < 0 || length < 0)
    return fail(Fn::id, count < 0 ? neutral::err_count : neutral::err_arg, "negative count or block length");
  recipe_writer w(combiner::vector, is_large<Count>, 0, 3, 0, 1);
  w.number(count).number(length).number(stride).type(old);
  return finish_type<Fn>(w, out);
}
template <class Fn, class Count>
inline int make_hvector(Count count, Count length, std::int64_t stride, MPI_Datatype old, MPI_Datatype* out) noexcept {
  if (count < 0 || length < 0)
    return fail(Fn::id, count < 0 ? neutral::err_count : neutral::err_arg, "negative count or block length");
  recipe_writer w(combiner::hvector, is_large<Count>, 0, 2, 1, 1);
  w.number(count).number(length).offset(stride).type(old);
  return finish_type<Fn>(w, out);
}
template <class Fn, class Count>
inline int make_indexed(Count count, const Count* lengths, const Count* places, MPI_Datatype old,
                        MPI_Datatype* out) noexcept {
  if (const int bad = check_list(count, lengths, places); bad != neutral::success)
    return fail(Fn::id, bad, "count or null list");
  if (any_negative(lengths, count)) return fail(Fn::id, neutral::err_arg, "negative block length");
  recipe_writer w(combiner::indexed, is_large<Count>, 0, 1 + 2 * static_cast<int>(count), 0, 1);
  w.number(count).numbers(lengths, count).numbers(places, count).type(old);
  return finish_type<Fn>(w, out);
}
template <class Fn, class Count, class Offset>
inline int make_hindexed(Count count, const Count* lengths, const Offset* places, MPI_Datatype old,
                         MPI_Datatype* out) noexcept {
  if (const int bad = check_list(count, lengths, places); bad != neutral::success)
    return fail(Fn::id, bad, "count or null list");
  if (any_negative(lengths, count)) return fail(Fn::id, neutral::err_arg, "negative block length");
  const int n = static_cast<int>(count);
  recipe_writer w(combiner::hindexed, is_large<Count>, 0, 1 + n, n, 1);
  w.number(count).numbers(lengths, count).offsets(places, count).type(old);
  return finish_type<Fn>(w, out);
}
template <class Fn, class Count>
inline int make_indexed_block(Count count, Count length, const Count* places, MPI_Datatype old,
                              MPI_Datatype* out) noexcept {
  if (const int bad = check_list(count, places); bad != neutral::success)
    return fail(Fn::id, bad, "count or null list");
  if (length < 0) return fail(Fn::id, neutral::err_arg, "negative block length");
  recipe_writer w(combiner::indexed_block, is_large<Count>, 0, 2 + static_cast<int>(count), 0, 1);
  w.number(count).number(length).numbers(places, count).type(old);
  return finish_type<Fn>(w, out);
}
template <class Fn, class Count, class Offset>
inline int make_hindexed_block(Count count, Count length, const Offset* places, MPI_Datatype old,
                               MPI_Datatype* out) noexcept {
  if (const int bad = check_list(count, places); bad != neutral::success)
    return fail(Fn::id, bad, "count or null list");
  if (length < 0) return fail(Fn::id, neutral::err_arg, "negative block length");
  recipe_writer w(combiner::hindexed_block, is_large<Count>, 0, 2, static_cast<int>(count), 1);
  w.number(count).number(length).offsets(places, count).type(old);
  return finish_type<Fn>(w, out);
}
template <class Fn, class Count, class Offset>
inline int make_struct(Count count, const Count* lengths, const Offset* places, const MPI_Datatype* types,
                       MPI_Datatype* out) noexcept {
  if (const int bad = check_list(count, lengths, places, types); bad != neutral::success)
    return fail(Fn::id, bad, "count or null list");
  if (any_negative(lengths, count)) return fail(Fn::id, neutral::err_arg, "negative block length");
  const int n = static_cast<int>(count);
  recipe_writer w(combiner::structure, is_large<Count>, 0, 1 + n, n, n);
  w.number(count).numbers(lengths, count).offsets(places, count);
  for (int k = 0; k < n; ++k) w.type(types[k]);
  return finish_type<Fn>(w, out);
}
template <class Fn, bool Large>
inline int make_resized(MPI_Datatype old, std::int64_t lb, std::int64_t extent, MPI_Datatype* out) noexcept {
  recipe_writer w(combiner::resized, Large, 0, 0, 2, 1);
  w.offset(lb).offset(extent).type(old);
  return finish_type<Fn>(w, out);
}

template <class Fn, class Count>
inline int make_subarray_type(int ndims, const Count* sizes, const Count* subsizes, const Count* starts, int order,
                              MPI_Datatype old, MPI_Datatype* out) noexcept {
  if (ndims < 1 || sizes == nullptr || subsizes == nullptr || starts == nullptr)
    return fail(Fn::id, neutral::err_arg, "number of dimensions, or null list");
  if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN) return fail(Fn::id, neutral::err_arg, "order");
  for (int d = 0; d < ndims; ++d)
    if (sizes[d] < 1 || subsizes[d] < 1 || subsizes[d] > sizes[d] || starts[d] < 0 ||
        starts[d] > sizes[d] - subsizes[d])
      return fail(Fn::id, neutral::err_arg, "a part that leaves the array");
  recipe_writer w(combiner::subarray, is_large<Count>, 2, 3 * ndims, 0, 1);
  w.plain(ndims).numbers(sizes, ndims).numbers(subsizes, ndims).numbers(starts, ndims).plain(order).type(old);
  return finish_type<Fn>(w, out);
}

/// out: the error in one dimension, or nullptr
inline const char* check_distribution(std::int64_t total, int distribution, int argument, int processes) noexcept {
  if (total < 1 || processes < 1) return "a dimension or a number of processes below 1";
  if (distribution == MPI_DISTRIBUTE_NONE)
    return processes == 1 ? nullptr : "MPI_DISTRIBUTE_NONE over several processes";
  if (distribution != MPI_DISTRIBUTE_BLOCK && distribution != MPI_DISTRIBUTE_CYCLIC) return "distribution";
  if (argument == MPI_DISTRIBUTE_DFLT_DARG) return nullptr;
  if (argument < 1) return "a block length below 1";
  const bool covers = distribution == MPI_DISTRIBUTE_CYCLIC || std::int64_t{argument} * processes >= total;
  return covers ? nullptr : "blocks that do not cover the dimension";
}

template <class Fn, class Count>
inline int make_darray_type(int size, int rank, int ndims, const Count* gsizes, const int* distribs, const int* dargs,
                            const int* psizes, int order, MPI_Datatype old, MPI_Datatype* out) noexcept {
  if (ndims < 1 || gsizes == nullptr || distribs == nullptr || dargs == nullptr || psizes == nullptr)
    return fail(Fn::id, neutral::err_arg, "number of dimensions, or null list");
  if (size < 1 || rank < 0 || rank >= size) return fail(Fn::id, neutral::err_arg, "size or rank");
  if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN) return fail(Fn::id, neutral::err_arg, "order");
  std::int64_t grid = 1;
  for (int d = 0; d < ndims; ++d) {
    if (const char* const bad = check_distribution(gsizes[d], distribs[d], dargs[d], psizes[d]))
      return fail(Fn::id, neutral::err_arg, bad);
    grid *= psizes[d];
  }
  if (grid != size) return fail(Fn::id, neutral::err_arg, "the process grid has another size");
  recipe_writer w(combiner::darray, is_large<Count>, 4 + 3 * ndims, ndims, 0, 1);
  w.plain(size).plain(rank).plain(ndims).numbers(gsizes, ndims);
  w.plains(distribs, ndims).plains(dargs, ndims).plains(psizes, ndims).plain(order).type(old);
  return finish_type<Fn>(w, out);
}

/// Held while a Fortran 90 type is looked for and made: two threads that ask for the same one get the same one (MPI-4.1
/// 19.1.5). It is also held across the switch: its holder waits for nobody.
inline std::mutex& f90_lock() noexcept {
  static std::mutex lock;
  return lock;
}

/// A Fortran 90 parameterised type: the same arguments give the same handle, and it is never freed.
template <class Fn, class... Int>
inline int make_f90(combiner how, MPI_Datatype* out, Int... arguments) noexcept {
  constexpr int n = sizeof...(Int);
  const int given[] = {arguments...};
  call::wrapper_scope scope(Fn::id);
  const std::lock_guard hold(f90_lock());
  type_entry* known = nullptr;
  vid::table<kind::datatype>().for_each_unordered([&](type_entry& e) {
    if (e.what.permanent && e.what.made.how() == how && std::equal(given, given + n, e.what.made.ints())) known = &e;
  });
  if (known == nullptr) {
    recipe_writer w(how, false, n, 0, 0, 0);
    w.plains(given, n);
    int error = neutral::success;
    known = construct(w.take(), &error);
    if (known == nullptr) return fail(Fn::id, error, "no such Fortran 90 type");
    known->what.permanent = true;
    known->what.committed = true;
  }
  *out = type_handle(vid::table<kind::datatype>().id_of(*known).bits());
  return MPI_SUCCESS;
}

/// The attributes of a datatype, also of a predefined one.
inline attribute_list*& type_attributes(const resolved<kind::datatype>& t) noexcept {
  return t.e != nullptr ? t.e->what.attributes : predefined(t.predefined_code).attributes;
}

/// As for communicators: value is a pointer, or from Fortran a number.
template <class Value>
inline int set_type_attribute(MPI_Datatype type, int number, Value value) noexcept {
  using f = fn::type_set_attr;
  const resolved<kind::datatype> t = resolve_type(type);
  if (!t.ok) return fail_type(f::id);
  const int rc = put_attribute(type_attributes(t), kind_code::datatype, type, {number, value});
  return rc == neutral::success ? MPI_SUCCESS : fail(f::id, rc, "attribute key");
}
template <class Store>
inline int get_type_attribute(MPI_Datatype type, int number, int* flag, Store&& store) noexcept {
  using f = fn::type_get_attr;
  const resolved<kind::datatype> t = resolve_type(type);
  if (!t.ok) return fail_type(f::id);
  if (attribute_keys().find(number, kind_code::datatype) == nullptr)
    return fail(f::id, neutral::err_keyval, "attribute key");
  attribute_list* const list = type_attributes(t);
  const attribute* const a = list != nullptr ? list->find(number) : nullptr;
  *flag = a != nullptr;
  if (a != nullptr) store(a->value, a->bits());
  return MPI_SUCCESS;
}

}  // namespace mana::object

namespace mana::manual {

inline int type_contiguous(int n, MPI_Datatype t, MPI_Datatype* out) noexcept {
  return object::make_contiguous<fn::type_contiguous>(n, t, out);
}
inline int type_vector(int n, int b, int s, MPI_Datatype t, MPI_Datatype* out) noexcept {
  return object::make_vector<fn::type_vector>(n, b, s, t, out);
}
inline int type_create_hvector(int n, int b, MPI_Aint s, MPI_Datatype t, MPI_Datatype* out) noexcept {
  return object::make_hvector<fn::type_create_hvector>(n, b, s, t, out);
}
inline int type_hvector(int n, int b, MPI_Aint s, MPI_Datatype t, MPI_Datatype* out) noexcept {
  return object::make_hvector<fn::type_hvector>(n, b, s, t, out);
}
inline int type_indexed(int n, const int b[], const int d[], MPI_Datatype t, MPI_Datatype* out) noexcept {
  return object::make_indexed<fn::type_indexed>(n, b, d, t, out);
}
inline int type_create_hindexed(int n, const int b[], const MPI_Aint d[], MPI_Datatype t, MPI_Datatype* out) noexcept {
  return object::make_hindexed<fn::type_create_hindexed>(n, b, d, t, out);
}
inline int type_hindexed(int n, int b[], MPI_Aint d[], MPI_Datatype t, MPI_Datatype* out) noexcept {
  return object::make_hindexed<fn::type_hindexed>(n, static_cast<const int*>(b), d, t, out);
}
inline int type_create_indexed_block(int n, int b, const int d[], MPI_Datatype t, MPI_Datatype* out) noexcept {
  return object::make_indexed_block<fn::type_create_indexed_block>(n, b, d, t, out);
}
inline int type_create_hindexed_block(int n, int b, const MPI_Aint d[], MPI_Datatype t, MPI_Datatype* out) noexcept {
  return object::make_hindexed_block<fn::type_create_hindexed_block>(n, b, d, t, out);
}
inline int type_create_struct(int n, const int b[], const MPI_Aint d[], const MPI_Datatype t[],
                              MPI_Datatype* out) noexcept {
  return object::make_struct<fn::type_create_struct>(n, b, d, t, out);
}
inline int type_struct(int n, int b[], MPI_Aint d[], MPI_Datatype t[], MPI_Datatype* out) noexcept {
  return object::make_struct<fn::type_struct>(n, static_cast<const int*>(b), d, t, out);
}
inline int type_create_resized(MPI_Datatype t, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* out) noexcept {
  return object::make_resized<fn::type_create_resized, false>(t, lb, extent, out);
}
inline int type_create_subarray(int n, const int sizes[], const int subsizes[], const int starts[], int order,
                                MPI_Datatype t, MPI_Datatype* out) noexcept {
  return object::make_subarray_type<fn::type_create_subarray>(n, sizes, subsizes, starts, order, t, out);
}
inline int type_create_darray(int size, int rank, int n, const int gsizes[], const int distribs[], const int dargs[],
                              const int psizes[], int order, MPI_Datatype t, MPI_Datatype* out) noexcept {
  return object::make_darray_type<fn::type_create_darray>(size, rank, n, gsizes, distribs, dargs, psizes, order, t,
                                                          out);
}
inline int type_create_f90_real(int p, int r, MPI_Datatype* out) noexcept {
  return object::make_f90<fn::type_create_f90_real>(object::combiner::f90_real, out, p, r);
}
inline int type_create_f90_complex(int p, int r, MPI_Datatype* out) noexcept {
  return object::make_f90<fn::type_create_f90_complex>(object::combiner::f90_complex, out, p, r);
}
inline int type_create_f90_integer(int r, MPI_Datatype* out) noexcept {
  return object::make_f90<fn::type_create_f90_integer>(object::combiner::f90_integer, out, r);
}

#if defined(MANA_DECLARES_MPI_Type_contiguous_c)
inline int type_contiguous_c(MPI_Count n, MPI_Datatype t, MPI_Datatype* out) noexcept {
  return object::make_contiguous<fn::type_contiguous_c>(n, t, out);
}
inline int type_vector_c(MPI_Count n, MPI_Count b, MPI_Count s, MPI_Datatype t, MPI_Datatype* out) noexcept {
  return object::make_vector<fn::type_vector_c>(n, b, s, t, out);
}
inline int type_create_hvector_c(MPI_Count n, MPI_Count b, MPI_Count s, MPI_Datatype t, MPI_Datatype* out) noexcept {
  return object::make_hvector<fn::type_create_hvector_c>(n, b, s, t, out);
}
inline int type_indexed_c(MPI_Count n, const MPI_Count b[], const MPI_Count d[], MPI_Datatype t,
                          MPI_Datatype* out) noexcept {
  return object::make_indexed<fn::type_indexed_c>(n, b, d, t, out);
}
inline int type_create_hindexed_c(MPI_Count n, const MPI_Count b[], const MPI_Count d[], MPI_Datatype t,
                                  MPI_Datatype* out) noexcept {
  return object::make_hindexed<fn::type_create_hindexed_c>(n, b, d, t, out);
}
inline int type_create_indexed_block_c(MPI_Count n, MPI_Count b, const MPI_Count d[], MPI_Datatype t,
                                       MPI_Datatype* out) noexcept {
  return object::make_indexed_block<fn::type_create_indexed_block_c>(n, b, d, t, out);
}
inline int type_create_hindexed_block_c(MPI_Count n, MPI_Count b, const MPI_Count d[], MPI_Datatype t,
                                        MPI_Datatype* out) noexcept {
  return object::make_hindexed_block<fn::type_create_hindexed_block_c>(n, b, d, t, out);
}
inline int type_create_struct_c(MPI_Count n, const MPI_Count b[], const MPI_Count d[], const MPI_Datatype t[],
                                MPI_Datatype* out) noexcept {
  return object::make_struct<fn::type_create_struct_c>(n, b, d, t, out);
}
inline int type_create_resized_c(MPI_Datatype t, MPI_Count lb, MPI_Count extent, MPI_Datatype* out) noexcept {
  return object::make_resized<fn::type_create_resized_c, true>(t, lb, extent, out);
}
inline int type_create_subarray_c(int n, const MPI_Count sizes[], const MPI_Count subsizes[], const MPI_Count starts[],
                                  int order, MPI_Datatype t, MPI_Datatype* out) noexcept {
  return object::make_subarray_type<fn::type_create_subarray_c>(n, sizes, subsizes, starts, order, t, out);
}
inline int type_create_darray_c(int size, int rank, int n, const MPI_Count gsizes[], const int distribs[],
                                const int dargs[], const int psizes[], int order, MPI_Datatype t,
                                MPI_Datatype* out) noexcept {
  return object::make_darray_type<fn::type_create_darray_c>(size, rank, n, gsizes, distribs, dargs, psizes, order, t,
                                                          out);
}
#endif

/// A duplicate gets the attributes by their copy functions, but not the name.
/// In Open MPI, the name of a duplicate says which datatype it duplicates.
inline void name_duplicate([[maybe_unused]] const resolved<kind::datatype>& of,
                           [[maybe_unused]] object::type_entry& made) noexcept {
  if constexpr (family::duplicates_are_named) {
    char name[MPI_MAX_OBJECT_NAME];
    std::snprintf(name, sizeof name, "Dup %s", object::name_of_type(of));
    made.what.name = strdup(name);
  }
}
inline int type_dup(MPI_Datatype old, MPI_Datatype* out) noexcept {
  using namespace object;
  const resolved<kind::datatype> from = resolve_type(old);
  if (!from.ok) return fail_type(fn::type_dup::id);
  recipe_writer w(combiner::dup, false, 0, 0, 0, 1);
  w.type(old);
  call::wrapper_scope scope(fn::type_dup::id);
  int error = neutral::success;
  type_entry* const e = construct(w.take(), &error);
  if (e == nullptr) return fail(fn::type_dup::id, error, nullptr);
  e->what.committed = from.e == nullptr || from.e->what.committed;
  name_duplicate(from, *e);
  error = copy_all_attributes(type_attributes(from), e->what.attributes, kind_code::datatype, old);
  *out = type_handle(vid::table<kind::datatype>().id_of(*e).bits());
  if (error == neutral::success) return MPI_SUCCESS;
  remove_all_attributes(e->what.attributes, kind_code::datatype, *out);
  drop_handle(*e);
  *out = MPI_DATATYPE_NULL;
  return fail(fn::type_dup::id, error, "copy function of an attribute");
}

inline int type_commit(MPI_Datatype* type) noexcept {
  const resolved<kind::datatype> t = type != nullptr ? object::resolve_type(*type) : resolved<kind::datatype>{};
  if (!t.ok) return object::fail_type(fn::type_commit::id);
  if (t.e == nullptr || t.e->what.committed) return MPI_SUCCESS;
  call::wrapper_scope scope(fn::type_commit::id);
  const int rc = object::commit_type(*t.e);
  return rc == neutral::success ? MPI_SUCCESS : object::fail(fn::type_commit::id, rc, nullptr);
}

/// The datatype is kept while operations or other datatypes need it.
inline int type_free(MPI_Datatype* type) noexcept {
  const resolved<kind::datatype> t = type != nullptr ? object::resolve_type(*type) : resolved<kind::datatype>{};
  if (!t.ok) return object::fail_type(fn::type_free::id);
  if (t.e == nullptr || t.e->what.permanent)
    return object::fail(fn::type_free::id, neutral::err_type, "predefined datatypes cannot be freed");
  if (t.e->what.handles == 0)
    return object::fail(fn::type_free::id, neutral::err_type, "the datatype is freed already");
  call::wrapper_scope scope(fn::type_free::id);
  if (t.e->what.handles == 1)
    if (const int rc = object::remove_all_attributes(t.e->what.attributes, kind_code::datatype, *type);
        rc != neutral::success)
      return object::fail(fn::type_free::id, rc, "delete function of an attribute");
  object::drop_handle(*t.e);
  *type = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

inline int type_set_attr(MPI_Datatype type, int number, void* value) noexcept {
  return object::set_type_attribute(type, number, value);
}
inline int type_get_attr(MPI_Datatype type, int number, void* value, int* flag) noexcept {
  return object::get_type_attribute(type, number, flag,
                                  [=](void* found, std::int64_t) { std::memcpy(value, &found, sizeof found); });
}
inline int type_delete_attr(MPI_Datatype type, int number) noexcept {
  const resolved<kind::datatype> t = object::resolve_type(type);
  if (!t.ok) return object::fail_type(fn::type_delete_attr::id);
  if (object::attribute_keys().find(number, kind_code::datatype) == nullptr)
    return object::fail(fn::type_delete_attr::id, neutral::err_keyval, "attribute key");
  object::attribute_list* const list = object::type_attributes(t);
  const int rc =
      list != nullptr ? object::remove_attribute(*list, kind_code::datatype, type, number) : int{neutral::err_other};
  return rc == neutral::success
             ? MPI_SUCCESS
             : object::fail(fn::type_delete_attr::id, rc, "no such attribute, or its delete function failed");
}

}  // namespace mana::manual
