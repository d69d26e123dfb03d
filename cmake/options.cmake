# What can be chosen at configure time.

set(ci OFF)
if("$ENV{CI}" MATCHES "^(1|true|TRUE|yes|on)$")
  set(ci ON)
endif()

option(DRENCH_WERROR "Warnings are errors (on where the environment says CI=true)" ${ci})
option(DRENCH_PORTABLE "Run on any machine of this architecture instead of x86-64-v3 and up" OFF)
option(DRENCH_TESTS "Build the tests" ON)
option(DRENCH_FUZZ "Build the fuzz targets (clang)" OFF)
set(DRENCH_SANITIZE "" CACHE STRING "Sanitizers: address,undefined or thread")

foreach(part YAML HDF5 CIVETWEB EMBREE PNG ZLIB)
  set(DRENCH_${part} AUTO CACHE STRING "AUTO, ON or OFF")
  set_property(CACHE DRENCH_${part} PROPERTY STRINGS AUTO ON OFF)
endforeach()

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
