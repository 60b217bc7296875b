# What must not compile. A file of cases gives C++ text common to all its snippets, then the cases:
#
#   prologue([[ #include ... ]])
#   must_not_compile(NAME  [[forbidden snippet]]  "regular expression"  [[control snippet]])
#
# Each snippet is the body of a function. Every control must compile; every forbidden snippet must
# give an error of its own that matches the expression. Two compiler runs serve a whole file: #line
# writes the name of the case into the messages. Called by ctest with -D for each of:
#   CASES  WORK_DIR  CXX_COMPILER  CXX_STANDARD_FLAG  INCLUDE_DIRS

function(prologue text)
  set_property(GLOBAL APPEND_STRING PROPERTY forbidden "${text}\n")
  set_property(GLOBAL APPEND_STRING PROPERTY control "${text}\n")
endfunction()

function(must_not_compile name forbidden message control)
  set_property(GLOBAL APPEND PROPERTY names "${name}")
  set_property(GLOBAL PROPERTY "message of ${name}" "${message}")
  foreach(kind IN ITEMS forbidden control)
    set_property(GLOBAL APPEND_STRING PROPERTY ${kind} "#line 1 \"${name}\"\nvoid ${name}() { ${${kind}} }\n")
  endforeach()
endfunction()

# Sets STATUS to what the compiler returned and OUTPUT to what it said.
function(compile kind)
  get_property(text GLOBAL PROPERTY ${kind})
  file(WRITE "${WORK_DIR}/${kind}.cpp" "${text}")
  set(include_flags ${INCLUDE_DIRS})
  list(TRANSFORM include_flags PREPEND -I)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env LC_ALL=C "${CXX_COMPILER}" ${CXX_STANDARD_FLAG} -fsyntax-only
            -fdiagnostics-color=never -fmax-errors=0 ${include_flags} "${WORK_DIR}/${kind}.cpp"
    RESULT_VARIABLE status ERROR_VARIABLE output)
  set(status "${status}" PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

include("${CASES}")
get_property(names GLOBAL PROPERTY names)
set(wrong 0)

compile(control)
if(NOT status EQUAL 0)
  message("${output}\na control snippet does not compile")
  math(EXPR wrong "${wrong} + 1")
endif()

compile(forbidden)
foreach(name IN LISTS names)
  get_property(expected GLOBAL PROPERTY "message of ${name}")
  string(REGEX MATCHALL "(^|\n)${name}:[0-9:]+ error: [^\n]*" errors "${output}")
  if("${errors}" STREQUAL "")
    message("${name}: compiles, but must not")
    math(EXPR wrong "${wrong} + 1")
  elseif(NOT "${errors}" MATCHES "${expected}")
    message("${name}: expected an error that matches '${expected}', got: ${errors}")
    math(EXPR wrong "${wrong} + 1")
  else()
    message("${name}: refused")
  endif()
endforeach()
if(NOT wrong EQUAL 0)
  message(FATAL_ERROR "${wrong} things are not as they must be")
endif()
