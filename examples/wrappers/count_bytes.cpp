// A tool: how many bytes each rank has moved on each communicator, whatever function moved them. A communicator is named by its
// ggid, which all members and every later run compute alike.
#include <mana/mana.hpp>

#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <tuple>

namespace {

struct traffic {
  std::uint64_t calls = 0, bytes = 0;
};
std::map<std::uint64_t, traffic> by_ggid;
std::mutex turn;

/// The first argument of this kind; Fn says which that is.
template <class Fn, class Kind, class... A>
auto argument(A... args) {
  return std::get<mana::interpose::position_of<Kind, typename Fn::params::as_tuple>()>(std::tuple<A...>(args...));
}

/// What the program hands over, then the call itself. Handles are the program's: mana::resolve() finds what is known of them.
template <class Fn, class... A>
int counted(A... args) {
  const auto comm = mana::resolve<mana::kind::comm>(argument<Fn, mana::kind::comm>(args...));
  int size = 0;
  mana::wrapped<mana::fn::type_size>(argument<Fn, mana::kind::datatype>(args...), &size);
  if (comm.ok) {
    const std::lock_guard hold(turn);
    traffic& on = by_ggid[comm.e->what.everyone->ggid];
    on.calls += 1;
    on.bytes += static_cast<std::uint64_t>(argument<Fn, mana::kind::count>(args...)) * static_cast<std::uint64_t>(size);
  }
  return mana::wrapped<Fn>(args...);
}

}  // namespace

extern "C" {

#define MANA_CALL(id, name, parameters, arguments) \
  int name parameters { return counted<mana::fn::id> arguments; }
#include <mana/gen/message_calls.h>
#undef MANA_CALL

int MPI_Finalize() {
  int rank = 0;
  mana::wrapped<mana::fn::comm_rank>(MPI_COMM_WORLD, &rank);
  for (const auto& [ggid, on] : by_ggid)
    std::fprintf(stderr, "rank %d: communicator %016llx: %llu calls, %llu bytes\n", rank, static_cast<unsigned long long>(ggid),
                 static_cast<unsigned long long>(on.calls), static_cast<unsigned long long>(on.bytes));
  return mana::wrapped<mana::fn::finalize>();
}
}
