# How tests are registered that run MPI programs. All of them need MANA_MPIS and the targets of ManaFindMpis. The machine
# that they are made for has two cores: three tests share it that mostly wait, for launchers, disks or their own pauses; one
# whose ranks never pause has it alone, for MPIs spin.
find_package(Threads REQUIRED)
find_program(MANA_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
option(MANA_TEST_LONG "Also the restart and conformance tests that an hour is needed for" OFF)
set(MANA_TEST_PROCESSORS 2 CACHE STRING "cores that a test of several ranks counts as, for ctest -j; busy ones: three times that")
# In front of: mpi ranks program words…
set(MANA_LAUNCH ${MANA_PYTHON} ${PROJECT_SOURCE_DIR}/scripts/support/launch.py)
math(EXPR MANA_TEST_ALL_PROCESSORS "3 * ${MANA_TEST_PROCESSORS}")

# mana_mpis_with(standard result): those of MANA_MPIS that have this version of the MPI standard whole.
function(mana_mpis_with standard result)
  set(found "")
  foreach(mpi IN LISTS MANA_MPIS)
    if(MANA_FAMILY_${mpi}_STANDARD VERSION_GREATER_EQUAL standard)
      list(APPEND found ${mpi})
    endif()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# mana_mpi_declares(mpi function result): versions of a family differ in their functions.
function(mana_mpi_declares mpi function result)
  file(STRINGS ${PROJECT_BINARY_DIR}/mpi_${mpi}/mana/gen/declared.hpp found REGEX "^#define MANA_DECLARES_${function} ")
  if(found)
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# mana_add_mpi_program(name source [MPIS mpi…] [OPTIONS words…]): <name>_<mpi> for each MPI, or for those that are named, in
# the current binary directory.
# Warnings about strings come out of the attributes in mpi.h.
function(mana_add_mpi_program name source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "MPIS;OPTIONS")
  if("MPIS" IN_LIST arg_KEYWORDS_MISSING_VALUES)      # none has what it needs
    return()
  endif()
  foreach(mpi IN LISTS MANA_MPIS)
    if(DEFINED arg_MPIS AND NOT mpi IN_LIST arg_MPIS)
      continue()
    endif()
    add_executable(${name}_${mpi} ${source})
    target_link_libraries(${name}_${mpi} PRIVATE mana_mpi_${mpi} Threads::Threads)
    target_compile_options(${name}_${mpi} PRIVATE -std=gnu11 -Wall -Wextra ${arg_OPTIONS}
      $<$<C_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
    set_target_properties(${name}_${mpi} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/programs)
  endforeach()
endfunction()

# mana_add_native_test(program mpi ranks words…): the program without mana, to show that it is a correct MPI program.
function(mana_add_native_test program mpi ranks)
  add_test(NAME mpi-native/${program}/${mpi}/${ranks}
    COMMAND ${MANA_LAUNCH} ${mpi} ${ranks} $<TARGET_FILE:${program}_${mpi}> ${ARGN})
  set_tests_properties(mpi-native/${program}/${mpi}/${ranks} PROPERTIES LABELS mpi-native TIMEOUT 600
    PROCESSORS ${MANA_TEST_PROCESSORS} PASS_REGULAR_EXPRESSION "checksum [0-9a-f]+" FAIL_REGULAR_EXPRESSION "does not hold")
endfunction()

# Whether programs can be run under mana over this MPI with what is being built.
function(mana_can_run mpi result)
  set(${result} FALSE PARENT_SCOPE)
  if(TARGET mana_command AND TARGET mana-lower-${mpi} AND TARGET mana-${mpi})
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()

# A Python script that starts jobs itself, as the test restart/<test>; it gets --build and --mpi, then the words.
function(mana_add_script_test test mpi labels script)
  mana_can_run(${mpi} possible)
  if(NOT possible)
    return()
  endif()
  add_test(NAME restart/${test} COMMAND ${MANA_PYTHON} ${script} --build ${PROJECT_BINARY_DIR} --mpi ${mpi} ${ARGN})
  set_tests_properties(restart/${test} PROPERTIES LABELS "${labels}" TIMEOUT 1500 PROCESSORS ${MANA_TEST_PROCESSORS}
    SKIP_RETURN_CODE 77)
endfunction()

# Whether a test of this name is run over this MPI: over one of the two, always the same, where the other one's differs
# little; over both in a long run.
function(mana_takes_turn name mpi result)
  string(MD5 digits "${name}")
  string(SUBSTRING "${digits}" 0 1 digit)
  math(EXPR turn "0x${digit} % 2")
  list(LENGTH MANA_MPIS count)
  list(FIND MANA_MPIS ${mpi} index)
  if(MANA_TEST_LONG OR count EQUAL 1 OR turn EQUAL index)
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# mana_add_restart_test(name mpi ranks [IN_TURN] [BUSY] [ALONE] words…): words are options of restart_test.py, "--", the program,
# its arguments.
#   IN_TURN  over one of the MPIs, but for a long run
#   BUSY     its ranks never pause: a slow machine takes fewer of its steps; ALONE, too
#   ALONE    has the machine for itself
function(mana_add_restart_test name mpi ranks)
  cmake_parse_arguments(PARSE_ARGV 3 test "IN_TURN;BUSY;ALONE" "" "")
  if(test_IN_TURN)
    mana_takes_turn(${name} ${mpi} has_turn)
    if(NOT has_turn)
      return()
    endif()
  endif()
  set(labels restart)
  set(more "")
  if(test_BUSY)
    list(APPEND labels slow)
    set(more --at-most 4)
  endif()
  if(MANA_TEST_LONG)
    list(APPEND more --once-too)
  endif()
  mana_add_script_test(${name}/${mpi}/${ranks} ${mpi} "${labels}" ${PROJECT_SOURCE_DIR}/tests/restart/restart_test.py
    --ranks ${ranks} --name ${name} ${more} ${test_UNPARSED_ARGUMENTS})
  if(TEST restart/${name}/${mpi}/${ranks} AND (test_BUSY OR test_ALONE))
    set_tests_properties(restart/${name}/${mpi}/${ranks} PROPERTIES PROCESSORS ${MANA_TEST_ALL_PROCESSORS})
  endif()
endfunction()

# mana_add_job_test(name mpi [IN_TURN] script words…): IN_TURN as above.
function(mana_add_job_test name mpi)
  cmake_parse_arguments(PARSE_ARGV 2 test "IN_TURN" "" "")
  set(has_turn TRUE)
  if(test_IN_TURN)
    mana_takes_turn(${name} ${mpi} has_turn)
  endif()
  if(has_turn)
    mana_add_script_test(${name}/${mpi} ${mpi} "restart;slow" ${test_UNPARSED_ARGUMENTS})
  endif()
endfunction()
