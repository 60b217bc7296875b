# What find_package(critscale) reads: finds what the library is linked to, then defines
# critscale::critscale.
include(CMakeFindDependencyMacro)
find_dependency(Boost 1.74)
find_dependency(fmt 9)
find_dependency(nlohmann_json 3.11)
find_dependency(TBB)
find_dependency(PkgConfig)
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip)

list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
find_dependency(CritscaleArithmetic)
list(POP_FRONT CMAKE_MODULE_PATH)

include(${CMAKE_CURRENT_LIST_DIR}/critscaleTargets.cmake)
