# MANA_DECLARED_MPIS: the families whose mpi.h is generated, which need not be installed (docs/developer/add-an-mpi.md). mana is
# built for them, and no programs are. Each is an ABI of programs and a live MPI, with what ManaFindMpis says of those.
set(MANA_DECLARED_MPIS "")
option(MANA_BUILD_DECLARED "build also for the families whose mpi.h is generated: the standard ABI" ON)
file(GLOB mana_description CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/codegen/*.py ${PROJECT_SOURCE_DIR}/codegen/*.toml
     ${PROJECT_SOURCE_DIR}/codegen/api/*.toml ${PROJECT_SOURCE_DIR}/templates/declared_mpi.h.j2)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${mana_description})
list(TRANSFORM MANA_EXTRA_FAMILIES PREPEND --family= OUTPUT_VARIABLE mana_more_families)

if(MANA_BUILD_DECLARED)
  set(MANA_DECLARED_MPIS ${MANA_DECLARED_FAMILIES})
endif()
foreach(mpi IN LISTS MANA_DECLARED_MPIS)
  set(directory ${PROJECT_BINARY_DIR}/mpi_${mpi})
  execute_process(COMMAND ${MANA_PYTHON} ${PROJECT_SOURCE_DIR}/codegen/generate.py --declarations ${mpi} ${directory}/include/mpi.h
    ${mana_more_families} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${MANA_PYTHON} ${PROJECT_SOURCE_DIR}/codegen/declared.py ${directory}/mana/gen/declared.hpp --
    ${CMAKE_CXX_COMPILER} -I${directory}/include COMMAND_ERROR_IS_FATAL ANY)
  add_library(mana_mpi_${mpi} INTERFACE)
  target_include_directories(mana_mpi_${mpi} SYSTEM INTERFACE ${directory}/include ${directory})
  target_compile_definitions(mana_mpi_${mpi} INTERFACE MANA_MPI_${mpi})
  target_link_libraries(mana_mpi_${mpi} INTERFACE ${CMAKE_DL_LIBS})
  list(GET MANA_FAMILY_${mpi}_VERSIONS 0 MANA_VERSION_${mpi})
  set(MANA_LIVE_FAMILY_${mpi} ${mpi})
  set(MANA_DESCRIPTION_${mpi} "{\"name\": \"${mpi}\", \"family\": \"${mpi}\", \"version\": \"${MANA_VERSION_${mpi}}\"}")
  message(STATUS "${mpi}: ${MANA_FAMILY_${mpi}_LONG_NAME} ${MANA_VERSION_${mpi}}, with a generated mpi.h")
endforeach()
