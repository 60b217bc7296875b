# Installs the project beside its build, then builds and runs the outside program examples/cpp
# against it. Called by ctest with -D for each of:
#   BUILD_DIR  WORK_DIR  GENERATOR  BUILD_TYPE  CXX_COMPILER  CXX_FLAGS
set(prefix "${WORK_DIR}/installed here")
file(REMOVE_RECURSE "${WORK_DIR}")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}")
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/../../examples/cpp" -B "${WORK_DIR}/build" -G "${GENERATOR}"
    "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}"
    "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}" "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}")
run("${CMAKE_COMMAND}" --build "${WORK_DIR}/build")

execute_process(COMMAND "${WORK_DIR}/build/self_weight" OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
message(STATUS "output: ${output}")
# With x = 10^-16 (2/3) ln n = 10^-16 (2/3) 10^15 ln 10: exp(x)/(1 + exp(x)) and its mirror image.
if(NOT output MATCHES "gamma = 1.4999999999999999: self weight 0.4616987631 in .*gamma = 3/2: self weight 0.5000000000 in .*gamma = 1.5000000000000001: self weight 0.5383012369 in ")
  message(FATAL_ERROR "the example does not print the digits of 1/(1 + exp(+-x))")
endif()
