# `cmake --install`: headers, libraries, program, pkg-config file, CMake package, manual, completions, scenes.

include(CMakePackageConfigHelpers)

install(FILES ${DRENCH_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/drench)
install(TARGETS drench_static drench_shared EXPORT drenchTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/scenes)
  install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/drench)
endif()

# The pkg-config file finds its prefix from its own place, so an installed tree may be moved.
file(RELATIVE_PATH DRENCH_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" DRENCH_PC_PREFIX "${DRENCH_PC_PREFIX}")
list(JOIN DRENCH_PC_REQUIRES " " DRENCH_PC_REQUIRES)
list(JOIN DRENCH_PC_LIBS " " DRENCH_PC_LIBS)
configure_file(cmake/drench.pc.in drench.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/drench.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/drench)
configure_package_config_file(cmake/drenchConfig.cmake.in drenchConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(drenchConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT drenchTargets NAMESPACE drench:: DESTINATION ${package_folder})
install(FILES ${PROJECT_BINARY_DIR}/drenchConfig.cmake ${PROJECT_BINARY_DIR}/drenchConfigVersion.cmake
        DESTINATION ${package_folder})

# The Python module lies where Debian's Python looks below /usr/local; it finds the library from its own place.
find_program(DRENCH_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(DRENCH_PYTHON)
  execute_process(COMMAND ${DRENCH_PYTHON} -c "import sys; print('python%d.%d' % sys.version_info[:2])"
                  OUTPUT_VARIABLE python_name OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(python_folder lib/${python_name}/dist-packages/drench)
  file(RELATIVE_PATH python_library /${python_folder} /${CMAKE_INSTALL_LIBDIR})
  file(WRITE ${PROJECT_BINARY_DIR}/python/_place.py "LIBRARY_FOLDER = \"${python_library}\"\n")
  install(DIRECTORY python/drench/ DESTINATION ${python_folder} FILES_MATCHING PATTERN "*.py"
          PATTERN "__pycache__" EXCLUDE)
  install(FILES ${PROJECT_BINARY_DIR}/python/_place.py DESTINATION ${python_folder})
endif()
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN "__pycache__" EXCLUDE)

if(TARGET drench_program)
  install(TARGETS drench_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(EXISTS ${PROJECT_SOURCE_DIR}/app/generate.c)
    include(cmake/generated.cmake)
  endif()
endif()
