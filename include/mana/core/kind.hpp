// Kinds of MPI objects. A kind is a type, so that ids of two kinds never mix, and a small number, which an id carries.
//
// INV-100 a name's namespace is its folder, except for the vocabulary that all folders share.
// Because: the namespace of a name tells its reader where to find it.
// Checked: tests/structure/namespaces.py.
#pragma once
#include <cstdint>

namespace mana {

/// Number of a kind inside a virtual id. Frozen: images and the program's memory contain ids.
/// The value 1 stays unused: MPICH's predefined pair datatypes (0x8c00000n) would read as ids of kind 1.
enum class kind_code : std::uint32_t {
  none = 0, comm = 2, group = 3, request = 4, op = 5, datatype = 6, errhandler = 7,
  info = 8, message = 9, file = 10, win = 11, session = 12, tool = 13,
};

namespace kind {
struct comm       { static constexpr kind_code code = kind_code::comm;       static constexpr const char* name = "communicator"; };
struct group      { static constexpr kind_code code = kind_code::group;      static constexpr const char* name = "group"; };
struct request    { static constexpr kind_code code = kind_code::request;    static constexpr const char* name = "request"; };
struct op         { static constexpr kind_code code = kind_code::op;         static constexpr const char* name = "operation"; };
struct datatype   { static constexpr kind_code code = kind_code::datatype;   static constexpr const char* name = "datatype"; };
struct errhandler { static constexpr kind_code code = kind_code::errhandler; static constexpr const char* name = "error handler"; };
struct info       { static constexpr kind_code code = kind_code::info;       static constexpr const char* name = "info"; };
struct message    { static constexpr kind_code code = kind_code::message;    static constexpr const char* name = "message"; };
struct file       { static constexpr kind_code code = kind_code::file;       static constexpr const char* name = "file"; };
struct win        { static constexpr kind_code code = kind_code::win;        static constexpr const char* name = "window"; };
struct session    { static constexpr kind_code code = kind_code::session;    static constexpr const char* name = "session"; };
/// Handles of the tools interface (MPI_T), of every form.
struct tool       { static constexpr kind_code code = kind_code::tool;       static constexpr const char* name = "tools handle"; };
// Forms of tools handles, which the boundary distinguishes.
struct cvar {};
struct pvar {};        // may be MPI_T_PVAR_ALL_HANDLES
struct pvar_session {};
struct tool_enum {};
}  // namespace kind

}  // namespace mana
