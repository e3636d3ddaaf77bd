# MANA_FAMILIES: the families of MPI libraries, one for each folder in mpis/; MANA_EXTRA_FAMILIES: folders elsewhere, such as
# those of mpis/. For each of them MANA_FAMILY_<name>_DIR, _SONAME, _MPICC, …: what its family.toml says (codegen/families.py).
find_program(MANA_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)   # Debian's, which has Debian's jinja2
set(MANA_EXTRA_FAMILIES "" CACHE STRING "folders of further families of MPI libraries, see docs/developer/add-an-mpi.md")
file(GLOB mana_family_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/mpis/*/*.toml ${PROJECT_SOURCE_DIR}/mpis/*/*.hpp)
foreach(folder IN LISTS MANA_EXTRA_FAMILIES)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.toml ${folder}/*.hpp)
  list(APPEND mana_family_files ${files})
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${mana_family_files} ${PROJECT_SOURCE_DIR}/codegen/families.py)
execute_process(COMMAND ${MANA_PYTHON} ${PROJECT_SOURCE_DIR}/codegen/families.py --cmake ${PROJECT_BINARY_DIR}/families.cmake
  --facts ${PROJECT_BINARY_DIR}/families.json --version ${PROJECT_VERSION}
  ${MANA_EXTRA_FAMILIES} COMMAND_ERROR_IS_FATAL ANY)
include(${PROJECT_BINARY_DIR}/families.cmake)
