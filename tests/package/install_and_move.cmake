# Installs BUILD to PREFIX and moves the tree to MOVED: nothing in it may depend on where it was installed.
file(REMOVE_RECURSE ${PREFIX} ${MOVED})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX} COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${PREFIX} ${MOVED})
