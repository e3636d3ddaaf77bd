// The objects that a blocking call keeps alive while it waits.
#pragma once
#include <mana/call/library.hpp>
#include <mana/object/comm/life.hpp>
#include <mana/object/datatype/descriptor.hpp>

namespace mana::object {

/// Keeps the objects of a blocking call: under MPI_THREAD_MULTIPLE another thread may free them while the call waits.
class blocking_hold {
 public:
  [[gnu::always_inline]] explicit blocking_hold(vid::entry<kind::comm>* comm,
                                                vid::entry<kind::datatype>* type = nullptr) noexcept
      : comm_(comm), type_(type) {
    if (call::library().callers == turns::at_once) [[unlikely]] take();
  }
  [[gnu::always_inline]] ~blocking_hold() {
    if (call::library().callers == turns::at_once) [[unlikely]] give_up(comm_, type_);
  }
  blocking_hold(const blocking_hold&) = delete;
  blocking_hold& operator=(const blocking_hold&) = delete;

 private:
  void take() const noexcept {
    keep_comm(*comm_);
    if (type_ != nullptr) count_up(type_->references, turns::at_once);
  }
  [[gnu::noinline, gnu::cold]] static void give_up(vid::entry<kind::comm>* comm,
                                                   vid::entry<kind::datatype>* type) noexcept {
    let_go_of_comm(*comm);
    if (type != nullptr) release_datatype(vid::table<kind::datatype>().id_of(*type).bits());
  }
  vid::entry<kind::comm>* comm_;
  vid::entry<kind::datatype>* type_;
};

}  // namespace mana::object
