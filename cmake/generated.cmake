# The manual page and the shell completions: the program prints them from its own table of options.

set(generated "")
function(drench_generate what file destination)
  set(output ${PROJECT_BINARY_DIR}/generated/${file})
  add_custom_command(OUTPUT ${output} COMMAND drench_program generate ${what} > ${output}
                     DEPENDS drench_program VERBATIM COMMENT "Generating ${file}")
  install(FILES ${output} DESTINATION ${destination})
  set(generated ${generated} ${output} PARENT_SCOPE)
endfunction()

file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/generated)
drench_generate(man drench.1 ${CMAKE_INSTALL_MANDIR}/man1)
drench_generate(bash drench ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
drench_generate(zsh _drench ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
drench_generate(fish drench.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
add_custom_target(drench_generated ALL DEPENDS ${generated})
