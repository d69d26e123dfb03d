# Writes files as C: cmake -DFOLDER=... -DFILES=a;b -DOUTPUT=x.c -P embed.cmake

set(arrays "")
set(rows "")
set(number 0)
foreach(file ${FILES})
  file(READ ${FOLDER}/${file} bytes HEX)
  file(SIZE ${FOLDER}/${file} size)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "static const unsigned char file_${number}[] = {\n${bytes}};\n")
  string(APPEND rows "    {\"/${file}\", file_${number}, ${size}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "// Written by cmake/embed.cmake.\n#include \"look/view_page.h\"\n\n${arrays}\n"
     "const dr_view_file dr_view_page[] = {\n${rows}    {0},\n};\n")
