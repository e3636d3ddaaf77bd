// Errors of sessions go through the session's error handler. A handle that is none has MPI_COMM_WORLD's.
#pragma once
#include <mana/call/declared.hpp>
#include <mana/object/errhandler/calls.hpp>
#include <mana/object/session/descriptor.hpp>

#if defined(MANA_DECLARES_MPI_Session_init)

namespace mana::object {

using session_entry = vid::entry<kind::session>;

/// out: nullptr for MPI_SESSION_NULL and for a handle that is stale or foreign
inline session_entry* find_session(MPI_Session session) noexcept {
  return vid::table<kind::session>().find(app::to_virt<kind::session>(session));
}

[[gnu::noinline, gnu::cold]] inline int raise_session(MPI_Session session, function_id f, int neutral_class,
                                                      const char* detail) noexcept {
  const session_entry* const s = find_session(session);
  if (s == nullptr) return fail(f, neutral_class, detail);
  return run_errhandler(s->what.errhandler, session, app::error_code(neutral_class), f, detail);
}

}  // namespace mana::object

#endif
