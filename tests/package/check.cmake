# Installs the project beside its build, then builds and runs the outside program of this folder
# against it. Called by ctest with -D for each of:
#   BUILD_DIR  WORK_DIR  GENERATOR  BUILD_TYPE  CXX_COMPILER  CXX_FLAGS
set(prefix "${WORK_DIR}/installed here")
file(REMOVE_RECURSE "${WORK_DIR}")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}")
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${WORK_DIR}/build" -G "${GENERATOR}"
    "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}"
    "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}")
run("${CMAKE_COMMAND}" --build "${WORK_DIR}/build")

execute_process(COMMAND "${WORK_DIR}/build/outside" OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
message(STATUS "output: ${output}")
# ln 3 is 0x1.193ea7aad030a9768... in hexadecimal.
if(NOT output MATCHES "^\\[-0x1\\.193ea7aad030a[0-9a-f]*p\\+0, -0x1\\.193ea7aad030a[0-9a-f]*p\\+0\\]\n$")
  message(FATAL_ERROR "the outside program does not print the digits of ln(1/3)")
endif()
