// Converts between neutral values and the program's mpi.h, with which its wrapper library is compiled.
#pragma once
#include <mana/call/declared.hpp>
#include <mana/call/function.hpp>
#include <mana/core/handle.hpp>
#include <mana/lower/neutral.hpp>
#include <mana/lower/without_meaning.hpp>
#include <mana/vid/code_map.hpp>

#include <mana/gen/app_predefined.hpp>
#include <mana/gen/family.hpp>

#include <mpi.h>

#include <type_traits>

namespace mana::app {

template <class K> struct handle_type;
template <> struct handle_type<kind::comm> { using type = MPI_Comm; };
template <> struct handle_type<kind::group> { using type = MPI_Group; };
template <> struct handle_type<kind::request> { using type = MPI_Request; };
template <> struct handle_type<kind::op> { using type = MPI_Op; };
template <> struct handle_type<kind::datatype> { using type = MPI_Datatype; };
template <> struct handle_type<kind::errhandler> { using type = MPI_Errhandler; };
template <> struct handle_type<kind::info> { using type = MPI_Info; };
template <> struct handle_type<kind::message> { using type = MPI_Message; };
template <> struct handle_type<kind::win> { using type = MPI_Win; };
#if defined(MANA_DECLARES_MPI_Session_init)
template <> struct handle_type<kind::session> { using type = MPI_Session; };
#endif
template <class K> using handle = typename handle_type<K>::type;

template <class Handle>
inline std::uint64_t handle_bits(Handle h) noexcept {
  if constexpr (std::is_pointer_v<Handle>) return reinterpret_cast<std::uint64_t>(h);
  else return static_cast<std::uint32_t>(h);
}
template <class Handle>
inline Handle handle_of_bits(std::uint64_t bits) noexcept {
  if constexpr (std::is_pointer_v<Handle>) return reinterpret_cast<Handle>(bits);
  else return static_cast<Handle>(bits);
}

/// The virtual id in a handle. If the bits are none of a virtual id (a pointer to a predefined object), the result is
/// not well formed.
template <class K>
inline virt<K> to_virt(handle<K> h) noexcept {
  const std::uint64_t bits = handle_bits(h);
  return virt<K>((bits >> 32) == 0 ? static_cast<std::uint32_t>(bits) : 0);
}
/// The same test as to_virt(h).well_formed(), in one comparison.
template <class K>
inline bool may_be_virt(handle<K> h) noexcept {
  return handle_bits(h) >> 27 == (0x10u | static_cast<std::uint32_t>(K::code));
}
template <class K>
inline handle<K> from_virt(virt<K> id) noexcept { return handle_of_bits<handle<K>>(id.bits()); }

template <class K>
inline constinit vid::code_map predefined{};

template <class K>
inline std::uint32_t predefined_code(handle<K> h) noexcept { return predefined<K>.code(handle_bits(h)); }
/// The program's handle of a neutral code of kind K.
template <class K>
inline handle<K> predefined_handle(std::uint32_t code) noexcept {
  return handle_of_bits<handle<K>>(predefined<K>.bits(code));
}

inline constexpr int class_limit = 1024;
static_assert(greatest_error_class() < class_limit, "this mpi.h numbers its classes higher: raise class_limit");
inline constexpr int neutral_class_limit = 1024;
struct class_tables {
  int app_of[neutral_class_limit];
  int neutral_of[class_limit];   // indexed by the program's class
};
inline constinit class_tables classes{};

/// The program's code of a neutral class. A negative value is a code that the program itself added: a callback reports
/// it, and it passes through the wrappers negated.
inline int error_code(int neutral_class) noexcept {
  if (neutral_class < neutral::success) return -neutral_class;
  if (neutral_class == neutral::success) return MPI_SUCCESS;
  const int known = neutral_class > 0 && neutral_class < neutral_class_limit ? classes.app_of[neutral_class] : 0;
  return known != 0 ? known : MPI_ERR_UNKNOWN;
}
/// The reverse; err_unknown for a value that is no class of the program's mpi.h.
inline int neutral_error(int app_class) noexcept {
  if (app_class == MPI_SUCCESS) return neutral::success;
  const int known = app_class > 0 && app_class < class_limit ? classes.neutral_of[app_class] : 0;
  return known != 0 ? known : int{neutral::err_unknown};
}

inline void init_classes() noexcept {
  for_each_predefined_error([](int neutral_class, int value, const char*) {
    if (value <= 0 || value >= class_limit) return;
    classes.app_of[neutral_class] = value;
    classes.neutral_of[value] = neutral_class;
  });
  // An error class that this mpi.h lacks is replaced by the nearest one that it has.
  constexpr int substitutes[][2] = {{neutral::err_errhandler, neutral::err_arg},
                                    {neutral::err_session, neutral::err_arg},
                                    {neutral::err_t_not_accessible, neutral::err_t_not_initialized},
                                    {neutral::err_t_not_supported, neutral::err_t_invalid}};
  for (const auto& [missing, instead] : substitutes)
    if (classes.app_of[missing] == 0) classes.app_of[missing] = classes.app_of[instead];
}

/// Adds the predefined handles of these kinds. If this mpi.h has no handles of a kind, or no object of it
/// can be made, that kind adds none.
template <class Kinds>
inline void add_predefined() noexcept {
  for_each_of(Kinds{}, []<class K>(K) {
    if constexpr (requires { typename handle_type<K>::type; })
      for_each_predefined(K{},
                          [](unsigned code, handle<K> h, const char*) { predefined<K>.add(code, handle_bits(h)); });
  });
}

/// Call it once, before any other function here: in some mpi.h only the dynamic linker knows the handles' addresses.
inline void init_predefined() noexcept {
  add_predefined<predefined_kinds>();
  family::for_each_own_errhandler(
      [](unsigned code, MPI_Errhandler h) { predefined<kind::errhandler>.add(code, handle_bits(h)); });
  init_classes();
}

/// A constant whose value mpi.h chooses; K is its kind. A value that no table has passes unchanged.
template <class K>
inline int app_constant(int neutral_value) noexcept {
  int found = neutral_value;
  for_each_predefined(K{}, [&](int code, int value, const char*) { if (code == neutral_value) found = value; });
  return found;
}
template <class K>
inline int neutral_constant(int app_value) noexcept {
  int found = app_value;
  for_each_predefined(K{}, [&](int code, int value, const char*) { if (value == app_value) found = code; });
  return found;
}

inline const void* neutral_buffer(const void* address) noexcept {
  return address == MPI_IN_PLACE ? reinterpret_cast<const void*>(neutral::in_place) : address;
}
inline void* neutral_buffer(void* address) noexcept {
  return address == MPI_IN_PLACE ? reinterpret_cast<void*>(neutral::in_place) : address;
}

inline int neutral_rank(int rank) noexcept {
  if (rank >= 0) [[likely]] return rank;
  switch (rank) {
    case MPI_ANY_SOURCE: return neutral::any_source;
    case MPI_PROC_NULL: return neutral::proc_null;
    case MPI_ROOT: return neutral::root;
    default: return neutral::without_meaning(rank);
  }
}
inline int app_rank(int rank) noexcept {
  if (rank >= 0) [[likely]] return rank;
  switch (rank) {
    case neutral::any_source: return MPI_ANY_SOURCE;
    case neutral::proc_null: return MPI_PROC_NULL;
    case neutral::root: return MPI_ROOT;
    default: return rank + neutral::meaningless;
  }
}
inline int neutral_tag(int tag) noexcept {
  if (tag >= 0) [[likely]] return tag;
  return tag == MPI_ANY_TAG ? neutral::any_tag : neutral::without_meaning(tag);
}
inline int app_tag(int tag) noexcept {
  if (tag >= 0) [[likely]] return tag;
  return tag == neutral::any_tag ? MPI_ANY_TAG : tag + neutral::meaningless;
}
/// Translates both with one test, since most values need no translation.
[[gnu::always_inline]] inline neutral::envelope neutral_envelope(int rank, int tag) noexcept {
  if ((rank | tag) >= 0) [[likely]] return {rank, tag};
  return {neutral_rank(rank), neutral_tag(tag)};
}
[[gnu::always_inline]] inline neutral::envelope app_envelope(int rank, int tag) noexcept {
  if ((rank | tag) >= 0) [[likely]] return {rank, tag};
  return {app_rank(rank), app_tag(tag)};
}
static_assert(MPI_UNDEFINED == neutral::undefined, "passed as it is");

inline int thread_level(int level) noexcept { return app_constant<kind::thread_level>(level); }
inline int neutral_thread_level(int level) noexcept { return neutral_constant<kind::thread_level>(level); }

/// in: out  not one of the ignored statuses. MPI_ERROR is left alone: calls with one status do not set it.
inline void store_status(MPI_Status* out, const neutral::status& s) noexcept {
  const neutral::envelope from = app_envelope(s.source, s.tag);
  out->MPI_SOURCE = from.rank;
  out->MPI_TAG = from.tag;
  family::set_count(*out, s.count_bytes, s.cancelled);
}
/// The status of a null or inactive request (MPI-4.0, 3.7.3). Only here do calls with one status set MPI_ERROR.
inline void store_empty(MPI_Status* out) noexcept {
  store_status(out, {neutral::any_source, neutral::any_tag, neutral::success, 0, 0});
  out->MPI_ERROR = MPI_SUCCESS;
}
inline neutral::status load_status(const MPI_Status* in) noexcept {
  const neutral::envelope from = neutral_envelope(in->MPI_SOURCE, in->MPI_TAG);
  return {from.rank, from.tag, neutral_error(in->MPI_ERROR), family::cancelled_of(*in), family::count_of(*in)};
}

}  // namespace mana::app
