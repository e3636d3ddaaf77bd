// Shape `pcollective`: MPI_…_init of persistent collectives. The arguments are recorded. Each start passes them to the
// live MPI's non-blocking collective. So a restart has no requests to make, and the live MPI need not support
// persistent collectives.
#pragma once
#include <mana/interpose/interpose.hpp>
#include <mana/object/op/calls.hpp>
#include <mana/object/request/form/collective/lanes.hpp>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

namespace mana {

namespace object {

/// The real communicator of a start, and where the live MPI stores its request.
struct plan_start {
  real<kind::comm> comm;
  real<kind::request>* request;
};

/// An argument in the form that starts after a restart need. Objects are recorded by name, and the request keeps them,
/// as every request does. value(): that argument of the non-blocking collective, if it has one
template <class Param, class A>
class recorded_argument {
 public:
  explicit recorded_argument(interpose::given<A> g) noexcept : given_(g) {}
  int error() const noexcept { return translated(given_).error(); }
  auto value(const plan_start&) const noexcept { return std::tuple(translated(given_).value()); }

 private:
  using translated = interpose::neutral_argument<Param, A>;
  interpose::given<A> given_;
};

/// An array of counts or displacements, copied where it is significant. mpi4py frees it after the initialisation. The standard
/// asks a program to keep it until the request is freed (MPI-4.0 6.13).
template <class Kind, class T>
  requires(std::is_integral_v<T> && !std::is_same_v<Kind, kind::datatype>)
class recorded_argument<param<Kind, dir::in, true>, const T*> {
 public:
  explicit recorded_argument(interpose::given<const T*> g) noexcept : given_(g) {
    if (g.members <= 0 || g.value == nullptr) return;
    const std::size_t bytes = static_cast<std::size_t>(g.members) * sizeof(T);
    copy_.reset(static_cast<T*>(std::malloc(bytes)));
    if (copy_ == nullptr) return;
    std::memcpy(copy_.get(), g.value, bytes);
    given_.value = copy_.get();
  }
  int error() const noexcept {
    return given_.members <= 0 || given_.value == nullptr || copy_ != nullptr ? int{neutral::success} : int{neutral::err_no_mem};
  }
  auto value(const plan_start&) const noexcept { return std::tuple(translated(given_).value()); }

 private:
  using translated = interpose::neutral_argument<param<Kind, dir::in, true>, const T*>;
  struct freed {
    void operator()(T* array) const noexcept { std::free(array); }
  };
  interpose::given<const T*> given_;
  std::unique_ptr<T, freed> copy_;
};

template <class A>
class recorded_argument<param<kind::comm, dir::in, false>, A> {
 public:
  explicit recorded_argument(interpose::given<A>) noexcept {}
  int error() const noexcept { return neutral::success; }
  std::tuple<real<kind::comm>> value(const plan_start& s) const noexcept { return {s.comm}; }
};

template <class A>
class recorded_argument<param<kind::request, dir::out, false>, A> {
 public:
  explicit recorded_argument(interpose::given<A>) noexcept {}
  int error() const noexcept { return neutral::success; }
  std::tuple<real<kind::request>*> value(const plan_start& s) const noexcept { return {s.request}; }
};

/// Non-blocking collectives have no hints.
template <class A>
class recorded_argument<param<kind::info, dir::in, false>, A> {
 public:
  explicit recorded_argument(interpose::given<A> g) noexcept : ok_(resolve<kind::info>(g.value).ok) {}
  int error() const noexcept { return ok_ ? int{neutral::success} : int{neutral::err_info}; }
  std::tuple<> value(const plan_start&) const noexcept { return {}; }

 private:
  bool ok_;
};

template <class A>
class recorded_argument<param<kind::op, dir::in, false>, A> {
 public:
  explicit recorded_argument(interpose::given<A> g) noexcept {
    const resolved<kind::op> found = resolve<kind::op>(g.value);
    if (found.ok) name_ = name_of(found);
  }
  int error() const noexcept { return name_ != 0 ? int{neutral::success} : int{neutral::err_op}; }
  std::tuple<real<kind::op>> value(const plan_start&) const noexcept { return {real_of<kind::op>(name_)}; }

 private:
  std::uint32_t name_ = 0;
};

/// A datatype's name. A datatype that is not significant may be anything: an unknown one becomes the null type.
inline std::uint32_t name_given(MPI_Datatype handle) noexcept {
  const resolved<kind::datatype> found = resolve<kind::datatype>(handle);
  return found.ok ? name_of(found) : std::uint32_t{neutral::datatype_null};
}

template <class A>
class recorded_argument<param<kind::datatype, dir::in, false>, A> {
 public:
  explicit recorded_argument(interpose::given<A> g) noexcept : name_(name_given(g.value)) {}
  int error() const noexcept { return neutral::success; }
  std::tuple<real<kind::datatype>> value(const plan_start&) const noexcept { return {real_of<kind::datatype>(name_)}; }

 private:
  std::uint32_t name_;
};

/// The live MPI may read the array of real handles until the operation is complete, so the array lies here.
template <class A>
class recorded_argument<param<kind::datatype, dir::in, true>, A> {
 public:
  explicit recorded_argument(interpose::given<A> g) noexcept
      : size_(g.value != nullptr ? static_cast<std::size_t>(std::max(g.members, g.read_later)) : 0) {
    if (size_ == 0) return;
    reals_ = static_cast<real<kind::datatype>*>(std::malloc(size_ * (sizeof *reals_ + sizeof *names_)));
    if (reals_ == nullptr) return;
    names_ = reinterpret_cast<std::uint32_t*>(reals_ + size_);
    for (std::size_t i = 0; i < size_; ++i)
      names_[i] = i < static_cast<std::size_t>(g.members) ? name_given(g.value[i]) : std::uint32_t{neutral::byte};
  }
  recorded_argument(const recorded_argument&) = delete;
  recorded_argument& operator=(const recorded_argument&) = delete;
  ~recorded_argument() { std::free(reals_); }
  int error() const noexcept {
    return size_ == 0 || reals_ != nullptr ? int{neutral::success} : int{neutral::err_no_mem};
  }
  /// Written at each start: the lower half compacts narrow handles in it.
  std::tuple<const real<kind::datatype>*> value(const plan_start&) const noexcept {
    for (std::size_t i = 0; i < size_; ++i) reals_[i] = real_of<kind::datatype>(names_[i]);
    return {reals_};
  }

 private:
  std::size_t size_;
  real<kind::datatype>* reals_ = nullptr;
  std::uint32_t* names_ = nullptr;
};

template <class Kind, class... P>
consteval bool has_kind(std::tuple<P...>*) {
  return (std::is_same_v<typename P::kind, Kind> || ...);
}

/// Entries of the argument at this position if it is an array. Of an array of numbers that is not significant here, which may
/// point anywhere: 0.
template <class Fn, std::size_t At, class... A>
int entries_of(const descriptor<kind::comm>& comm, neighbour_counts members, const std::tuple<A...>& args) noexcept {
  using params = typename Fn::params::as_tuple;
  using P = std::tuple_element_t<At, params>;
  if constexpr (!P::is_array || std::is_same_v<typename P::kind, kind::datatype>) {
    return interpose::entries_at<params, At>(members);
  } else {
    constexpr bool is_of_sent = At < interpose::last_position_of<kind::buffer, params>();
    if constexpr (has_kind<kind::rank>(static_cast<params*>(nullptr))) {
      const int root = std::get<interpose::position_of<kind::rank, params>()>(args);
      if (root != (comm.is_inter() ? MPI_ROOT : comm.ranks->own_rank)) return 0;
    }
    if (is_of_sent && std::get<interpose::position_of<kind::buffer, params>()>(args) == MPI_IN_PLACE) return 0;
    if constexpr (has_kind<kind::op>(static_cast<params*>(nullptr))) return comm.ranks->size;      // MPI_Reduce_scatter
    else return is_of_sent ? members.send : members.recv;
  }
}

template <class Fn, class... A>
class plan_of final : public collective_plan {
 public:
  plan_of(const descriptor<kind::comm>& comm, A... args) noexcept
      : plan_of(comm, interpose::array_members<Fn>(comm), interpose::read_later<Fn>(comm), std::index_sequence_for<A...>{},
                std::tuple<A...>(args...)) {}

  /// The error of the first wrong argument. out: neutral error class
  int error() const noexcept {
    return std::apply([](const auto&... a) {
      int e = 0;
      ((e = e != 0 ? e : a.error()), ...);
      return e;
    }, arguments_);
  }

  int start(real<kind::comm> comm, real<kind::request>* request) noexcept override {
    auto* const slot = lower::the_bridge().mpi->*Fn::slot;
    const plan_start here{comm, request};
    const auto values = std::apply([&](const auto&... a) { return std::tuple_cat(a.value(here)...); }, arguments_);
    return lower::cross([&] { return std::apply(slot, values); });
  }

 private:
  using params = typename Fn::params::as_tuple;

  template <std::size_t... I>
  plan_of(const descriptor<kind::comm>& comm, neighbour_counts members, int later, std::index_sequence<I...>,
          const std::tuple<A...>& args) noexcept
      : arguments_(interpose::given<A>{std::get<I>(args), entries_of<Fn, I>(comm, members, args), later}...) {}

  template <class P>
  struct records;
  template <class... P>
  struct records<std::tuple<P...>> {
    using type = std::tuple<recorded_argument<P, A>...>;
  };
  typename records<params>::type arguments_;
};

}  // namespace object

/// Shape `pcollective`. It is a collective like a constructor on its communicator: the members choose a lane together.
/// args: as in mpi.h
/// errors: as those of call_collective(). The start returns the live MPI's errors about other arguments
template <class Fn, class... A>
inline int initialise_collective(A... args) noexcept {
  using params = typename Fn::params::as_tuple;
  if (interpose::lacks_address<Fn>(std::index_sequence_for<A...>{}, args...))
    return interpose::raise_null_address<Fn>(args...);
  call::wrapper_scope scope(Fn::id);
  const std::tuple<A...> given(args...);
  const auto comm_handle = std::get<interpose::position_of<kind::comm, params>()>(given);
  const resolved<kind::comm> comm = resolve<kind::comm>(comm_handle);
  if (!comm.ok) return raise(MPI_COMM_NULL, Fn::id, neutral::err_comm, "communicator");
  if (lower::the_bridge().mpi->*Fn::slot == nullptr)
    return raise(comm_handle, Fn::id, neutral::err_unsupported_operation, "the MPI library below does not have it");
  object::destroy_ended_lanes();
  descriptor<kind::comm>& on = comm.e->what;
  auto* const plan = new (std::nothrow) object::plan_of<Fn, A...>(on, args...);
  std::unique_ptr<object::lane_list> first_lanes(on.lanes == nullptr ? new (std::nothrow) object::lane_list : nullptr);
  object::request_entry* const request = plan != nullptr && (on.lanes != nullptr || first_lanes != nullptr)
                                           ? object::new_collective(*comm.e) : nullptr;
  if (request == nullptr) {
    delete plan;
    return raise(comm_handle, Fn::id, neutral::err_no_mem, "no memory, or no free request id");
  }
  request->what.state = object::request_stage::inactive;
  request->what.persistent = true;
  const auto give_up = [&](int error, const char* text) {
    delete plan;
    object::free_request(*request);
    return raise(comm_handle, Fn::id, error, text);
  };
  if (const int bad = plan->error(); bad != neutral::success) return give_up(bad, "argument");
  if (interpose::may_name_objects<Fn>(args...)) {
    request->what.keep_more();
    if (interpose::keep_operands<Fn>(request->what.names, on, args...) != neutral::success)
      return give_up(neutral::err_no_mem, "no memory for a list of datatypes");
  }
  if (!object::start_constructor(scope, *on.clock, comm.e))
    return give_up(neutral::err_unsupported_operation, object::refused_by_clock);
  if (on.lanes == nullptr) on.lanes = first_lanes.release();
  object::lane* lane = nullptr;
  if (const int rc = object::find_lane(*comm.e, lane); rc != neutral::success)
    return give_up(rc, "no communicator for it");
  object::take_lane(*plan, *on.lanes, *lane);
  request->what.collective().plan = plan;
  *std::get<interpose::position_of<kind::request, params>()>(given) =
      app::from_virt<kind::request>(vid::table<kind::request>().id_of(*request));
  return MPI_SUCCESS;
}

}  // namespace mana
