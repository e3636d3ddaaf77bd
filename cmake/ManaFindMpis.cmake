# The MPIs that mana is built for, as their own compiler commands say (codegen/mpi_compiler.py).
#   MANA_MPICC      the compiler commands; empty: for each family the one that is found, MANA_MPICC_<family>
#   MANA_LIVE_MPIS  names of the MPIs that programs can run over: the family's for its first, <family>-<version> for another.
#                   Each has an interface target mana_mpi_<name>: include directories and libraries
#   MANA_MPIS       families of those: the program's ABIs. The first MPI of a family has the family's name, and gives mpi.h
#                   to the wrapper library and to the tests
# Of each name: MANA_LIVE_FAMILY_<name>; MANA_VERSION_<name>; MANA_MPIRUN_<name>, the launcher beside the compiler command,
# empty if none is there; MANA_RUN_DIRECTORIES_<name>, where the loader finds its libraries if it does not without.
set(MANA_MPICC "" CACHE STRING "compiler commands (mpicc) of the MPIs, with semicolons between; empty: every MPI that is found")
set(mana_compilers "${MANA_MPICC}")
if(NOT mana_compilers)
  foreach(family IN LISTS MANA_FAMILIES)
    find_program(MANA_MPICC_${family} NAMES ${MANA_FAMILY_${family}_MPICC} DOC "compiler wrapper of this MPI")
    if(MANA_MPICC_${family})
      list(APPEND mana_compilers ${MANA_MPICC_${family}})
    endif()
  endforeach()
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/codegen/mpi_compiler.py)
execute_process(COMMAND ${MANA_PYTHON} ${PROJECT_SOURCE_DIR}/codegen/mpi_compiler.py --facts ${PROJECT_BINARY_DIR}/families.json
  --cmake ${PROJECT_BINARY_DIR}/mpis.cmake ${mana_compilers} ERROR_VARIABLE said RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${said}")
endif()
include(${PROJECT_BINARY_DIR}/mpis.cmake)
foreach(family IN LISTS MANA_FAMILIES)
  if(NOT family IN_LIST MANA_MPIS)
    set(MANA_MPICC_${family} "")
    message(STATUS "${family}: no ${MANA_FAMILY_${family}_MPICC}; its lower half and its wrapper library are not built")
  endif()
endforeach()

foreach(mpi IN LISTS MANA_LIVE_MPIS)
  set(family ${MANA_LIVE_FAMILY_${mpi}})
  add_library(mana_mpi_${mpi} INTERFACE)
  target_include_directories(mana_mpi_${mpi} SYSTEM INTERFACE ${MANA_INCLUDES_${mpi}})
  target_link_directories(mana_mpi_${mpi} INTERFACE ${MANA_DIRECTORIES_${mpi}})
  target_link_libraries(mana_mpi_${mpi} INTERFACE ${MANA_LIBRARIES_${mpi}})
  target_compile_definitions(mana_mpi_${mpi} INTERFACE MANA_MPI_${family} ${MANA_FAMILY_${family}_DEFINITIONS})
  if(MANA_FAMILY_${family}_OPTIONS)
    target_compile_options(mana_mpi_${mpi} INTERFACE ${MANA_FAMILY_${family}_OPTIONS})
  endif()
  # Versions of a family differ in their functions: <mana/gen/declared.hpp> has those of this mpi.h.
  set(directory ${PROJECT_BINARY_DIR}/mpi_${mpi})
  list(TRANSFORM MANA_INCLUDES_${mpi} PREPEND -I OUTPUT_VARIABLE includes)
  list(TRANSFORM MANA_FAMILY_${family}_DEFINITIONS PREPEND -D OUTPUT_VARIABLE definitions)
  execute_process(COMMAND ${MANA_PYTHON} ${PROJECT_SOURCE_DIR}/codegen/declared.py ${directory}/mana/gen/declared.hpp --
    ${CMAKE_CXX_COMPILER} ${includes} ${definitions} ${MANA_FAMILY_${family}_OPTIONS} COMMAND_ERROR_IS_FATAL ANY)
  target_include_directories(mana_mpi_${mpi} SYSTEM INTERFACE ${directory})
  message(STATUS "${mpi}: ${MANA_FAMILY_${family}_LONG_NAME} ${MANA_VERSION_${mpi}}, ${MANA_MPICC_${mpi}}")
endforeach()

# MANA_STAND_INS_<family>: sonames of its other C libraries, which programs may need besides the first.
foreach(family IN LISTS MANA_MPIS)
  set(MANA_STAND_INS_${family} "")
  foreach(soname IN LISTS MANA_FAMILY_${family}_FURTHER_SONAMES)
    find_library(file NAMES ${soname} HINTS ${MANA_DIRECTORIES_${family}} NO_CACHE)
    if(file)
      execute_process(COMMAND ${CMAKE_READELF} -d ${file} OUTPUT_VARIABLE facts COMMAND_ERROR_IS_FATAL ANY)
      if(facts MATCHES "soname: .${soname}.")
        list(APPEND MANA_STAND_INS_${family} ${soname})
      endif()
    endif()
    unset(file)
  endforeach()
endforeach()
