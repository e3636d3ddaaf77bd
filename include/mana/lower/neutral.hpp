// Neutral values of the boundary between the halves: those of the MPI 5.0 standard ABI. Each half converts between its
// own mpi.h and these at compile time. Frozen with abi.hpp's abi_version.
// Source: MPI-5.0 chapter 20 (Application Binary Interface), appendix A.
#pragma once
#include <cstdint>

namespace mana::neutral {

inline constexpr int any_source = -1, proc_null = -2, root = -3, any_tag = -1, undefined = -32766;
inline constexpr std::uintptr_t in_place = 1;   // as a buffer address
inline constexpr std::uintptr_t unweighted = 10, weights_empty = 11;   // as an address of weights

/// Status as it crosses the boundary. count_bytes: received bytes; cancelled: 0 or 1.
struct status {
  std::int32_t source, tag, error, cancelled;
  std::int64_t count_bytes;
};
static_assert(sizeof(status) == 24);

/// Neutral codes of predefined handles lie below this; they index bridge::predefined_real.
inline constexpr std::uint32_t predefined_limit = 0x400;

/// comm_hidden: the runtime's own, over all ranks; no program has a handle of it
enum comm_code : std::uint32_t { comm_null = 0x100, comm_world = 0x101, comm_self = 0x102, comm_hidden = 0x103 };
enum group_code : std::uint32_t { group_null = 0x108, group_empty = 0x109 };
enum message_code : std::uint32_t { message_null = 0x128, message_no_proc = 0x129 };
enum info_code : std::uint32_t { info_null = 0x130, info_env = 0x131 };
enum errhandler_code : std::uint32_t {
  errhandler_null = 0x140, errors_are_fatal = 0x141, errors_return = 0x142, errors_abort = 0x143,
  errors_throw = 0x144 };      // MPI::ERRORS_THROW_EXCEPTIONS of C++; the lower half never hears of it
enum request_code : std::uint32_t { request_null = 0x180 };
enum op_code : std::uint32_t {
  op_null = 0x20, sum = 0x21, min = 0x22, max = 0x23, prod = 0x24, band = 0x28, bor = 0x29, bxor = 0x2a,
  land = 0x30, lor = 0x31, lxor = 0x32, minloc = 0x38, maxloc = 0x39, replace = 0x3c, no_op = 0x3d };
enum datatype_code : std::uint32_t { datatype_null = 0x200, packed = 0x207, byte = 0x247, int64 = 0x258 };

/// Error classes by the standard ABI's values; 0 is success. The upper half hands the application its own mpi.h's
/// value of the class.
enum error_class : int {
  success = 0, err_buffer = 1, err_count = 2, err_type = 3, err_tag = 4, err_comm = 5, err_rank = 6, err_request = 7,
  err_root = 8, err_group = 9, err_op = 10, err_topology = 11, err_dims = 12, err_arg = 13, err_unknown = 14,
  err_truncate = 15, err_other = 16, err_intern = 17, err_pending = 18, err_in_status = 19, err_access = 20,
  err_amode = 21, err_assert = 22, err_bad_file = 23, err_base = 24, err_conversion = 25, err_disp = 26,
  err_dup_datarep = 27, err_file_exists = 28, err_file_in_use = 29, err_file = 30, err_info_key = 31,
  err_info_nokey = 32, err_info_value = 33, err_info = 34, err_io = 35, err_keyval = 36, err_locktype = 37,
  err_name = 38, err_no_mem = 39, err_not_same = 40, err_no_space = 41, err_no_such_file = 42, err_port = 43,
  err_proc_aborted = 44, err_quota = 45, err_read_only = 46, err_rma_attach = 47, err_rma_conflict = 48,
  err_rma_range = 49, err_rma_shared = 50, err_rma_sync = 51, err_rma_flavor = 52, err_service = 53,
  err_session = 54, err_size = 55, err_spawn = 56, err_unsupported_datarep = 57, err_unsupported_operation = 58,
  err_win = 59, err_errhandler = 60,
  err_t_cannot_init = 1001, err_t_not_accessible = 1002, err_t_not_initialized = 1003, err_t_not_supported = 1004,
  err_t_memory = 1005, err_t_invalid = 1006, err_t_invalid_index = 1007, err_t_invalid_item = 1008,
  err_t_invalid_session = 1009, err_t_invalid_handle = 1010, err_t_invalid_name = 1011, err_t_out_of_handles = 1012,
  err_t_out_of_sessions = 1013, err_t_cvar_set_not_now = 1014, err_t_cvar_set_never = 1015, err_t_pvar_no_write = 1016,
  err_t_pvar_no_startstop = 1017, err_t_pvar_no_atomic = 1018,
  err_lastcode = 0x3fff };

/// Constants of the tools interface that the wrappers look at.
enum bind_type_code : int {
  bind_no_object = 1, bind_comm = 2, bind_datatype = 3, bind_errhandler = 4, bind_file = 5, bind_group = 6, bind_op = 7,
  bind_request = 8, bind_win = 9, bind_message = 10, bind_info = 11 };
inline constexpr std::uint64_t all_pvar_handles = 1;

}  // namespace mana::neutral
