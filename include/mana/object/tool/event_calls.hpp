// Events of MPI_T. No MPI that this was tried with has any (MPICH 4.0: 0 events, 0 sources). So their numbers and names
// are forwarded, and nothing can be registered.
#pragma once
#include <mana/call/declared.hpp>
#include <mana/object/tool/categories.hpp>

#if defined(MANA_DECLARES_MPI_T_event_get_num)

namespace mana::object {

/// Checks the number of one of `count` things, none of which is supported.
/// out: err_t_invalid_index for a number out of range, else err_t_not_supported
template <class Fn, class Count>
inline int tool_of_number(int number) noexcept {
  return tool_call<Fn>([number] {
    int count = 0;
    const int rc = tool_below<Count>(&count);
    if (rc != neutral::success) return rc;
    return number < 0 || number >= count ? int{neutral::err_t_invalid_index} : int{neutral::err_t_not_supported};
  });
}
template <class Fn>
inline int no_such_event() noexcept {
  return tool_call<Fn>([] { return int{neutral::err_t_invalid_handle}; });
}

}  // namespace mana::object

namespace mana::manual {

inline int t_event_get_num(int* n) noexcept { return object::tool_forward<fn::t_event_get_num>(n); }
inline int t_event_get_index(const char* name, int* index) noexcept {
  return object::tool_forward<fn::t_event_get_index>(name, index);
}
inline int t_source_get_num(int* n) noexcept { return object::tool_forward<fn::t_source_get_num>(n); }
inline int t_source_get_timestamp(int index, MPI_Count* timestamp) noexcept {
  std::int64_t now = 0;
  const int rc = object::tool_forward<fn::t_source_get_timestamp>(index, &now);
  if (rc == MPI_SUCCESS) object::give(timestamp, now);
  return rc;
}
inline int t_category_get_num_events(int index, int* n) noexcept {
  return object::tool_call<fn::t_category_get_num_events>([=] {
    return object::tool_below<fn::t_category_get_num_events>(object::numbers().live_category(index), n); });
}
inline int t_category_get_events(int index, int n, int* out) noexcept {
  return object::tool_call<fn::t_category_get_events>([=] {
    return object::tool_below<fn::t_category_get_events>(object::numbers().live_category(index), n, out); });
}

inline int t_event_get_info(int index, char*, int*, int*, MPI_Datatype*, MPI_Aint*, int*, MPI_T_enum*, MPI_Info*, char*,
                            int*, int*) noexcept {
  return object::tool_of_number<fn::t_event_get_info, fn::t_event_get_num>(index);
}
inline int t_event_handle_alloc(int index, void*, MPI_Info, MPI_T_event_registration*) noexcept {
  return object::tool_of_number<fn::t_event_handle_alloc, fn::t_event_get_num>(index);
}
inline int t_source_get_info(int index, char*, int*, char*, int*, MPI_T_source_order*, MPI_Count*, MPI_Count*,
                             MPI_Info*) noexcept {
  return object::tool_of_number<fn::t_source_get_info, fn::t_source_get_num>(index);
}

#define MANA_NO_EVENT(name) \
  template <class... Ignored> inline int name(Ignored...) noexcept { return object::no_such_event<fn::name>(); }
MANA_NO_EVENT(t_event_callback_get_info)
MANA_NO_EVENT(t_event_callback_set_info)
MANA_NO_EVENT(t_event_copy)
MANA_NO_EVENT(t_event_get_source)
MANA_NO_EVENT(t_event_get_timestamp)
MANA_NO_EVENT(t_event_handle_free)
MANA_NO_EVENT(t_event_handle_get_info)
MANA_NO_EVENT(t_event_handle_set_info)
MANA_NO_EVENT(t_event_read)
MANA_NO_EVENT(t_event_register_callback)
MANA_NO_EVENT(t_event_set_dropped_handler)
#undef MANA_NO_EVENT

}  // namespace mana::manual

#endif
