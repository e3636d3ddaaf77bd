# What `cmake --install` puts where, for any prefix:
#   bin/mana   libexec/mana/mana-lower-<mpi>   lib/mana/libmana-<family>*.so   include/mana/**   lib/cmake/mana
#   lib/mana/add-mpi: what `mana add-mpi` builds another lower half of
# <mpi>: none, and those that are there. The build tree gets the same layout, since the command finds the other parts from its own place. Included at the end
# of the top CMakeLists.txt, when all targets are known; a part that was not built is not installed.
include(CMakePackageConfigHelpers)

# Everything that running programs takes, without tests: `cmake --build … --target mana_tree`.
add_custom_target(mana_tree)
if(TARGET mana_command)
  install(TARGETS mana_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  add_dependencies(mana_tree mana_command mana_pages)
endif()

foreach(mpi none ${MANA_LIVE_MPIS} ${MANA_DECLARED_MPIS})
  if(TARGET mana-lower-${mpi})
    set_target_properties(mana-lower-${mpi} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBEXECDIR}/mana)
    install(TARGETS mana-lower-${mpi} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/mana)
    add_dependencies(mana_tree mana-lower-${mpi})
    if(NOT mpi STREQUAL none)
      set(description ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBEXECDIR}/mana/mana-lower-${mpi}.json)
      file(GENERATE OUTPUT ${description} CONTENT "${MANA_DESCRIPTION_${mpi}}\n")
      install(FILES ${description} DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/mana)
    endif()
  endif()
endforeach()
set(mana_libraries mana-none mana-stand-in)
foreach(mpi IN LISTS MANA_MPIS MANA_DECLARED_MPIS)
  list(APPEND mana_libraries mana-${mpi})
  list(TRANSFORM MANA_STAND_INS_${mpi} PREPEND mana-${mpi}- OUTPUT_VARIABLE stand_ins)
  list(APPEND mana_libraries ${stand_ins})
endforeach()
foreach(library IN LISTS mana_libraries)
  if(TARGET ${library})
    set_target_properties(${library} PROPERTIES
      OUTPUT_NAME ${library} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}/mana)
    install(TARGETS ${library} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/mana)
    add_dependencies(mana_tree ${library})
  endif()
endforeach()

include(ManaAddMpi)

# The package.
set(mana_package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/mana)
set(mana_exported mana)
foreach(mpi IN LISTS MANA_MPIS)
  list(APPEND mana_exported mana_wrappers_${mpi})
endforeach()
install(TARGETS ${mana_exported} EXPORT mana-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/mana)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/mana DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp"
  PATTERN "*.h")
foreach(mpi IN LISTS MANA_FAMILIES MANA_DECLARED_FAMILIES)
  install(FILES ${MANA_FAMILY_${mpi}_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mana/mpis/${mpi})
  if(mpi IN_LIST MANA_MPIS)
    install(FILES ${PROJECT_BINARY_DIR}/mpi_${mpi}/mana/gen/declared.hpp
      DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mana/mpis/${mpi}/declared/mana/gen)
  endif()
endforeach()
install(EXPORT mana-targets NAMESPACE mana:: DESTINATION ${mana_package_directory})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/mana-config.cmake.in ${PROJECT_BINARY_DIR}/mana-config.cmake
  INSTALL_DESTINATION ${mana_package_directory} PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mana-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/ManaWrappers.cmake ${PROJECT_BINARY_DIR}/mana-config.cmake ${PROJECT_BINARY_DIR}/mana-config-version.cmake
  DESTINATION ${mana_package_directory})
