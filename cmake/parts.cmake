# The optional parts: libfyaml reads scenes, HDF5 writes frames and checkpoints, OpenMP uses more than one core.
# Leaves DRENCH_HAS_<part>, DRENCH_PART_LINES for the summary, and what a program that links libdrench.a must link too.

find_package(PkgConfig REQUIRED)

set(DRENCH_PART_LINES "")
set(DRENCH_LINK_FLAGS -lm)      # for CMake users of the static library
set(DRENCH_PC_REQUIRES "")      # for pkg-config users of it
set(DRENCH_PC_LIBS -lm)

function(drench_part part found purpose package)
  set(DRENCH_HAS_${part} OFF PARENT_SCOPE)
  if(NOT DRENCH_${part} STREQUAL "AUTO" AND NOT DRENCH_${part})
    set(state "no    switched off: no ${purpose}")
  elseif(found)
    set(DRENCH_HAS_${part} ON PARENT_SCOPE)
    set(state "yes   ${purpose}")
  elseif(DRENCH_${part} STREQUAL "AUTO")
    set(state "no    missing: no ${purpose}; Debian package ${package}")
  else()
    message(FATAL_ERROR "DRENCH_${part}=ON, but it was not found. Debian package: ${package}")
  endif()
  string(SUBSTRING "${part}          " 0 10 name)
  set(DRENCH_PART_LINES "${DRENCH_PART_LINES}  ${name}${state}\n" PARENT_SCOPE)
endfunction()

pkg_check_modules(FYAML QUIET IMPORTED_TARGET libfyaml)
pkg_check_modules(HDF5 QUIET IMPORTED_TARGET hdf5)
find_package(OpenMP QUIET COMPONENTS C)

if(CMAKE_C_COMPILER_ID STREQUAL "Clang")
  set(openmp_package libomp-dev)
else()
  set(openmp_package gcc)
endif()
drench_part(YAML "${FYAML_FOUND}" "reading of scene files (libfyaml)" libfyaml-dev)
drench_part(HDF5 "${HDF5_FOUND}" "frames and checkpoints (HDF5)" libhdf5-dev)
drench_part(OPENMP "${OpenMP_C_FOUND}" "more than one thread (OpenMP)" ${openmp_package})

if(DRENCH_HAS_YAML)
  list(APPEND DRENCH_LINK_FLAGS ${FYAML_LINK_LIBRARIES})
  list(APPEND DRENCH_PC_REQUIRES libfyaml)
endif()
if(DRENCH_HAS_HDF5)
  list(APPEND DRENCH_LINK_FLAGS ${HDF5_LINK_LIBRARIES})
  list(APPEND DRENCH_PC_REQUIRES hdf5)
endif()
if(DRENCH_HAS_OPENMP)
  list(APPEND DRENCH_LINK_FLAGS ${OpenMP_C_FLAGS})
  list(APPEND DRENCH_PC_LIBS ${OpenMP_C_FLAGS})
endif()
