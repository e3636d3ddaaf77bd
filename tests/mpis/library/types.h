/* The part of the toy's mpi.h that is written by hand; make_library.py adds predefined handles, error classes and functions. */
#ifndef TOY_MPI
#define TOY_MPI 1
#define MPI_VERSION 3
#define MPI_SUBVERSION 1

#ifdef __cplusplus
extern "C" {
#endif

typedef struct toy_comm* MPI_Comm;
typedef struct toy_group* MPI_Group;
typedef struct toy_request* MPI_Request;
typedef struct toy_op* MPI_Op;
typedef struct toy_datatype* MPI_Datatype;
typedef struct toy_errhandler* MPI_Errhandler;
typedef struct toy_info* MPI_Info;
typedef struct toy_message* MPI_Message;
typedef struct toy_win* MPI_Win;
typedef struct toy_file* MPI_File;
typedef struct toy_cvar* MPI_T_cvar_handle;
typedef struct toy_pvar* MPI_T_pvar_handle;
typedef struct toy_pvar_session* MPI_T_pvar_session;
typedef struct toy_enum* MPI_T_enum;
typedef long MPI_Aint;
typedef long long MPI_Count, MPI_Offset;
typedef int MPI_Fint;
typedef struct {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR, toy_cancelled;
  long long toy_bytes;
} MPI_Status;
typedef struct {
  MPI_Fint MPI_SOURCE, MPI_TAG, MPI_ERROR, rest[3];
} MPI_F08_status;

typedef int MPI_Comm_copy_attr_function(MPI_Comm, int, void*, void*, void*, int*);
typedef int MPI_Comm_delete_attr_function(MPI_Comm, int, void*, void*);
typedef int MPI_Type_copy_attr_function(MPI_Datatype, int, void*, void*, void*, int*);
typedef int MPI_Type_delete_attr_function(MPI_Datatype, int, void*, void*);
typedef int MPI_Win_copy_attr_function(MPI_Win, int, void*, void*, void*, int*);
typedef int MPI_Win_delete_attr_function(MPI_Win, int, void*, void*);
typedef MPI_Comm_copy_attr_function MPI_Copy_function;
typedef MPI_Comm_delete_attr_function MPI_Delete_function;
typedef void MPI_Comm_errhandler_function(MPI_Comm*, int*, ...);
typedef void MPI_Win_errhandler_function(MPI_Win*, int*, ...);
typedef void MPI_File_errhandler_function(MPI_File*, int*, ...);
typedef MPI_Comm_errhandler_function MPI_Handler_function, MPI_Comm_errhandler_fn;
typedef MPI_Win_errhandler_function MPI_Win_errhandler_fn;
typedef MPI_File_errhandler_function MPI_File_errhandler_fn;
typedef void MPI_User_function(void*, void*, int*, MPI_Datatype*);
typedef int MPI_Grequest_query_function(void*, MPI_Status*);
typedef int MPI_Grequest_free_function(void*);
typedef int MPI_Grequest_cancel_function(void*, int);
typedef int MPI_Datarep_conversion_function(void*, MPI_Datatype, int, void*, MPI_Offset, void*);
typedef int MPI_Datarep_extent_function(MPI_Datatype, MPI_Aint*, void*);

#define MPI_SUCCESS 0
#define MPI_ERR_LASTCODE 127
#define MPI_ANY_SOURCE (-1)
#define MPI_PROC_NULL (-2)
#define MPI_ROOT (-3)
#define MPI_ANY_TAG (-1)
#define MPI_UNDEFINED (-32766)
#define MPI_BOTTOM ((void*)0)
#define MPI_IN_PLACE ((void*)1)
#define MPI_UNWEIGHTED ((int*)10)
#define MPI_WEIGHTS_EMPTY ((int*)11)
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_STATUSES_IGNORE ((MPI_Status*)0)
#define MPI_ERRCODES_IGNORE ((int*)0)
#define MPI_ARGV_NULL ((char**)0)
#define MPI_ARGVS_NULL ((char***)0)
#define MPI_C_COMPLEX MPI_C_FLOAT_COMPLEX      /* a second name */
#define MPI_WIN_NULL_COPY_FN ((MPI_Win_copy_attr_function*)0)
#define MPI_T_CVAR_HANDLE_NULL ((MPI_T_cvar_handle)0)
#define MPI_T_ENUM_NULL ((MPI_T_enum)0)
#define MPI_T_PVAR_HANDLE_NULL ((MPI_T_pvar_handle)0)
#define MPI_T_PVAR_ALL_HANDLES ((MPI_T_pvar_handle)1)
#define MPI_T_PVAR_SESSION_NULL ((MPI_T_pvar_session)0)
extern MPI_Fint *MPI_F_STATUS_IGNORE, *MPI_F_STATUSES_IGNORE;

enum { MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE };
enum { MPI_IDENT, MPI_CONGRUENT, MPI_SIMILAR, MPI_UNEQUAL };
enum { MPI_GRAPH = 1, MPI_CART, MPI_DIST_GRAPH };
enum { MPI_KEYVAL_INVALID = 0, MPI_TAG_UB = 501, MPI_IO, MPI_HOST, MPI_WTIME_IS_GLOBAL, MPI_APPNUM, MPI_LASTUSEDCODE,
       MPI_UNIVERSE_SIZE, MPI_WIN_BASE = 601, MPI_WIN_SIZE, MPI_WIN_DISP_UNIT, MPI_WIN_CREATE_FLAVOR, MPI_WIN_MODEL };
enum { MPI_WIN_FLAVOR_CREATE = 1, MPI_WIN_FLAVOR_ALLOCATE, MPI_WIN_FLAVOR_DYNAMIC, MPI_WIN_FLAVOR_SHARED };
enum { MPI_WIN_SEPARATE = 1, MPI_WIN_UNIFIED };
enum { MPI_LOCK_EXCLUSIVE = 234, MPI_LOCK_SHARED };
enum { MPI_MODE_NOCHECK = 1024, MPI_MODE_NOSTORE = 2048, MPI_MODE_NOPUT = 4096, MPI_MODE_NOPRECEDE = 8192, MPI_MODE_NOSUCCEED = 16384 };
enum { MPI_ORDER_C = 12, MPI_ORDER_FORTRAN = 15 };
enum { MPI_DISTRIBUTE_NONE = 16, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG };
enum { MPI_TYPECLASS_INTEGER = 192, MPI_TYPECLASS_REAL, MPI_TYPECLASS_COMPLEX };
enum { MPI_COMBINER_NAMED = 101, MPI_COMBINER_DUP, MPI_COMBINER_CONTIGUOUS, MPI_COMBINER_VECTOR, MPI_COMBINER_HVECTOR,
       MPI_COMBINER_INDEXED, MPI_COMBINER_HINDEXED, MPI_COMBINER_INDEXED_BLOCK, MPI_COMBINER_HINDEXED_BLOCK,
       MPI_COMBINER_STRUCT, MPI_COMBINER_SUBARRAY, MPI_COMBINER_DARRAY, MPI_COMBINER_F90_REAL, MPI_COMBINER_F90_COMPLEX,
       MPI_COMBINER_F90_INTEGER, MPI_COMBINER_RESIZED };
enum { MPI_MAX_OBJECT_NAME = 128, MPI_MAX_PROCESSOR_NAME = 256, MPI_MAX_ERROR_STRING = 512, MPI_MAX_INFO_KEY = 255,
       MPI_MAX_INFO_VAL = 1024, MPI_MAX_PORT_NAME = 1024, MPI_MAX_LIBRARY_VERSION_STRING = 256, MPI_BSEND_OVERHEAD = 128 };
