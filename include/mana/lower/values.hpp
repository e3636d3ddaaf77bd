// The values of the boundary, generated from codegen/predefined.toml by codegen/generate.py --values. Frozen with the
// layout's major.
// INV-93 a neutral value is the MPI 5.0 standard ABI's, if that has one (MPI-5.0, appendix A).
#pragma once
#include <cstdint>

namespace mana::neutral {

inline constexpr int any_source = -1, any_tag = -2,
    proc_null = -3, root = -4, undefined = -32766;
inline constexpr std::uintptr_t in_place = 1;       // as a buffer address
inline constexpr std::uintptr_t unweighted = 10, weights_empty = 11;   // as an address of weights
inline constexpr std::uint64_t all_pvar_handles = 1;

enum comm_code : std::uint32_t {
  comm_null = 0x100,
  comm_world = 0x101,
  comm_self = 0x102,
  comm_hidden = 0x103,      // the runtime's own, over all ranks; no program has a handle of it
};

enum group_code : std::uint32_t {
  group_null = 0x108,
  group_empty = 0x109,
};

enum message_code : std::uint32_t {
  message_null = 0x128,
  message_no_proc = 0x129,
};

enum info_code : std::uint32_t {
  info_null = 0x130,
  info_env = 0x131,
};

enum errhandler_code : std::uint32_t {
  errhandler_null = 0x140,
  errors_are_fatal = 0x141,
  errors_abort = 0x142,
  errors_return = 0x143,
  errors_throw = 0x144,     // MPI::ERRORS_THROW_EXCEPTIONS of C++, of the upper half alone
};

enum request_code : std::uint32_t {
  request_null = 0x180,
};

enum op_code : std::uint32_t {
  op_null = 0x20,
  sum = 0x21,
  min = 0x22,
  max = 0x23,
  prod = 0x24,
  band = 0x28,
  bor = 0x29,
  bxor = 0x2a,
  land = 0x30,
  lor = 0x31,
  lxor = 0x32,
  minloc = 0x38,
  maxloc = 0x39,
  replace = 0x3c,
  no_op = 0x3d,
};

enum datatype_code : std::uint32_t {
  datatype_null = 0x200,
  packed = 0x207,
  byte = 0x247,
  int64 = 0x258,
};

enum bind_type_code : int {
  bind_no_object = 1,
  bind_comm = 2,
  bind_datatype = 3,
  bind_errhandler = 4,
  bind_file = 5,
  bind_group = 6,
  bind_op = 7,
  bind_request = 8,
  bind_win = 9,
  bind_message = 10,
  bind_info = 11,
};

enum thread_level_code : int {
  thread_single = 0,
  thread_funneled = 1024,
  thread_serialized = 2048,
  thread_multiple = 4096,
};

enum split_type_code : int {
  comm_type_hw_unguided = 222,
};

/// 0 is success. The upper half translates each class to the value in the program's mpi.h.
enum error_class : int {
  success = 0,
  err_buffer = 1,
  err_count = 2,
  err_type = 3,
  err_tag = 4,
  err_comm = 5,
  err_rank = 6,
  err_request = 7,
  err_root = 8,
  err_group = 9,
  err_op = 10,
  err_topology = 11,
  err_dims = 12,
  err_arg = 13,
  err_unknown = 14,
  err_truncate = 15,
  err_other = 16,
  err_intern = 17,
  err_pending = 18,
  err_in_status = 19,
  err_access = 20,
  err_amode = 21,
  err_assert = 22,
  err_bad_file = 23,
  err_base = 24,
  err_conversion = 25,
  err_disp = 26,
  err_dup_datarep = 27,
  err_file_exists = 28,
  err_file_in_use = 29,
  err_file = 30,
  err_info_key = 31,
  err_info_nokey = 32,
  err_info_value = 33,
  err_info = 34,
  err_io = 35,
  err_keyval = 36,
  err_locktype = 37,
  err_name = 38,
  err_no_mem = 39,
  err_not_same = 40,
  err_no_space = 41,
  err_no_such_file = 42,
  err_port = 43,
  err_quota = 44,
  err_read_only = 45,
  err_rma_attach = 46,
  err_rma_conflict = 47,
  err_rma_range = 48,
  err_rma_shared = 49,
  err_rma_sync = 50,
  err_service = 51,
  err_size = 52,
  err_spawn = 53,
  err_unsupported_datarep = 54,
  err_unsupported_operation = 55,
  err_win = 56,
  err_rma_flavor = 57,
  err_proc_aborted = 58,
  err_value_too_large = 59,
  err_session = 60,
  err_errhandler = 61,
  err_abi = 62,
  err_proc_failed = 901,
  mpix_err_proc_failed = 901,
  err_proc_failed_pending = 902,
  mpix_err_proc_failed_pending = 902,
  err_revoked = 903,
  mpix_err_revoked = 903,
  err_t_cannot_init = 1001,
  err_t_not_accessible = 1002,
  err_t_not_initialized = 1003,
  err_t_not_supported = 1004,
  err_t_memory = 1005,
  err_t_invalid = 1006,
  err_t_invalid_index = 1007,
  err_t_invalid_item = 1008,
  err_t_invalid_session = 1009,
  err_t_invalid_handle = 1010,
  err_t_invalid_name = 1011,
  err_t_out_of_handles = 1012,
  err_t_out_of_sessions = 1013,
  err_t_cvar_set_not_now = 1014,
  err_t_cvar_set_never = 1015,
  err_t_pvar_no_write = 1016,
  err_t_pvar_no_startstop = 1017,
  err_t_pvar_no_atomic = 1018,
  err_lastcode = 0x3fff,
};

struct error_class_row { int code; const char* name; };

/// In ascending order of code.
inline constexpr error_class_row error_classes[] = {
    {success, "MPI_SUCCESS"},
    {err_buffer, "MPI_ERR_BUFFER"},
    {err_count, "MPI_ERR_COUNT"},
    {err_type, "MPI_ERR_TYPE"},
    {err_tag, "MPI_ERR_TAG"},
    {err_comm, "MPI_ERR_COMM"},
    {err_rank, "MPI_ERR_RANK"},
    {err_request, "MPI_ERR_REQUEST"},
    {err_root, "MPI_ERR_ROOT"},
    {err_group, "MPI_ERR_GROUP"},
    {err_op, "MPI_ERR_OP"},
    {err_topology, "MPI_ERR_TOPOLOGY"},
    {err_dims, "MPI_ERR_DIMS"},
    {err_arg, "MPI_ERR_ARG"},
    {err_unknown, "MPI_ERR_UNKNOWN"},
    {err_truncate, "MPI_ERR_TRUNCATE"},
    {err_other, "MPI_ERR_OTHER"},
    {err_intern, "MPI_ERR_INTERN"},
    {err_pending, "MPI_ERR_PENDING"},
    {err_in_status, "MPI_ERR_IN_STATUS"},
    {err_access, "MPI_ERR_ACCESS"},
    {err_amode, "MPI_ERR_AMODE"},
    {err_assert, "MPI_ERR_ASSERT"},
    {err_bad_file, "MPI_ERR_BAD_FILE"},
    {err_base, "MPI_ERR_BASE"},
    {err_conversion, "MPI_ERR_CONVERSION"},
    {err_disp, "MPI_ERR_DISP"},
    {err_dup_datarep, "MPI_ERR_DUP_DATAREP"},
    {err_file_exists, "MPI_ERR_FILE_EXISTS"},
    {err_file_in_use, "MPI_ERR_FILE_IN_USE"},
    {err_file, "MPI_ERR_FILE"},
    {err_info_key, "MPI_ERR_INFO_KEY"},
    {err_info_nokey, "MPI_ERR_INFO_NOKEY"},
    {err_info_value, "MPI_ERR_INFO_VALUE"},
    {err_info, "MPI_ERR_INFO"},
    {err_io, "MPI_ERR_IO"},
    {err_keyval, "MPI_ERR_KEYVAL"},
    {err_locktype, "MPI_ERR_LOCKTYPE"},
    {err_name, "MPI_ERR_NAME"},
    {err_no_mem, "MPI_ERR_NO_MEM"},
    {err_not_same, "MPI_ERR_NOT_SAME"},
    {err_no_space, "MPI_ERR_NO_SPACE"},
    {err_no_such_file, "MPI_ERR_NO_SUCH_FILE"},
    {err_port, "MPI_ERR_PORT"},
    {err_quota, "MPI_ERR_QUOTA"},
    {err_read_only, "MPI_ERR_READ_ONLY"},
    {err_rma_attach, "MPI_ERR_RMA_ATTACH"},
    {err_rma_conflict, "MPI_ERR_RMA_CONFLICT"},
    {err_rma_range, "MPI_ERR_RMA_RANGE"},
    {err_rma_shared, "MPI_ERR_RMA_SHARED"},
    {err_rma_sync, "MPI_ERR_RMA_SYNC"},
    {err_service, "MPI_ERR_SERVICE"},
    {err_size, "MPI_ERR_SIZE"},
    {err_spawn, "MPI_ERR_SPAWN"},
    {err_unsupported_datarep, "MPI_ERR_UNSUPPORTED_DATAREP"},
    {err_unsupported_operation, "MPI_ERR_UNSUPPORTED_OPERATION"},
    {err_win, "MPI_ERR_WIN"},
    {err_rma_flavor, "MPI_ERR_RMA_FLAVOR"},
    {err_proc_aborted, "MPI_ERR_PROC_ABORTED"},
    {err_value_too_large, "MPI_ERR_VALUE_TOO_LARGE"},
    {err_session, "MPI_ERR_SESSION"},
    {err_errhandler, "MPI_ERR_ERRHANDLER"},
    {err_abi, "MPI_ERR_ABI"},
    {err_proc_failed, "MPI_ERR_PROC_FAILED"},
    {mpix_err_proc_failed, "MPIX_ERR_PROC_FAILED"},
    {err_proc_failed_pending, "MPI_ERR_PROC_FAILED_PENDING"},
    {mpix_err_proc_failed_pending, "MPIX_ERR_PROC_FAILED_PENDING"},
    {err_revoked, "MPI_ERR_REVOKED"},
    {mpix_err_revoked, "MPIX_ERR_REVOKED"},
    {err_t_cannot_init, "MPI_T_ERR_CANNOT_INIT"},
    {err_t_not_accessible, "MPI_T_ERR_NOT_ACCESSIBLE"},
    {err_t_not_initialized, "MPI_T_ERR_NOT_INITIALIZED"},
    {err_t_not_supported, "MPI_T_ERR_NOT_SUPPORTED"},
    {err_t_memory, "MPI_T_ERR_MEMORY"},
    {err_t_invalid, "MPI_T_ERR_INVALID"},
    {err_t_invalid_index, "MPI_T_ERR_INVALID_INDEX"},
    {err_t_invalid_item, "MPI_T_ERR_INVALID_ITEM"},
    {err_t_invalid_session, "MPI_T_ERR_INVALID_SESSION"},
    {err_t_invalid_handle, "MPI_T_ERR_INVALID_HANDLE"},
    {err_t_invalid_name, "MPI_T_ERR_INVALID_NAME"},
    {err_t_out_of_handles, "MPI_T_ERR_OUT_OF_HANDLES"},
    {err_t_out_of_sessions, "MPI_T_ERR_OUT_OF_SESSIONS"},
    {err_t_cvar_set_not_now, "MPI_T_ERR_CVAR_SET_NOT_NOW"},
    {err_t_cvar_set_never, "MPI_T_ERR_CVAR_SET_NEVER"},
    {err_t_pvar_no_write, "MPI_T_ERR_PVAR_NO_WRITE"},
    {err_t_pvar_no_startstop, "MPI_T_ERR_PVAR_NO_STARTSTOP"},
    {err_t_pvar_no_atomic, "MPI_T_ERR_PVAR_NO_ATOMIC"},
};

}  // namespace mana::neutral
