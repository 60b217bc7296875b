# GMP, MPFR, MPFI and FLINT with Arb, as imported targets:
#   critscale::gmp  critscale::mpfr  critscale::mpfi  critscale::arb
# FLINT 3 contains Arb (flint/arb.h); with FLINT 2, Arb is a library of its own (arb.h, called
# libflint-arb in Debian and libarb elsewhere). CRITSCALE_FLINT3 says which one was found.
include(FindPackageHandleStandardArgs)

find_path(CritscaleArithmetic_GMP_INCLUDE gmp.h)
find_library(CritscaleArithmetic_GMP_LIBRARY gmp)
find_path(CritscaleArithmetic_MPFR_INCLUDE mpfr.h)
find_library(CritscaleArithmetic_MPFR_LIBRARY mpfr)
find_path(CritscaleArithmetic_MPFI_INCLUDE mpfi.h)
find_library(CritscaleArithmetic_MPFI_LIBRARY mpfi)
find_path(CritscaleArithmetic_FLINT_INCLUDE flint/flint.h)
find_library(CritscaleArithmetic_FLINT_LIBRARY flint)

set(_arb_needed CritscaleArithmetic_FLINT_LIBRARY)
if(EXISTS "${CritscaleArithmetic_FLINT_INCLUDE}/flint/arb.h")
  set(CRITSCALE_FLINT3 ON)
else()
  set(CRITSCALE_FLINT3 OFF)
  find_path(CritscaleArithmetic_ARB_INCLUDE arb.h)
  find_library(CritscaleArithmetic_ARB_LIBRARY NAMES flint-arb arb)
  list(APPEND _arb_needed CritscaleArithmetic_ARB_INCLUDE CritscaleArithmetic_ARB_LIBRARY)
endif()

find_package_handle_standard_args(CritscaleArithmetic
  REQUIRED_VARS CritscaleArithmetic_GMP_LIBRARY CritscaleArithmetic_GMP_INCLUDE
                CritscaleArithmetic_MPFR_LIBRARY CritscaleArithmetic_MPFR_INCLUDE
                CritscaleArithmetic_MPFI_LIBRARY CritscaleArithmetic_MPFI_INCLUDE
                CritscaleArithmetic_FLINT_INCLUDE ${_arb_needed})

function(_critscale_arithmetic_target name include library)
  if(NOT TARGET critscale::${name})
    add_library(critscale::${name} UNKNOWN IMPORTED)
    set_target_properties(critscale::${name} PROPERTIES
      IMPORTED_LOCATION "${library}"
      INTERFACE_INCLUDE_DIRECTORIES "${include}"
      INTERFACE_LINK_LIBRARIES "${ARGN}")
  endif()
endfunction()

if(CritscaleArithmetic_FOUND)
  _critscale_arithmetic_target(gmp "${CritscaleArithmetic_GMP_INCLUDE}" "${CritscaleArithmetic_GMP_LIBRARY}")
  _critscale_arithmetic_target(mpfr "${CritscaleArithmetic_MPFR_INCLUDE}" "${CritscaleArithmetic_MPFR_LIBRARY}"
                               critscale::gmp)
  _critscale_arithmetic_target(mpfi "${CritscaleArithmetic_MPFI_INCLUDE}" "${CritscaleArithmetic_MPFI_LIBRARY}"
                               critscale::mpfr)
  if(CRITSCALE_FLINT3)
    _critscale_arithmetic_target(arb "${CritscaleArithmetic_FLINT_INCLUDE}" "${CritscaleArithmetic_FLINT_LIBRARY}"
                                 critscale::mpfr)
  else()
    _critscale_arithmetic_target(flint "${CritscaleArithmetic_FLINT_INCLUDE}" "${CritscaleArithmetic_FLINT_LIBRARY}"
                                 critscale::mpfr)
    _critscale_arithmetic_target(arb "${CritscaleArithmetic_ARB_INCLUDE}" "${CritscaleArithmetic_ARB_LIBRARY}"
                                 critscale::flint)
  endif()
endif()
mark_as_advanced(CritscaleArithmetic_GMP_INCLUDE CritscaleArithmetic_GMP_LIBRARY CritscaleArithmetic_MPFR_INCLUDE
  CritscaleArithmetic_MPFR_LIBRARY CritscaleArithmetic_MPFI_INCLUDE CritscaleArithmetic_MPFI_LIBRARY
  CritscaleArithmetic_FLINT_INCLUDE CritscaleArithmetic_FLINT_LIBRARY CritscaleArithmetic_ARB_INCLUDE
  CritscaleArithmetic_ARB_LIBRARY)
