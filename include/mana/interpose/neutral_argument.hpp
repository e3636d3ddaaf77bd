// One argument of a call, translated for the boundary. The constructor translates, under the upper half's thread
// pointer; value() only passes the result.
#pragma once
#include <mana/app/argument.hpp>
#include <mana/call/function.hpp>
#include <mana/object/request/pool.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <utility>

namespace mana::interpose {

/// An array that the call has translated already.
struct translated_array {
  const void* given = nullptr;
  int members = 0;
  real<kind::datatype>* reals = nullptr;
};

/// The input of a translation: the program's value, the number of members for arrays over ranks, and another array of
/// the same call. For an array that outlives the call it also has how many entries the live MPI may read then; 0: no
/// array does.
template <class A>
struct given {
  A value;
  int members;
  int read_later;
  translated_array* other = nullptr;
};

/// The type on the boundary of a plain value. An mpi.h chooses among C types of equal width for MPI_Aint, MPI_Count and
/// MPI_Offset; arrays of them cross as arrays of int64_t.
template <class A>
struct neutral_number {
  using type = A;
};
template <class T>
  requires(std::is_integral_v<T> && sizeof(T) > sizeof(int))
struct neutral_number<T*> {
  static_assert(sizeof(T) == sizeof(std::int64_t) && std::is_signed_v<T>, "an array of such numbers must be copied");
  using type = std::conditional_t<std::is_const_v<T>, const std::int64_t*, std::int64_t*>;
};

/// Passed as it is: counts, displacements, plain values, pointers to them.
template <class Param, class A>
class neutral_argument {
 public:
  using type = typename neutral_number<A>::type;
  explicit neutral_argument(given<A> g) noexcept : given_((type)g.value) {}
  int error() const noexcept { return neutral::success; }
  type value() const noexcept { return given_; }
  type for_request(real<kind::request>*) const noexcept { return given_; }

 private:
  type given_;
};

template <dir D, class A>
class neutral_argument<param<kind::buffer, D, false>, A> {
 public:
  explicit neutral_argument(given<A> g) noexcept : given_(const_cast<void*>(app::neutral_buffer(g.value))) {}
  int error() const noexcept { return neutral::success; }
  void* value() const noexcept { return given_; }
  void* for_request(real<kind::request>*) const noexcept { return given_; }

 private:
  void* given_;
};

template <dir D, class A>
class neutral_argument<param<kind::rank, D, false>, A> {
 public:
  explicit neutral_argument(given<A> g) noexcept : given_(app::neutral_rank(g.value)) {}
  int error() const noexcept { return neutral::success; }
  int value() const noexcept { return given_; }
  int for_request(real<kind::request>*) const noexcept { return given_; }

 private:
  int given_;
};

/// A handle that is an input.
template <class K, class A>
class handle_in {
 public:
  [[gnu::always_inline]] explicit handle_in(given<A> g) noexcept : found_(resolve<K>(g.value)) {}
  int error() const noexcept { return found_.ok ? int{neutral::success} : class_facts<K>::error; }
  real<K> value() const noexcept { return found_.real; }
  real<K> for_request(real<kind::request>*) const noexcept { return found_.real; }

 private:
  resolved<K> found_;
};
/// It has its own constructor: an inherited one would be called out of line, and would find the handle in memory.
template <class A>
class neutral_argument<param<kind::comm, dir::in, false>, A> : public handle_in<kind::comm, A> {
 public:
  [[gnu::always_inline]] explicit neutral_argument(given<A> g) noexcept : handle_in<kind::comm, A>(g) {}
};
template <class A>
class neutral_argument<param<kind::op, dir::in, false>, A> : public handle_in<kind::op, A> {
 public:
  [[gnu::always_inline]] explicit neutral_argument(given<A> g) noexcept : handle_in<kind::op, A>(g) {}
};
/// Datatypes that are not significant at this rank (a root's, beside MPI_IN_PLACE) may be anything. An unknown handle
/// is passed as the null type, and the live MPI reports it where it is significant.
template <class A>
class neutral_argument<param<kind::datatype, dir::in, false>, A> {
 public:
  explicit neutral_argument(given<A> g) noexcept : real_(real_or_null(g.value)) {}
  int error() const noexcept { return neutral::success; }
  real<kind::datatype> value() const noexcept { return real_; }
  real<kind::datatype> for_request(real<kind::request>*) const noexcept { return real_; }
  static real<kind::datatype> real_or_null(app::handle<kind::datatype> given) noexcept {
    const resolved<kind::datatype> found = resolve<kind::datatype>(given);
    // As numbers: g++ 12 chooses between two classes in memory.
    return real<kind::datatype>(found.ok ? found.real.bits() : lower::predefined(neutral::datatype_null).bits());
  }

 private:
  real<kind::datatype> real_;
};

/// Arrays of datatypes (the ...w collectives): one for each member of the communicator, or for each neighbour. The live
/// MPI may read them until the operation is complete, so a non-blocking one takes ownership with keep(). If one array
/// is given twice, it is passed as one: MPICH recognises a buffer that is used twice by the addresses of all arguments
/// that belong to it.
template <class A>
class neutral_argument<param<kind::datatype, dir::in, true>, A> {
 public:
  explicit neutral_argument(given<A> g) noexcept {
    const int members = g.members;
    if (g.value == nullptr) return;
    if (g.other != nullptr && g.other->given == g.value && g.other->members == members) {
      reals_ = g.other->reals;
      return;
    }
    const int room = std::max({members, g.read_later, 1});
    reals_ = room <= few && g.read_later == 0
                 ? inline_
                 : static_cast<real<kind::datatype>*>(std::malloc(sizeof(*reals_) * static_cast<std::size_t>(room)));
    if (reals_ == nullptr) { error_ = neutral::err_no_mem; return; }
    if (reals_ != inline_) owned_ = reals_;
    if (g.other != nullptr) *g.other = {g.value, members, reals_};
    for (int i = 0; i < members; ++i)
      reals_[i] = neutral_argument<param<kind::datatype, dir::in, false>, A>::real_or_null(g.value[i]);
    for (int i = members; i < room; ++i) reals_[i] = lower::predefined(neutral::byte);
  }
  neutral_argument(const neutral_argument&) = delete;
  neutral_argument& operator=(const neutral_argument&) = delete;
  ~neutral_argument() { std::free(owned_); }
  int error() const noexcept { return error_; }
  const real<kind::datatype>* value() const noexcept { return reals_; }
  const real<kind::datatype>* for_request(real<kind::request>*) const noexcept { return reals_; }
  void keep(descriptor<kind::request>& request) noexcept {
    if (owned_ != nullptr) object::own_memory(request, std::exchange(owned_, nullptr));
  }

 private:
  static constexpr int few = 64;
  real<kind::datatype> inline_[few];
  real<kind::datatype>* reals_ = nullptr;
  real<kind::datatype>* owned_ = nullptr;
  int error_ = neutral::success;
};

/// The started operation owns what this argument allocated.
template <class Argument>
inline void keep_for(Argument& argument, descriptor<kind::request>& request) noexcept {
  if constexpr (requires { argument.keep(request); }) argument.keep(request);
}

/// The request of a non-blocking collective: the lower half writes the real one straight into the entry.
template <class A>
class neutral_argument<param<kind::request, dir::out, false>, A> {
 public:
  explicit neutral_argument(given<A>) noexcept {}
  int error() const noexcept { return neutral::success; }
  real<kind::request>* for_request(real<kind::request>* where) const noexcept { return where; }
};

}  // namespace mana::interpose
