# The names of the functions of fortran.cpp and fortran_calls.cpp in Open MPI's Fortran library: a compiler's names for
# mpif.h in lower and upper case, the names of C and of mpi_f08, PMPI's of all these, and the name by which its mpi_f08
# library calls the function. x: of an extension, mpix_
#include <mana/gen/declared.hpp>
#include <mana/mpis/openmpi/fortran_lists.hpp>

    .macro names lower, upper, mixed, x=, X=
    .irp name, mpi\x\()_\lower, mpi\x\()_\lower\()_, mpi\x\()_\lower\()__, MPI\X\()_\upper, MPI\X\()_\mixed\()_f, \
               MPI\X\()_\mixed\()_f08, pmpi\x\()_\lower, pmpi\x\()_\lower\()_, pmpi\x\()_\lower\()__, \
               PMPI\X\()_\upper, PMPI\X\()_\mixed\()_f, PMPI\X\()_\mixed\()_f08, ompi\x\()_\lower\()_f
    .globl \name
    .type \name, @function
\name:
    .endr
    .endm
    .macro entry lower, upper, mixed
    .hidden mana_fortran_\lower
    names \lower, \upper, \mixed
    jmp mana_fortran_\lower
    .endm
    .macro call_of_mpifh lower, upper, mixed, x=, X=
    .hidden mana_mpifh_\lower
    names \lower, \upper, \mixed, \x, \X
    jmp *mana_mpifh_\lower(%rip)
    .endm

# Functions that the mpi_f08 library of Open MPI 6 has of its own, where it does not call those of mpif.h.
    .macro name_in_f08 lower, large=
    .globl ompi_\lower\()_wrapper_f08\large
    .type ompi_\lower\()_wrapper_f08\large, @function
ompi_\lower\()_wrapper_f08\large:
    .endm
    .macro entry_of_f08 lower
    .hidden mana_fortran_\lower
    name_in_f08 \lower
    jmp mana_fortran_\lower
    .endm
    .macro call_of_f08 lower, large=
    .hidden mana_f08_\lower\large
    name_in_f08 \lower, \large
    jmp *mana_f08_\lower\large(%rip)
    .endm

# Functions of Open MPI's C library that Fortran programs use directly, under a compiler's names; callbacks also under
# their own.
    .macro function lower, upper, target
    .hidden mana_fortran_\target
    .irp name, mpi_\lower, mpi_\lower\()_, mpi_\lower\()__, MPI_\upper
    .globl \name
    .type \name, @function
\name:
    .endr
    jmp mana_fortran_\target
    .endm
    .macro callback lower, upper, target
    .globl ompi_\lower\()_f
    .type ompi_\lower\()_f, @function
ompi_\lower\()_f:
    function \lower, \upper, \target
    .endm

    .text
    callback dup_fn, DUP_FN, copy_int
    callback null_copy_fn, NULL_COPY_FN, copy_nothing
    callback null_delete_fn, NULL_DELETE_FN, remove_nothing
    callback comm_dup_fn, COMM_DUP_FN, copy_address
    callback comm_null_copy_fn, COMM_NULL_COPY_FN, copy_nothing
    callback comm_null_delete_fn, COMM_NULL_DELETE_FN, remove_nothing
    callback type_dup_fn, TYPE_DUP_FN, copy_address
    callback type_null_copy_fn, TYPE_NULL_COPY_FN, copy_nothing
    callback type_null_delete_fn, TYPE_NULL_DELETE_FN, remove_nothing
    callback win_dup_fn, WIN_DUP_FN, copy_address
    callback win_null_copy_fn, WIN_NULL_COPY_FN, copy_nothing
    callback win_null_delete_fn, WIN_NULL_DELETE_FN, remove_nothing

# For files, which this library refuses.
    .irp name, mpi_conversion_fn_null, mpi_conversion_fn_null_, mpi_conversion_fn_null__, MPI_CONVERSION_FN_NULL, \
               mpi_conversion_fn_null_f
    .globl \name
    .type \name, @function
\name:
    .endr
    ret

    function wtime_f90, WTIME_F90, wtime
    function wtick_f90, WTICK_F90, wtick
    function aint_add_f90, AINT_ADD_F90, aint_add
    function aint_diff_f90, AINT_DIFF_F90, aint_diff

#define CALL_OF_MPIFH(lower, upper, mixed) call_of_mpifh lower, upper, mixed;
    MANA_CALLS_OF_MPIFH(CALL_OF_MPIFH)
    MANA_PERSISTENT_CALLS_OF_MPIFH(CALL_OF_MPIFH)
#if defined(MANA_DECLARES_MPIX_Alltoallw_init)
    call_of_mpifh alltoallw_init, ALLTOALLW_INIT, Alltoallw_init, x, X
#endif
#define CALL_OF_F08(lower, mixed, flow) call_of_f08 lower;
#define LARGE_CALL_OF_F08(lower, mixed, flow) call_of_f08 lower, _c;
    MANA_SIZED_CALLS_OF_F08(CALL_OF_F08)
    MANA_SMALL_CALLS_OF_F08(CALL_OF_F08)
    MANA_LARGE_CALLS_OF_F08(LARGE_CALL_OF_F08)

    entry attr_get, ATTR_GET, Attr_get
    entry attr_put, ATTR_PUT, Attr_put
    entry comm_get_attr, COMM_GET_ATTR, Comm_get_attr
    entry comm_set_attr, COMM_SET_ATTR, Comm_set_attr
    entry grequest_start, GREQUEST_START, Grequest_start
    entry group_difference, GROUP_DIFFERENCE, Group_difference
    entry group_excl, GROUP_EXCL, Group_excl
    entry group_incl, GROUP_INCL, Group_incl
    entry group_intersection, GROUP_INTERSECTION, Group_intersection
    entry group_range_excl, GROUP_RANGE_EXCL, Group_range_excl
    entry group_range_incl, GROUP_RANGE_INCL, Group_range_incl
    entry group_union, GROUP_UNION, Group_union
    entry info_get, INFO_GET, Info_get
    entry info_get_nthkey, INFO_GET_NTHKEY, Info_get_nthkey
#if defined(MANA_DECLARES_MPI_Info_get_string)
    entry info_get_string, INFO_GET_STRING, Info_get_string
#endif
    entry op_create, OP_CREATE, Op_create
#if defined(MANA_DECLARES_MPI_Parrived)
    entry parrived, PARRIVED, Parrived
#endif
    entry request_free, REQUEST_FREE, Request_free
    entry test, TEST, Test
    entry testall, TESTALL, Testall
    entry testany, TESTANY, Testany
    entry testsome, TESTSOME, Testsome
    entry type_get_attr, TYPE_GET_ATTR, Type_get_attr
    entry type_match_size, TYPE_MATCH_SIZE, Type_match_size
    entry type_set_attr, TYPE_SET_ATTR, Type_set_attr
    entry wait, WAIT, Wait
    entry waitall, WAITALL, Waitall
    entry_of_f08 testany
    entry_of_f08 waitall
#if defined(MANA_DECLARES_MPI_Request_get_status_all)
    entry_of_f08 request_get_status_all
    entry_of_f08 request_get_status_any
    entry_of_f08 request_get_status_some
#endif
    entry waitany, WAITANY, Waitany
    entry waitsome, WAITSOME, Waitsome
    entry win_get_attr, WIN_GET_ATTR, Win_get_attr
    entry win_set_attr, WIN_SET_ATTR, Win_set_attr
    .section .note.GNU-stack, "", @progbits
