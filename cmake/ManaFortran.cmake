# Fortran, where a compiler is: MANA_HAS_FORTRAN, and what each MPI's wrapper compiler would say.
include(CheckLanguage)
check_language(Fortran)
set(MANA_HAS_FORTRAN FALSE)
if(CMAKE_Fortran_COMPILER)
  enable_language(Fortran)
  set(MANA_HAS_FORTRAN TRUE)
else()
  message(STATUS "No Fortran compiler: no Fortran programs")
endif()

# MANA_FORTRAN_<mpi>: whether this MPI has a wrapper compiler. mana_fortran_of(mpi target): the target is compiled and linked
# with its words, as by its users.
foreach(mpi IN LISTS MANA_FAMILIES)
  set(MANA_FORTRAN_${mpi} FALSE)
  if(MANA_MPICC AND mpi IN_LIST MANA_MPIS)          # the one beside the compiler command that was named
    get_filename_component(place ${MANA_MPICC_${mpi}} DIRECTORY)
    find_program(MANA_MPIF90_${mpi} NAMES ${MANA_FAMILY_${mpi}_MPIFC} mpif90 NAMES_PER_DIR PATHS ${place} NO_DEFAULT_PATH)
  elseif(MANA_FAMILY_${mpi}_MPIFC)
    find_program(MANA_MPIF90_${mpi} NAMES ${MANA_FAMILY_${mpi}_MPIFC} DOC "Fortran compiler wrapper of ${mpi}")
  endif()
  if(MANA_HAS_FORTRAN AND MANA_MPIF90_${mpi})
    execute_process(COMMAND ${MANA_MPIF90_${mpi}} -show OUTPUT_VARIABLE words COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(words UNIX_COMMAND "${words}")
    set(MANA_FORTRAN_${mpi} TRUE)
    set(MANA_FORTRAN_COMPILE_${mpi} ${words})
    list(FILTER MANA_FORTRAN_COMPILE_${mpi} INCLUDE REGEX "^-I")
    set(MANA_FORTRAN_LINK_${mpi} ${words})
    list(FILTER MANA_FORTRAN_LINK_${mpi} INCLUDE REGEX "^-[Ll]")
  endif()
endforeach()

function(mana_fortran_of mpi target)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:Fortran>:${MANA_FORTRAN_COMPILE_${mpi}}>")
  target_link_libraries(${target} PRIVATE ${MANA_FORTRAN_LINK_${mpi}})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE Fortran
    Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/modules/${target})
endfunction()
