// Attributes and their keys. The wrappers keep and answer them, and call callbacks with the program's own handles.
#pragma once
#include <mana/app/fortran_index.hpp>
#include <mana/object/attribute/store.hpp>
#include <mana/object/comm/state.hpp>
#include <mana/object/errhandler/calls.hpp>

#include <cstdint>

namespace mana::object {


inline key_table& attribute_keys() noexcept {
  static key_table keys;
  return keys;
}

/// Copy and delete functions of an object with this handle type.
template <class Handle>
using copy_function = int (*)(Handle, int, void*, void*, void*, int*);
template <class Handle>
using delete_function = int (*)(Handle, int, void*, void*);

/// The meaning of a callback's error code for the caller's error handler: a neutral class, or a negated code that the
/// program added.
inline int class_of_callback_error(int code) noexcept {
  if (code == MPI_SUCCESS) return neutral::success;
  if (app::errors().added(code)) return -code;
  const int known = app::neutral_error(code);
  return known > neutral::success && known < neutral::err_lastcode ? known : int{neutral::err_other};
}

/// in: h  of a communicator, a datatype or a window
template <class Handle>
inline int fortran_number(Handle h) noexcept {
  if constexpr (!std::is_pointer_v<Handle>) return h;
  else if constexpr (std::is_same_v<Handle, MPI_Comm>) return app::to_fortran<kind::comm>(h);
  else if constexpr (std::is_same_v<Handle, MPI_Win>) return app::to_fortran<kind::win>(h);
  else return app::to_fortran<kind::datatype>(h);
}

/// INV-82: a checkpoint may come while the function runs: it may compute for long, or wait for another rank. So the
/// objects of the wrapper must be consistent in their tables here, and the wrapper must hold no lock.
/// out: the code of the key's delete function
template <class Handle>
inline int call_remove(const attribute_key& key, Handle handle, const attribute& a) noexcept {
  if (key.remove == nullptr) return MPI_SUCCESS;
  return call::run_application_code([&] {
    if (key.by_remove_proxy != nullptr)
      return key.by_remove_proxy(key.remove, fortran_number(handle), a.key, a.number != nullptr,
                                 reinterpret_cast<void*>(a.bits()), key.extra);
    return reinterpret_cast<delete_function<Handle>>(key.remove)(handle, a.key, a.value, key.extra);
  });
}

/// As call_remove. in: copy: the attribute to copy      out: the code of the key's copy function
template <class Handle>
inline int call_copy(const attribute_key& key, Handle handle, attribute& copy, int* wanted) noexcept {
  void* value = nullptr;
  int rc = MPI_SUCCESS;
  if (key.by_copy_proxy != nullptr) {
    rc = call::run_application_code([&] {
      return key.by_copy_proxy(key.copy, fortran_number(handle), copy.key, key.extra, copy.number != nullptr,
                               reinterpret_cast<void*>(copy.bits()), &value, wanted); });
    if (copy.number != nullptr) copy = {copy.key, reinterpret_cast<std::int64_t>(value)};
    else copy.value = value;
    return rc;
  }
  rc = call::run_application_code([&] {
    return reinterpret_cast<copy_function<Handle>>(key.copy)(handle, copy.key, key.extra, copy.value, &value, wanted);
  });
  // If the value is the address of a number, the copy gets a number of its own: the old number belongs to the old
  // object.
  copy = copy.number != nullptr && value == copy.value ? attribute(copy.key, *copy.number) : attribute(copy.key, value);
  return rc;
}

/// Removes one attribute. It calls the delete function first, and removes the value only if that succeeds.
template <class Handle>
inline int remove_attribute(attribute_list& list, kind_code object, Handle handle, int number) noexcept {
  const attribute* const a = list.find(number);
  if (a == nullptr) return neutral::err_other;
  const attribute_key* const key = attribute_keys().find(number, object);
  if (key != nullptr)
    if (const int rc = call_remove(*key, handle, *a); rc != MPI_SUCCESS) return class_of_callback_error(rc);
  list.remove(number);
  const std::lock_guard hold(app::cold_lock());
  if (attribute_key* const still = attribute_keys().find(number, object)) attribute_keys().drop_user(*still);
  return neutral::success;
}

/// Removes all attributes of an object, the last set first (MPI-4.1 11.2.4 for MPI_COMM_SELF, harmless elsewhere).
/// Stops if a delete function fails. out: neutral error class
template <class Handle>
inline int remove_all_attributes(attribute_list*& list, kind_code object, Handle handle) noexcept {
  while (list != nullptr && !list->items.empty())
    if (const int rc = remove_attribute(*list, object, handle, list->items.back().key); rc != neutral::success)
      return rc;
  delete list;
  list = nullptr;
  return neutral::success;
}

/// Sets a value; deletes an old one first. out: neutral error class
template <class Handle>
inline int put_attribute(attribute_list*& list, kind_code object, Handle handle, const attribute& given) noexcept {
  const attribute_key* const key = attribute_keys().find(given.key, object);
  if (key == nullptr) return neutral::err_keyval;
  if (list == nullptr) list = new attribute_list;
  if (const attribute* const old = list->find(given.key))
    if (const int rc = call_remove(*key, handle, *old); rc != MPI_SUCCESS) return class_of_callback_error(rc);
  if (attribute* const old = list->find(given.key)) { *old = given; return neutral::success; }
  list->items.push_back(given);
  const std::lock_guard hold(app::cold_lock());
  if (attribute_key* const still = attribute_keys().find(given.key, object)) attribute_keys().add_user(*still);
  return neutral::success;
}

/// Copies the attributes that a duplicate inherits, in the order of setting. out: neutral error class of the first copy
/// function that fails
template <class Handle>
inline int copy_all_attributes(const attribute_list* from, attribute_list*& to, kind_code object, Handle old) noexcept {
  if (from == nullptr) return neutral::success;
  std::vector<attribute> items = from->items;      // a copy function may set attributes of the old object
  for (attribute& a : items) {
    const attribute_key* const key = attribute_keys().find(a.key, object);
    if (key == nullptr || key->copy == nullptr) continue;
    int wanted = 0;
    if (const int rc = call_copy(*key, old, a, &wanted); rc != MPI_SUCCESS) return class_of_callback_error(rc);
    if (wanted == 0) continue;
    if (const int rc = put_attribute(to, object, old, a); rc != neutral::success) return rc;
  }
  return neutral::success;
}

/// No MPI may have a lower MPI_TAG_UB (MPI-4.1 9.1.2).
inline constexpr int least_tag_bound = 32767;

/// MPI's own attributes. The values keep their addresses, which the program may have stored.
struct predefined_attributes {
  int tag_ub = 0, host = 0, io = 0, wtime_is_global = 0, universe_size = 0, appnum = 0;
  bool has[6] = {};
  bool tag_ub_was_read = false;        // by the program: it may use tags up to this bound
};
inline predefined_attributes& world_attributes() noexcept {
  static predefined_attributes values;
  return values;
}

/// Asks the live MPI once, in MPI_Init.
inline void init_attributes() noexcept {
  predefined_attributes& p = world_attributes();
  int* const values[] = {&p.tag_ub, &p.host, &p.io, &p.wtime_is_global, &p.universe_size, &p.appnum};
  const lower::services& s = *lower::the_bridge().service;
  for (int which = 0; which < 6; ++which) {
    int flag = 0;
    std::int64_t value = 0;
    const int rc = lower::cross([&] { return s.world_attribute(which, &flag, &value); });
    p.has[which] = rc == neutral::success && flag != 0;
    *values[which] = static_cast<int>(value);
  }
  p.host = app::app_rank(p.host);
  p.io = app::app_rank(p.io);
  p.wtime_is_global = 0;      // each process continues its own clock across restarts
}

/// The tag bound of the live MPI, for messages of the wrappers themselves. It may be another one after a restart.
inline std::int64_t live_tag_bound() noexcept {
  constexpr int live_tag_ub = 6;
  int known = 0;
  std::int64_t bound = 0;
  const lower::services& s = *lower::the_bridge().service;
  lower::cross([&] { return s.world_attribute(live_tag_ub, &known, &bound); });
  return known != 0 ? bound : least_tag_bound;
}

/// out: address of the value of a predefined key, nullptr without a value; *known: it is such a key
inline int* predefined_attribute(int number, bool* known) noexcept {
  predefined_attributes& p = world_attributes();
  *known = true;
  switch (number) {
    case MPI_TAG_UB: p.tag_ub_was_read = true; return p.has[0] ? &p.tag_ub : nullptr;
    case MPI_HOST: return p.has[1] ? &p.host : nullptr;
    case MPI_IO: return p.has[2] ? &p.io : nullptr;
    case MPI_WTIME_IS_GLOBAL: return &p.wtime_is_global;
    case MPI_UNIVERSE_SIZE: return p.has[4] ? &p.universe_size : nullptr;
    case MPI_APPNUM: return p.has[5] ? &p.appnum : nullptr;
    case MPI_LASTUSEDCODE: return app::errors().last_used();
    default: *known = false; return nullptr;
  }
}

inline MPI_Comm comm_handle(const vid::entry<kind::comm>& e) noexcept {
  if (&e == &comms().world) return MPI_COMM_WORLD;
  if (&e == &comms().self) return MPI_COMM_SELF;
  return app::from_virt<kind::comm>(vid::table<kind::comm>().id_of(e));
}

/// For the constructors and destructors of communicators. out: neutral error class
inline int copy_attributes(const vid::entry<kind::comm>& from, vid::entry<kind::comm>& to) noexcept {
  return copy_all_attributes(from.what.attributes, to.what.attributes, kind_code::comm, comm_handle(from));
}
inline int delete_attributes(vid::entry<kind::comm>& e, MPI_Comm handle) noexcept {
  return remove_all_attributes(e.what.attributes, kind_code::comm, handle);
}

/// INV-88: the attributes of a predefined communicator end in MPI_Finalize, the last set first. If a delete function
/// fails, MPICH continues with the others; Open MPI does not call them.
inline void end_attributes(vid::entry<kind::comm>& e, MPI_Comm handle) noexcept {
  attribute_list*& list = e.what.attributes;
  while (list != nullptr && !list->items.empty()) {
    const int key = list->items.back().key;
    if (remove_attribute(*list, kind_code::comm, handle, key) == neutral::success) continue;
    if constexpr (family::failing_delete_ends_finalize) return;
    list->remove(key);
  }
}

/// MPI_COMM_DUP_FN and its like.
template <class Handle>
inline int copy_address(Handle, int, void*, void* from, void* to, int* flag) noexcept {
  *flag = 1;
  std::memcpy(to, &from, sizeof from);
  return MPI_SUCCESS;
}
/// MPI_COMM_DUP_FN may be a number, which is no address of a function: in the standard ABI it is.
template <class Handle, class... A>
inline auto callable(int (*copy)(Handle, A...)) noexcept {
  constexpr std::uintptr_t duplicates = 1;
  return reinterpret_cast<std::uintptr_t>(copy) == duplicates ? &copy_address<Handle> : copy;
}

template <class Fn, class Copy, class Remove>
inline int create_key(kind_code object, Copy* copy, Remove* remove, int* number, void* extra) noexcept {
  if (number == nullptr) return fail(Fn::id, neutral::err_arg, "null pointer");
  const std::lock_guard hold(app::cold_lock());
  *number = attribute_keys().insert({object, reinterpret_cast<void (*)()>(callable(copy)), reinterpret_cast<void (*)()>(remove), extra, 0, false});
  return MPI_SUCCESS;
}
/// As in both MPIs, a copy of the number may be freed again while an attribute still uses the key.
template <class Fn>
inline int free_key(kind_code object, int* number) noexcept {
  attribute_key* const key = number != nullptr ? attribute_keys().find(*number, object) : nullptr;
  if (key == nullptr)
    return fail(Fn::id, neutral::err_keyval, "not a key of the program for this kind of object");
  const std::lock_guard hold(app::cold_lock());
  attribute_keys().free(*key);
  *number = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

/// in: value: a pointer, or from Fortran a number (std::int64_t)
template <class Fn, class Value>
inline int set_comm_attribute(MPI_Comm comm, int number, Value value) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok) return raise(MPI_COMM_NULL, Fn::id, neutral::err_comm, nullptr);
  const int rc = put_attribute(c.e->what.attributes, kind_code::comm, comm, {number, value});
  return rc == neutral::success ? MPI_SUCCESS : raise(comm, Fn::id, rc, "attribute key");
}
/// Calls store(pointer, bits) if there is a value: the pointer is for C, the bits for Fortran.
template <class Fn, class Store>
inline int get_comm_attribute(MPI_Comm comm, int number, int* flag, Store&& store) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok) return raise(MPI_COMM_NULL, Fn::id, neutral::err_comm, nullptr);
  bool predefined = false;
  int* const value = predefined_attribute(number, &predefined);
  if (predefined) {
    *flag = value != nullptr;
    if (value != nullptr) store(value, *value);
    return MPI_SUCCESS;
  }
  if (attribute_keys().find(number, kind_code::comm) == nullptr)
    return raise(comm, Fn::id, neutral::err_keyval, "attribute key");
  const attribute* const a = c.e->what.attributes != nullptr ? c.e->what.attributes->find(number) : nullptr;
  *flag = a != nullptr;
  if (a != nullptr) store(a->value, a->bits());
  return MPI_SUCCESS;
}
template <class Fn>
inline int get_comm_pointer(MPI_Comm comm, int number, void* out, int* flag) noexcept {
  return get_comm_attribute<Fn>(comm, number, flag,
                                [out](void* value, std::int64_t) { std::memcpy(out, &value, sizeof value); });
}
template <class Fn>
inline int delete_comm_attribute(MPI_Comm comm, int number) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok) return raise(MPI_COMM_NULL, Fn::id, neutral::err_comm, nullptr);
  if (attribute_keys().find(number, kind_code::comm) == nullptr)
    return raise(comm, Fn::id, neutral::err_keyval, "attribute key");
  if (c.e->what.attributes == nullptr || c.e->what.attributes->find(number) == nullptr)
    return raise(comm, Fn::id, neutral::err_other, "the communicator has no such attribute");
  const int rc = remove_attribute(*c.e->what.attributes, kind_code::comm, comm, number);
  return rc == neutral::success ? MPI_SUCCESS : raise(comm, Fn::id, rc, "delete function of the attribute");
}

}  // namespace mana::object

namespace mana::manual {

inline int comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove, int* number,
                              void* extra) noexcept {
  return object::create_key<fn::comm_create_keyval>(kind_code::comm, copy, remove, number, extra);
}
inline int type_create_keyval(MPI_Type_copy_attr_function* copy, MPI_Type_delete_attr_function* remove, int* number,
                              void* extra) noexcept {
  return object::create_key<fn::type_create_keyval>(kind_code::datatype, copy, remove, number, extra);
}
inline int win_create_keyval(MPI_Win_copy_attr_function* copy, MPI_Win_delete_attr_function* remove, int* number,
                             void* extra) noexcept {
  return object::create_key<fn::win_create_keyval>(kind_code::win, copy, remove, number, extra);
}
inline int keyval_create(MPI_Copy_function* copy, MPI_Delete_function* remove, int* number, void* extra) noexcept {
  return object::create_key<fn::keyval_create>(kind_code::comm, copy, remove, number, extra);
}
inline int comm_free_keyval(int* number) noexcept {
  return object::free_key<fn::comm_free_keyval>(kind_code::comm, number);
}
inline int type_free_keyval(int* number) noexcept {
  return object::free_key<fn::type_free_keyval>(kind_code::datatype, number);
}
inline int win_free_keyval(int* number) noexcept {
  return object::free_key<fn::win_free_keyval>(kind_code::win, number);
}
inline int keyval_free(int* number) noexcept { return object::free_key<fn::keyval_free>(kind_code::comm, number); }

inline int comm_set_attr(MPI_Comm comm, int number, void* value) noexcept {
  return object::set_comm_attribute<fn::comm_set_attr>(comm, number, value);
}
inline int attr_put(MPI_Comm comm, int number, void* value) noexcept {
  return object::set_comm_attribute<fn::attr_put>(comm, number, value);
}
inline int comm_get_attr(MPI_Comm comm, int number, void* value, int* flag) noexcept {
  return object::get_comm_pointer<fn::comm_get_attr>(comm, number, value, flag);
}
inline int attr_get(MPI_Comm comm, int number, void* value, int* flag) noexcept {
  return object::get_comm_pointer<fn::attr_get>(comm, number, value, flag);
}
inline int comm_delete_attr(MPI_Comm comm, int number) noexcept {
  return object::delete_comm_attribute<fn::comm_delete_attr>(comm, number);
}
inline int attr_delete(MPI_Comm comm, int number) noexcept {
  return object::delete_comm_attribute<fn::attr_delete>(comm, number);
}

/// The copy functions that mpi.h declares: the wrapper library exports them under its names.
template <class Handle>
inline int dup_fn(Handle, int, void*, void* value_in, void* value_out, int* flag) noexcept {
  std::memcpy(value_out, &value_in, sizeof value_in);
  *flag = 1;
  return MPI_SUCCESS;
}
template <class Handle>
inline int null_copy_fn(Handle, int, void*, void*, void*, int* flag) noexcept {
  *flag = 0;
  return MPI_SUCCESS;
}
template <class Handle>
inline int null_delete_fn(Handle, int, void*, void*) noexcept { return MPI_SUCCESS; }

}  // namespace mana::manual
