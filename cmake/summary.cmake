# What this build has and what it lacks.

set(tests_line "off")
if(DRENCH_TESTS)
  set(tests_line "on${DRENCH_TEST_NOTES}")
endif()
set(checks "")
if(DRENCH_SANITIZE)
  set(checks ", sanitizers ${DRENCH_SANITIZE}")
endif()
if(DRENCH_FUZZ)
  string(APPEND checks ", fuzz targets")
endif()
if(DRENCH_WERROR)
  string(APPEND checks ", warnings are errors")
endif()
message(STATUS "drench ${PROJECT_VERSION}: ${CMAKE_BUILD_TYPE} for ${DRENCH_MACHINE} with ${CMAKE_C_COMPILER_ID} "
        "${CMAKE_C_COMPILER_VERSION}${checks}\n${DRENCH_PART_LINES}  TESTS     ${tests_line}")
