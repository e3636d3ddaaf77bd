// What a class of MPI objects says of itself, once, in its folder in object/. What concerns all classes is a loop over them
// (object/classes.hpp).
#pragma once
#include <mana/core/kind.hpp>
#include <mana/lower/neutral.hpp>

namespace mana {

/// Facts of a class, beside its descriptor:
///   static constexpr int error                 neutral error class of a handle that is none of this class
///   static constexpr lower::counted counted    where its number stands in an image's inventory
///   static constexpr bool follows_thread_level their calls come one by one, unless MPI_THREAD_MULTIPLE was asked for. Not
///                                              those of functions that may be called before MPI_Init
template <class K> struct class_facts;

/// What the class does at a checkpoint and at a restart. A class that does nothing is not specialised. Any of:
///   static int complete(drain::progress&)      before messages are drained, time and again
///                                              out: operations under way that all members have begun
///   static void hold(drain::progress&)         no message is sent any more: what the live MPI has found becomes mana's own
///   static int look(drain::progress&)          at each turn of the drain: receives what has come
///                                              out: operations under way that have to complete
///   static void describe(drain::sentence&)     adds what the drain waits for
///   static bool is_counted(const entry<K>&)    whether the inventory counts it; each is where this is missing
///   static void rebuild()                      at a restart: real handles of the new lower half, from descriptors
/// In all of them memory comes from mmap: they may have interrupted malloc.
template <class K> struct object_class {};

/// Kinds of objects, in an order. What loops over classes takes a list of them, so a test can add one of its own.
template <class... K>
struct class_list {
  static constexpr unsigned codes = ((1u << static_cast<unsigned>(K::code)) | ...);
};

/// Calls f(K{}) for each kind of the list.
template <class... K, class F>
inline void for_each_of(class_list<K...>, F&& f) noexcept {
  (f(K{}), ...);
}
/// Calls f(object_class<K>{}).
template <class Classes, class F>
inline void for_each_class(F&& f) noexcept {
  for_each_of(Classes{}, [&]<class K>(K) { f(object_class<K>{}); });
}
/// Calls f(K{}, class_facts<K>{}).
template <class Classes, class F>
inline void for_each_kind(F&& f) noexcept {
  for_each_of(Classes{}, [&]<class K>(K) { f(K{}, class_facts<K>{}); });
}

}  // namespace mana
