// Info objects. The wrappers answer all calls without the live MPI. Other objects refer to a copy of hints by name:
// bits of a virtual id, 0 for none.
#pragma once
#include <mana/object/errhandler/calls.hpp>
#include <mana/object/info/store.hpp>

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace mana::object {


/// MPI_INFO_ENV: how this process was started.
inline const info_store& environment_hints() noexcept {
  static const info_store hints = [] {
    info_store found;
    char line[MPI_MAX_INFO_VAL];
    FILE* const f = std::fopen("/proc/self/cmdline", "re");
    const std::size_t n = f != nullptr ? std::fread(line, 1, sizeof line - 1, f) : 0;
    if (f != nullptr) std::fclose(f);
    line[n] = '\0';
    const std::string command(line);
    if (!command.empty()) found.set("command", command);
    std::string arguments;
    for (std::size_t at = command.size() + 1; at < n; at += std::strlen(line + at) + 1)
      arguments += (arguments.empty() ? "" : " ") + std::string(line + at);
    if (!arguments.empty()) found.set("argv", arguments);
    found.set("maxprocs", std::to_string(lower::the_bridge().world_size));
    if (gethostname(line, sizeof line) == 0) found.set("host", line);
    return found;
  }();
  return hints;
}

/// out: nullptr for MPI_INFO_NULL and for a handle that is stale or foreign
inline const info_store* hints_of(MPI_Info info) noexcept {
  const resolved<kind::info> found = resolve<kind::info>(info);
  if (!found.ok) return nullptr;
  if (found.e != nullptr) return &found.e->what.pairs;
  return found.predefined_code == neutral::info_env ? &environment_hints() : nullptr;
}
/// As hints_of(), for changes: MPI_INFO_ENV is read-only.
inline info_store* own_hints(MPI_Info info) noexcept {
  const resolved<kind::info> found = resolve<kind::info>(info);
  return found.ok && found.e != nullptr ? &found.e->what.pairs : nullptr;
}

/// out: bits of the new object's id; 0 if all ids are in use
inline std::uint32_t store_hints(const info_store& pairs) noexcept {
  vid::entry<kind::info>* const e = vid::table<kind::info>().insert_entry();
  if (e == nullptr) return 0;
  e->what.pairs = pairs;
  return vid::table<kind::info>().id_of(*e).bits();
}
/// The hints of this name. out: nullptr for 0
inline info_store* hints_named(std::uint32_t name) noexcept {
  vid::entry<kind::info>* const e = vid::table<kind::info>().find(virt<kind::info>(name));
  return e != nullptr ? &e->what.pairs : nullptr;
}
inline void free_info_name(std::uint32_t name) noexcept { vid::table<kind::info>().erase(virt<kind::info>(name)); }

inline constexpr const char* no_info_id = "no free info id";

/// A copy of hints for a new object. It is made before the object, so that a failure has no effect.
class kept_hints {
 public:
  /// in: pairs  nullptr: no hints to keep
  explicit kept_hints(const info_store* pairs) noexcept
      : name_(pairs != nullptr ? store_hints(*pairs) : 0), ok_(pairs == nullptr || name_ != 0) {}
  ~kept_hints() { free_info_name(name_); }
  kept_hints(const kept_hints&) = delete;
  kept_hints& operator=(const kept_hints&) = delete;
  /// False if all ids are in use.
  bool ok() const noexcept { return ok_; }
  /// Stores the copy under this name, and frees the hints that the name had.
  void replace(std::uint32_t& name) noexcept { free_info_name(std::exchange(name, std::exchange(name_, 0u))); }

 private:
  std::uint32_t name_;
  bool ok_;
};

/// A new object of the program, with these hints. pairs: nullptr: none      out: neutral error class
inline int give_hints(const info_store* pairs, MPI_Info* out) noexcept {
  const std::uint32_t made = store_hints(pairs != nullptr ? *pairs : info_store());
  if (made == 0) return neutral::err_no_mem;
  *out = app::from_virt<kind::info>(virt<kind::info>(made));
  return neutral::success;
}
/// The same, as the end of a function whose arguments are only info objects.
inline int make_info(function_id f, const info_store* pairs, MPI_Info* out) noexcept {
  if (out == nullptr) return fail(f, neutral::err_arg, "null pointer");
  const int rc = give_hints(pairs, out);
  return rc == neutral::success ? MPI_SUCCESS : fail(f, rc, no_info_id);
}

inline int fail_info(function_id f) noexcept {
  return fail(f, neutral::err_info, "null, stale or foreign info object");
}

/// out: neutral error class of a key that is null, empty or longer than this mpi.h allows
inline int check_key(const char* key) noexcept {
  if (key == nullptr) return neutral::err_info_key;
  const std::size_t n = std::strlen(key);
  return n == 0 || n > MPI_MAX_INFO_KEY ? int{neutral::err_info_key} : int{neutral::success};
}

/// The frame of look-ups. use(store, key) runs for a valid object and key.
template <class Fn, class Use>
inline int with_key(MPI_Info info, const char* key, Use&& use) noexcept {
  const info_store* const pairs = hints_of(info);
  if (pairs == nullptr) return fail_info(Fn::id);
  if (const int bad = check_key(key); bad != neutral::success)
    return fail(Fn::id, bad, "null, empty or too long a key");
  return use(*pairs);
}

}  // namespace mana::object

namespace mana::manual {

inline int info_create(MPI_Info* info) noexcept {
  return object::make_info(fn::info_create::id, nullptr, info);
}
inline int info_dup(MPI_Info info, MPI_Info* out) noexcept {
  const object::info_store* const pairs = object::hints_of(info);
  if (pairs == nullptr) return object::fail_info(fn::info_dup::id);
  return object::make_info(fn::info_dup::id, pairs, out);
}
inline int info_free(MPI_Info* info) noexcept {
  if (info == nullptr || object::own_hints(*info) == nullptr) return object::fail_info(fn::info_free::id);
  vid::table<kind::info>().erase(*resolve<kind::info>(*info).e);
  *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}
inline int info_set(MPI_Info info, const char* key, const char* value) noexcept {
  object::info_store* const pairs = object::own_hints(info);
  if (pairs == nullptr) return object::fail_info(fn::info_set::id);
  if (const int bad = object::check_key(key); bad != neutral::success)
    return object::fail(fn::info_set::id, bad, "null, empty or too long a key");
  if (value == nullptr || std::strlen(value) > MPI_MAX_INFO_VAL)
    return object::fail(fn::info_set::id, neutral::err_info_value, "null or too long a value");
  pairs->set(key, value);
  return MPI_SUCCESS;
}
inline int info_delete(MPI_Info info, const char* key) noexcept {
  object::info_store* const pairs = object::own_hints(info);
  if (pairs == nullptr) return object::fail_info(fn::info_delete::id);
  if (const int bad = object::check_key(key); bad != neutral::success)
    return object::fail(fn::info_delete::id, bad, "null, empty or too long a key");
  return pairs->remove(key) ? MPI_SUCCESS : object::fail(fn::info_delete::id, neutral::err_info_nokey, key);
}
/// in: length  capacity of value, without the final null      value: char[length + 1]
inline int info_get(MPI_Info info, const char* key, int length, char* value, int* flag) noexcept {
  return object::with_key<fn::info_get>(info, key, [=](const object::info_store& pairs) {
    if (length < 0) return object::fail(fn::info_get::id, neutral::err_arg, "negative length");
    const std::string* const found = pairs.find(key);
    *flag = found != nullptr;
    if (found == nullptr) return MPI_SUCCESS;
    const std::size_t n = std::min(found->size(), static_cast<std::size_t>(length));
    std::memcpy(value, found->data(), n);
    value[n] = '\0';
    return MPI_SUCCESS; });
}
/// inout: *length  in: capacity of value with the final null; out: size of the whole value with it
inline int info_get_string(MPI_Info info, const char* key, int* length, char* value, int* flag) noexcept {
  return object::with_key<fn::info_get_string>(info, key, [=](const object::info_store& pairs) {
    if (length == nullptr || *length < 0)
      return object::fail(fn::info_get_string::id, neutral::err_arg, "negative length");
    const std::string* const found = pairs.find(key);
    *flag = found != nullptr;
    if (found == nullptr) return MPI_SUCCESS;
    if (*length > 0) std::snprintf(value, static_cast<std::size_t>(*length), "%s", found->c_str());
    *length = static_cast<int>(found->size()) + 1;
    return MPI_SUCCESS;
  });
}
inline int info_get_valuelen(MPI_Info info, const char* key, int* length, int* flag) noexcept {
  return object::with_key<fn::info_get_valuelen>(info, key, [=](const object::info_store& pairs) {
    const std::string* const found = pairs.find(key);
    *flag = found != nullptr;
    if (found != nullptr) *length = static_cast<int>(found->size());
    return MPI_SUCCESS; });
}
inline int info_get_nkeys(MPI_Info info, int* n) noexcept {
  const object::info_store* const pairs = object::hints_of(info);
  if (pairs == nullptr) return object::fail_info(fn::info_get_nkeys::id);
  *n = pairs->size();
  return MPI_SUCCESS;
}
inline int info_get_nthkey(MPI_Info info, int n, char* key) noexcept {
  const object::info_store* const pairs = object::hints_of(info);
  if (pairs == nullptr) return object::fail_info(fn::info_get_nthkey::id);
  if (n < 0 || n >= pairs->size())
    return object::fail(fn::info_get_nthkey::id, neutral::err_arg, "no key of that number");
  std::memcpy(key, pairs->key(n).c_str(), pairs->key(n).size() + 1);
  return MPI_SUCCESS;
}
/// The hints of MPI_INFO_ENV, with the given command line.
inline int info_create_env(int argc, char* argv[], MPI_Info* info) noexcept {
  if (info == nullptr) return object::fail(fn::info_create_env::id, neutral::err_arg, "null pointer");
  object::info_store pairs = object::environment_hints();
  if (argc > 0 && argv != nullptr) {
    pairs.set("command", argv[0]);
    std::string arguments;
    for (int i = 1; i < argc; ++i) arguments += (i > 1 ? " " : "") + std::string(argv[i]);
    if (argc > 1) pairs.set("argv", arguments);
  }
  return object::make_info(fn::info_create_env::id, &pairs, info);
}

}  // namespace mana::manual
