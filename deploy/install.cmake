# SPDX-License-Identifier: ISC
#
# What `cmake --install` lays down besides the programs: manual pages, completion, units, the sample
# configuration, documents, the schema; and the target `dist`. The scenarios are in the programs.
set(SK_UNIT_DIR "lib/systemd/system" CACHE STRING "Where systemd's units go (below the prefix)")
set(SK_CONF_DIR "${CMAKE_INSTALL_SYSCONFDIR}/skirmish" CACHE STRING
  "Where skirmishd.conf is (below the prefix, or absolute)")
set(deploy ${PROJECT_SOURCE_DIR}/deploy)

# The date that the pages show: the last commit's. A tarball of `dist` has it as its files' time.
set(SK_DATE "$ENV{SOURCE_DATE_EPOCH}")
if(NOT SK_DATE AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} log -1 --format=%ct
    OUTPUT_VARIABLE SK_DATE OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT SK_DATE)
  file(TIMESTAMP ${PROJECT_SOURCE_DIR}/CMakeLists.txt SK_DATE "%s" UTC)
endif()

# --- manual pages ---------------------------------------------------------------------------

find_program(SCDOC scdoc)
if(SCDOC)
  file(GLOB sources CONFIGURE_DEPENDS ${deploy}/man/*.scd)
  set(pages "")
  if(NOT TARGET skirmishctl)
    list(FILTER sources EXCLUDE REGEX "/skirmishctl")
  endif()
  foreach(source IN LISTS sources)
    get_filename_component(page ${source} NAME_WLE)
    string(REGEX MATCH "[0-9]$" section ${page})
    set(made ${PROJECT_BINARY_DIR}/man/${page})
    add_custom_command(
      OUTPUT ${made}
      COMMAND ${CMAKE_COMMAND} -E env SOURCE_DATE_EPOCH=${SK_DATE}
              sh -c "\"$0\" \"$1\" >\"$2\"" ${deploy}/man/page ${source} ${made}
      DEPENDS ${source} ${deploy}/man/page ${deploy}/man/options.awk ${deploy}/man/tidy.awk
              ${deploy}/skirmishd.conf
      COMMENT "Manual page ${page}"
      VERBATIM)
    list(APPEND pages ${made})
    install(FILES ${made} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
  endforeach()
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/man)
  add_custom_target(man ALL DEPENDS ${pages})
else()
  message(STATUS "scdoc is missing: no manual pages in this build")
endif()

# --- completion -----------------------------------------------------------------------------

foreach(program skirmish skirmishd skirmishctl) # bash looks for a file of the command's name
  if(TARGET ${program})
    install(FILES ${deploy}/completion/skirmish RENAME ${program}
      DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions)
  endif()
endforeach()

# --- service --------------------------------------------------------------------------------

set(SK_BINDIR ${CMAKE_INSTALL_FULL_BINDIR})
get_filename_component(SK_CONFDIR ${SK_CONF_DIR} ABSOLUTE BASE_DIR ${CMAKE_INSTALL_PREFIX})
foreach(unit skirmishd.service skirmishd-backup.service)
  configure_file(${deploy}/systemd/${unit}.in ${PROJECT_BINARY_DIR}/systemd/${unit} @ONLY)
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/systemd/skirmishd.service ${deploy}/systemd/skirmishd.socket
  DESTINATION ${SK_UNIT_DIR})
if(TARGET skirmishctl)
  install(FILES ${PROJECT_BINARY_DIR}/systemd/skirmishd-backup.service
    ${deploy}/systemd/skirmishd-backup.timer DESTINATION ${SK_UNIT_DIR})
endif()
install(FILES ${deploy}/systemd/sysusers.conf RENAME skirmish.conf DESTINATION lib/sysusers.d)
install(FILES ${deploy}/systemd/tmpfiles.conf RENAME skirmish.conf DESTINATION lib/tmpfiles.d)

# --- documents, sample configuration, schema ------------------------------------------------

file(GLOB documents CONFIGURE_DEPENDS ${deploy}/doc/*.md ${deploy}/doc/*.svg)
install(FILES README.md CHANGELOG.md LICENSE common/rules/RULES.md proto/PROTOCOL.md proto/DICE.md
  ${documents} DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY proto/schema DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.json")
install(FILES ${deploy}/skirmishd.conf DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
# One that is there stays as its owner wants it.
function(sk_install_conf file below)
  get_filename_component(name ${file} NAME)
  install(CODE "
    if(NOT EXISTS \"\$ENV{DESTDIR}${SK_CONFDIR}${below}/${name}\")
      file(INSTALL \"${file}\" DESTINATION \"${SK_CONFDIR}${below}\")
    endif()")
endfunction()
configure_file(${deploy}/systemd/service.conf ${PROJECT_BINARY_DIR}/systemd/00-service.conf COPYONLY)
sk_install_conf(${deploy}/skirmishd.conf "")
sk_install_conf(${PROJECT_BINARY_DIR}/systemd/00-service.conf /conf.d)

# --- release --------------------------------------------------------------------------------

# The tree as committed, the same bytes wherever it is made.
set(release skirmish-${PROJECT_VERSION})
add_custom_target(dist
  COMMAND sh -c "git -c tar.umask=0022 archive --prefix=\"$0/\" -o \"$1/$0.tar\" HEAD && gzip -9nf \"$1/$0.tar\""
          ${release} ${PROJECT_BINARY_DIR}
  COMMAND ${CMAKE_COMMAND} -E echo "${PROJECT_BINARY_DIR}/${release}.tar.gz"
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  VERBATIM)
