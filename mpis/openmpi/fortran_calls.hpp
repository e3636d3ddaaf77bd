// Functions of Fortran that do no more than call C's. The description of a function says what each parameter is, and C's
// declaration says its type: so one template makes them all. C's function knows which arguments are significant.
#pragma once
#include <mana/mpis/openmpi/fortran_arguments.hpp>
#include <mana/mpis/openmpi/fortran_section.hpp>

#include <mana/interpose/operands.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

namespace mana::fortran {

/// The way of the data. It says which processes have a significant buffer, and which buffers are one part of an array:
/// others have a part for each process, and are contiguous.
enum class flow { messages, bcast, scatter, gather, allgather, alltoall, reduce, allreduce };

constexpr bool has_root(flow way) noexcept {
  return way == flow::bcast || way == flow::scatter || way == flow::gather || way == flow::reduce;
}
constexpr bool is_one_part(flow way, dir direction) noexcept {
  if (way == flow::messages || way == flow::bcast) return true;
  if (way == flow::scatter) return direction == dir::out;
  return (way == flow::gather || way == flow::allgather) && direction == dir::in;
}

// One argument each. given: its type in Fortran. c, get(): C's argument. give(): after the call, with its error code.

template <class C>
struct value_argument {
  using given = const C*;
  C c;
  value_argument(given from, int) noexcept : c(*from) {}
  C get() noexcept { return c; }
  void give(int) noexcept {}
};

/// An array, or a number that C's function changes.
template <class C>
struct passed_argument {
  using given = C;
  C c;
  passed_argument(given from, int) noexcept : c(from) {}
  C get() noexcept { return c; }
  void give(int) noexcept {}
};

template <class K>
struct handle_argument {
  using given = const fint*;
  app::handle<K> c;
  handle_argument(given from, int) noexcept : c(app::from_fortran<K>(*from)) {}
  app::handle<K> get() noexcept { return c; }
  void give(int) noexcept {}
};

/// A handle that C's function makes.
template <class K>
struct result_argument {
  using given = fint*;
  given to;
  app::handle<K> c{};
  result_argument(given out, int) noexcept : to(out) {}
  app::handle<K>* get() noexcept { return &c; }
  void give(int rc) noexcept {
    if (rc == MPI_SUCCESS) *to = app::to_fortran<K>(c);
  }
};

struct types_argument {
  using given = const fint*;
  datatypes c;
  types_argument(given from, int entries) noexcept : c(entries, from) {}
  const MPI_Datatype* get() noexcept { return c.data(); }
  void give(int) noexcept {}
};

struct status_argument {
  using given = fint*;
  statuses c;
  status_argument(given to, int) noexcept : c(1, to) {}
  MPI_Status* get() noexcept { return c.data(); }
  void give(int) noexcept {}
};

template <class Buffer>
struct buffer_argument {
  using given = typename Buffer::given;
  section c;
  buffer_argument(given from, int) noexcept : c(Buffer::read(from)) {}
  void* get() noexcept { return buffer(c.base); }
  void give(int) noexcept {}
};

template <class K>
concept has_handles = requires { typename app::handle_type<K>::type; };

template <class Param, class C, class Buffer>
consteval auto form_of() {
  using K = typename Param::kind;
  if constexpr (std::is_same_v<K, kind::buffer>) return std::type_identity<buffer_argument<Buffer>>{};
  else if constexpr (std::is_same_v<K, kind::status>) return std::type_identity<status_argument>{};
  else if constexpr (std::is_same_v<K, kind::datatype> && Param::is_array) return std::type_identity<types_argument>{};
  else if constexpr (has_handles<K> && Param::direction == dir::in) return std::type_identity<handle_argument<K>>{};
  else if constexpr (has_handles<K>) return std::type_identity<result_argument<K>>{};
  else if constexpr (std::is_pointer_v<C>) return std::type_identity<passed_argument<C>>{};
  else return std::type_identity<value_argument<C>>{};
}
template <class Param, class C, class Buffer>
using argument = typename decltype(form_of<Param, C, Buffer>())::type;

/// The types of sections, which end with the call: a pending operation keeps what it names.
class made_types {
 public:
  made_types() noexcept = default;
  ~made_types() {
    for (int i = 0; i < n_; ++i) PMPI_Type_free(&all_[i]);
  }
  made_types(const made_types&) = delete;
  made_types& operator=(const made_types&) = delete;
  void add(MPI_Datatype made) noexcept { all_[n_++] = made; }

 private:
  MPI_Datatype all_[2];
  int n_ = 0;
};

template <class Kind, class... P>
inline constexpr bool has_kind = (std::is_same_v<typename P::kind, Kind> || ...);

template <class Fn, flow Flow, class Params, class Function, class Buffer>
class call_of;

template <class Fn, flow Flow, class... P, class... C, class Buffer>
class call_of<Fn, Flow, param_list<P...>, int (*)(C...), Buffer> {
  using params = std::tuple<P...>;
  using arguments = std::tuple<argument<P, C, Buffer>&...>;

  template <std::size_t I, class Kind>
  static consteval bool is(bool array) {
    if constexpr (I >= sizeof...(P)) return false;
    else return std::is_same_v<typename std::tuple_element_t<I, params>::kind, Kind> &&
                std::tuple_element_t<I, params>::is_array == array;
  }

  /// Whether the buffer that this process gives, or gets, is significant here.
  static bool is_significant([[maybe_unused]] dir direction, [[maybe_unused]] const arguments& all) noexcept {
    if constexpr (has_root(Flow)) {
      const MPI_Comm comm = std::get<interpose::position_of<kind::comm, params>()>(all).c;
      const int rank = std::get<interpose::position_of<kind::rank, params>()>(all).c;
      int has_other_group = 0, own_rank = 0;
      if (PMPI_Comm_test_inter(comm, &has_other_group) != MPI_SUCCESS) return false;
      PMPI_Comm_rank(comm, &own_rank);
      const bool is_root = has_other_group != 0 ? rank == MPI_ROOT : rank == own_rank;
      if (direction == (Flow == flow::scatter ? dir::in : dir::out)) return is_root;
      return has_other_group == 0 || rank >= 0 || (direction == dir::inout && is_root);
    }
    return true;
  }

  template <std::size_t I>
  static int describe_one([[maybe_unused]] const arguments& all, [[maybe_unused]] made_types& made) noexcept {
    if constexpr (is<I, kind::buffer>(false)) {
      const section& given = std::get<I>(all).c;
      constexpr dir direction = std::tuple_element_t<I, params>::direction;
      if (given.parts == nullptr || !is_significant(direction, all)) return MPI_SUCCESS;
      if constexpr (is_one_part(Flow, direction) && is<I + 1, kind::count>(false) && is<I + 2, kind::datatype>(false)) {
        auto& type = std::get<I + 2>(all).c;
        const int rc = describe(given, std::get<I + 1>(all).c, type);
        if (rc == MPI_SUCCESS) made.add(type);
        return rc;
      }
      return MPI_ERR_INTERN;      // as Open MPI, which describes no others
    }
    return MPI_SUCCESS;
  }
  template <std::size_t... I>
  [[gnu::cold]] static int describe_all(const arguments& all, made_types& made, std::index_sequence<I...>) noexcept {
    int rc = MPI_SUCCESS;
    ((rc = rc == MPI_SUCCESS ? describe_one<I>(all, made) : rc), ...);
    return rc;
  }

  template <class Argument>
  static bool is_section([[maybe_unused]] const Argument& given) noexcept {
    if constexpr (std::is_same_v<Argument, buffer_argument<Buffer>>) return given.c.parts != nullptr;
    return false;
  }

  static void call_handler(const arguments& all, int rc) noexcept {
    if constexpr (has_kind<kind::comm, P...>)
      PMPI_Comm_call_errhandler(std::get<interpose::position_of<kind::comm, params>()>(all).c, rc);
    else
      PMPI_Win_call_errhandler(std::get<interpose::position_of<kind::win, params>()>(all).c, rc);
  }

  template <auto Function>
  static void go(fint* ierr, argument<P, C, Buffer>&&... a) noexcept {
    made_types made;
    if ((is_section(a) || ...)) [[unlikely]] {
      const arguments all(a...);
      if (const int rc = describe_all(all, made, std::index_sequence_for<P...>{}); rc != MPI_SUCCESS) {
        answer(ierr, rc);
        call_handler(all, rc);
        return;
      }
    }
    const int rc = Function(a.get()...);
    (a.give(rc), ...);
    answer(ierr, rc);
  }

  /// Entries of the arrays of datatypes. In place, the array of what is sent may be anything.
  template <class... G>
  static object::neighbour_counts entries([[maybe_unused]] const G&... given) noexcept {
    object::neighbour_counts found;
    if constexpr (((std::is_same_v<typename P::kind, kind::datatype> && P::is_array) || ...)) {
      const std::tuple<const G&...> all(given...);
      const auto comm = app::from_fortran<kind::comm>(*std::get<interpose::position_of<kind::comm, params>()>(all));
      const resolved<kind::comm> c = resolve<kind::comm>(comm);
      if (c.ok && c.e->what.peers != nullptr) found = interpose::array_members<Fn>(c.e->what);
      if (buffer(Buffer::read(std::get<0>(all)).base) == MPI_IN_PLACE) found.send = 0;
    }
    return found;
  }

 public:
  using function = void (*)(typename argument<P, C, Buffer>::given..., fint*);

  template <auto Function>
  static void call(typename argument<P, C, Buffer>::given... given, fint* ierr) noexcept {
    const object::neighbour_counts members = entries(given...);
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      go<Function>(ierr, argument<P, C, Buffer>(given, interpose::entries_at<params, I>(members))...);
    }(std::index_sequence_for<P...>{});
  }
};

/// Fortran's form of C's `Function`, whose tag is Fn.
template <class Fn, auto Function, class Buffer, flow Flow = flow::messages>
using in_fortran = call_of<Fn, Flow, typename Fn::params, std::remove_const_t<decltype(Function)>, Buffer>;

}  // namespace mana::fortran
