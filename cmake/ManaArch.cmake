# MANA_ARCH_DIR: arch/<the machine's architecture>, what is written for one kind of processor. Included by the top
# CMakeLists.txt, and by projects that compile parts of the runtime alone.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(MANA_ARCH x86_64)
else()
  message(FATAL_ERROR "mana is not written for ${CMAKE_SYSTEM_PROCESSOR}: there is no folder for it in arch/")
endif()
get_filename_component(MANA_ARCH_DIR "${CMAKE_CURRENT_LIST_DIR}/../arch/${MANA_ARCH}" ABSOLUTE)
