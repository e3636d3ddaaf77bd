// The interface of a class of MPI objects, which the class's folder in object/ defines once. Code for all classes is a
// loop over them (object/classes.hpp).
#pragma once
#include <mana/core/kind.hpp>
#include <mana/lower/neutral.hpp>

namespace mana {

/// Facts of a class, beside its descriptor:
///   static constexpr int error                 neutral error class of a handle that is none of this class
///   static constexpr lower::counted counted    where its number stands in an image's inventory
///   static constexpr bool follows_thread_level their calls come one by one, unless MPI_THREAD_MULTIPLE was asked for.
///                                              It is false if they may be called before MPI_Init
template <class K> struct class_facts;

/// The class's part in a checkpoint and a restart. A class without a part is not specialised. Optional members:
///   static int complete(drain::progress&)      repeatedly, before messages are drained
///                                              out: operations under way that all members have begun
///   static void hold(drain::progress&)         no message is sent after this: takes over what the live MPI has found
///   static int look(drain::progress&)          at each turn of the drain: receives what has come
///                                              out: operations under way that must complete
///   static void describe(drain::sentence&)     adds what the drain waits for
///   static bool is_counted(const entry<K>&)    whether the inventory counts it; without this, it counts all
///   static constexpr bool outside_mpi          rebuild() is called of a process that was saved before MPI_Init, too
///   static void rebuild()                      at a restart: real handles of the new lower half, from descriptors
/// All of them take memory from mmap, because they may have interrupted malloc.
template <class K> struct object_class {};

/// Kinds of objects, in an order. Loops over classes take the list as a parameter, so that a test can add a class of
/// its own.
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
