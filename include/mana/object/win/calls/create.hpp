// MPI_Win_create and its relatives, memory of dynamic windows, MPI_Win_free.
#pragma once
#include <mana/object/attribute/calls.hpp>
#include <mana/object/win/life.hpp>

#include <new>

namespace mana::object {

/// MPI_Win_attach. The live MPI judges the memory.      out: neutral error class
inline int attach_region(win_entry& e, void* base, std::int64_t bytes) noexcept {
  if (e.what.flavor != win_flavor::dynamic) return neutral::err_rma_flavor;
  if (bytes < 0) return neutral::err_size;
  if (!is_of_host(base, bytes)) return neutral::err_base;
  auto* const made = static_cast<attached_region*>(std::malloc(sizeof(attached_region)));
  if (made == nullptr) return neutral::err_no_mem;
  const int rc = lower::cross([&] { return live_mpi().MPI_Win_attach(e.real, base, bytes); });
  if (rc != neutral::success) {
    std::free(made);
    return rc;
  }
  *made = {base, bytes, nullptr};
  attached_region** end = &e.what.attached;
  while (*end != nullptr) end = &(*end)->next;
  *end = made;
  return neutral::success;
}
inline int detach_region(win_entry& e, const void* base) noexcept {
  if (e.what.flavor != win_flavor::dynamic) return neutral::err_rma_flavor;
  attached_region** at = &e.what.attached;
  while (*at != nullptr && (*at)->base != base) at = &(*at)->next;
  if (*at == nullptr) return neutral::err_rma_attach;
  const int rc = lower::cross([&] { return live_mpi().MPI_Win_detach(e.real, base); });
  if (rc == neutral::success) std::free(std::exchange(*at, (*at)->next));
  return rc;
}

/// MPI_Win_free. The handle stays if the window does.
inline int free_win(MPI_Win* win) noexcept {
  using f = fn::win_free;
  call::wrapper_scope scope(f::id);
  win_entry* const e = find_win(*win);
  if (e == nullptr) return raise_win(*win, f::id, neutral::err_win);
  if (const int rc = may_free(e->what.epochs); rc != neutral::success) return raise_win(*win, f::id, rc);
  if (const int rc = remove_all_attributes(e->what.attributes, kind_code::win, *win); rc != neutral::success)
    return raise_win(*win, f::id, rc, "delete function of an attribute");
  const int rc = end_win(scope, *e);
  if (rc == neutral::err_unsupported_operation) return raise_win(*win, f::id, rc, refused_by_clock);
  *win = MPI_WIN_NULL;
  return rc == neutral::success ? MPI_SUCCESS : fail(f::id, rc, nullptr);
}

}  // namespace mana::object

namespace mana::manual {

using object::win_flavor;

#define MANA_WINDOWS(suffix, unit_type)                                                                               \
  inline int win_create##suffix(void* base, MPI_Aint bytes, unit_type unit, MPI_Info info, MPI_Comm comm,             \
                                MPI_Win* win) noexcept {                                                              \
    return object::make_win<fn::win_create##suffix>({win_flavor::create, base, bytes, unit}, info, comm, nullptr, win); \
  }                                                                                                                   \
  inline int win_allocate##suffix(MPI_Aint bytes, unit_type unit, MPI_Info info, MPI_Comm comm, void* base,           \
                                  MPI_Win* win) noexcept {                                                            \
    return object::make_win<fn::win_allocate##suffix>({win_flavor::allocate, nullptr, bytes, unit}, info, comm, base, win); \
  }                                                                                                                   \
  inline int win_allocate_shared##suffix(MPI_Aint bytes, unit_type unit, MPI_Info info, MPI_Comm comm, void* base,    \
                                         MPI_Win* win) noexcept {                                                     \
    return object::make_win<fn::win_allocate_shared##suffix>({win_flavor::shared, nullptr, bytes, unit}, info, comm, base, \
                                                             win);                                                    \
  }
MANA_WINDOWS(, int)
MANA_WINDOWS(_c, MPI_Aint)
#undef MANA_WINDOWS

inline int win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* win) noexcept {
  return object::make_win<fn::win_create_dynamic>({win_flavor::dynamic, MPI_BOTTOM, 0, 1}, info, comm, nullptr, win);
}
inline int win_attach(MPI_Win win, void* base, MPI_Aint bytes) noexcept {
  return object::with_win<fn::win_attach>(win, [=](auto&, object::win_entry& e) {
    return object::attach_region(e, base, bytes); });
}
inline int win_detach(MPI_Win win, const void* base) noexcept {
  return object::with_win<fn::win_detach>(win, [=](auto&, object::win_entry& e) {
    return object::detach_region(e, base); });
}
inline int win_free(MPI_Win* win) noexcept { return object::free_win(win); }

}  // namespace mana::manual
