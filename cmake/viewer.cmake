# The page that `drench view` serves: viewer/dist, built from viewer/src by `make viewer`, carried inside the library.

set(DRENCH_VIEWER_SOURCE ${PROJECT_BINARY_DIR}/generated/view_page.c)
set(page_files index.html viewer.js viewer.css)
list(TRANSFORM page_files PREPEND ${PROJECT_SOURCE_DIR}/viewer/dist/ OUTPUT_VARIABLE page_paths)
add_custom_command(OUTPUT ${DRENCH_VIEWER_SOURCE}
                   COMMAND ${CMAKE_COMMAND} -DFOLDER=${PROJECT_SOURCE_DIR}/viewer/dist "-DFILES=${page_files}"
                           -DOUTPUT=${DRENCH_VIEWER_SOURCE} -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
                   DEPENDS ${page_paths} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake VERBATIM
                   COMMENT "Generating view_page.c")
