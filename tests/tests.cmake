# SPDX-License-Identifier: ISC
#
# Every file of tests/<label>/ is a ctest test `<label>.<name>`: C (cmocka) linked with all our
# libraries, Python or shell run with SK_BIN (programs), SK_SRC (source root) and SK_CASES set.
# Names that begin with `_` or `lib` are helpers. Status 77 is a skip. A line `# timeout: N` or
# `// timeout: N` (seconds) near the top of the file replaces the default.
set(SK_TIMEOUT 120)
set(SK_TEST_ENV
  "SK_BIN=${CMAKE_RUNTIME_OUTPUT_DIRECTORY};SK_SRC=${PROJECT_SOURCE_DIR};SK_CASES=${SK_CASES}"
  "SK_BUILD=${PROJECT_BINARY_DIR}")

# sk_test_properties(<test> <label> <file>)
function(sk_test_properties test label file)
  file(STRINGS ${file} line REGEX "^(#|//) timeout: [0-9]+" LIMIT_COUNT 1)
  string(REGEX REPLACE "^(#|//) timeout: ([0-9]+).*" "\\2" seconds "${line}")
  if(NOT seconds)
    set(seconds ${SK_TIMEOUT})
  endif()
  if(CMAKE_C_FLAGS MATCHES "fsanitize")
    math(EXPR seconds "${seconds} * 4")
  endif()
  set_tests_properties(${test} PROPERTIES LABELS ${label} TIMEOUT ${seconds}
    SKIP_RETURN_CODE 77 ENVIRONMENT "${SK_TEST_ENV}")
endfunction()

# sk_test(NAME <n> LABEL <unit|golden|integration|e2e|sim> [LINK <lib>...]): tests/<label>/<n>.c
function(sk_test)
  cmake_parse_arguments(T "" "NAME;LABEL" "LINK" ${ARGN})
  set(file ${PROJECT_SOURCE_DIR}/tests/${T_LABEL}/${T_NAME}.c)
  set(target ${T_LABEL}_${T_NAME})
  add_executable(${target} ${file})
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/${T_LABEL})
  target_link_libraries(${target} PRIVATE ${T_LINK} ${CMOCKA} sk_flags)
  add_test(NAME ${T_LABEL}.${T_NAME} COMMAND ${target})
  sk_test_properties(${T_LABEL}.${T_NAME} ${T_LABEL} ${file})
endfunction()

# Helpers shared by C tests.
file(GLOB helpers CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/tests/*/lib*.c ${PROJECT_SOURCE_DIR}/tests/*/_*.c)
set(test_libs ${SK_LIBS})
if(helpers)
  add_library(sk_testkit STATIC ${helpers})
  target_link_libraries(sk_testkit PRIVATE sk_flags PUBLIC ${SK_LIBS} ${CMOCKA})
  list(PREPEND test_libs sk_testkit)
endif()

foreach(label unit golden integration e2e sim)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${label}/*.c
    ${PROJECT_SOURCE_DIR}/tests/${label}/*.py ${PROJECT_SOURCE_DIR}/tests/${label}/*.sh)
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    if(name MATCHES "^(_|lib)" OR name STREQUAL "conftest")
      continue()
    elseif(file MATCHES "\\.c$")
      sk_test(NAME ${name} LABEL ${label} LINK ${test_libs})
      continue()
    elseif(file MATCHES "\\.py$")
      add_test(NAME ${label}.${name} COMMAND ${PYTHON3} ${file})
    else()
      add_test(NAME ${label}.${name} COMMAND sh ${file})
    endif()
    sk_test_properties(${label}.${name} ${label} ${file})
  endforeach()
endforeach()

# Loaded before the server's libraries by sim.failing; sanitizers have a malloc of their own.
if(NOT CMAKE_C_FLAGS MATCHES "sanitize|coverage")
  add_library(failing MODULE ${PROJECT_SOURCE_DIR}/tests/sim/preload/failing.c)
  target_link_libraries(failing PRIVATE sk_flags ${CMAKE_DL_LIBS})
  set_target_properties(failing PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/sim)
endif()

# Fuzzers: with SK_FUZZ the real thing; always, a program that replays the corpus as a test.
file(GLOB fuzzers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c)
foreach(file IN LISTS fuzzers)
  get_filename_component(name ${file} NAME_WE)
  string(REGEX REPLACE "^fuzz_" "" topic ${name})
  add_executable(replay_${topic} ${file} ${PROJECT_SOURCE_DIR}/tests/fuzz/replay.c)
  target_link_libraries(replay_${topic} PRIVATE ${test_libs} sk_flags)
  set_target_properties(replay_${topic} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/fuzz)
  add_test(NAME fuzz.${topic}
    COMMAND replay_${topic} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${topic})
  sk_test_properties(fuzz.${topic} fuzz ${file})
  if(SK_FUZZ)
    add_executable(${name} ${file})
    target_link_libraries(${name} PRIVATE ${test_libs} sk_flags)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    set_target_properties(${name} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/fuzz)
  endif()
endforeach()

# Libraries that tests load into the real programs (LD_PRELOAD): SK_BUILD/tests/preload/<name>.so.
file(GLOB preloads CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/preload/*.c)
foreach(file IN LISTS preloads)
  get_filename_component(name ${file} NAME_WE)
  add_library(preload_${name} MODULE ${file})
  target_link_libraries(preload_${name} PRIVATE sk_flags)
  target_compile_options(preload_${name} PRIVATE -fno-sanitize=all) # loaded before the runtime
  target_link_options(preload_${name} PRIVATE -fno-sanitize=all)
  set_target_properties(preload_${name} PROPERTIES OUTPUT_NAME ${name} PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/preload)
endforeach()

# Benchmarks are built with everything else, so that they don't rot, and run by hand.
file(GLOB benches CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/bench/*.c)
foreach(file IN LISTS benches)
  get_filename_component(name ${file} NAME_WE)
  add_executable(bench_${name} ${file})
  target_link_libraries(bench_${name} PRIVATE ${test_libs} sk_flags)
  set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bench)
endforeach()

# The bench's load client and reference servers (tests/bench/run).
file(GLOB load_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/bench/load/*.c)
add_executable(bench_load ${load_sources})
add_executable(bench_ref ${PROJECT_SOURCE_DIR}/tests/bench/ref/ref.c)
foreach(name load ref)
  target_link_libraries(bench_${name} PRIVATE sk_base PkgConfig::OPENSSL PkgConfig::CJSON
    PkgConfig::UV PkgConfig::ZLIB sk_flags)
  target_compile_definitions(bench_${name} PRIVATE SK_SEES_OPENSSL)
  set_target_properties(bench_${name} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bench)
endforeach()

# The house: who may include what, what the pure libraries may call, a licence in each file.
function(sk_house name)
  add_test(NAME house.${name} COMMAND ${ARGN})
  set_tests_properties(house.${name} PROPERTIES LABELS house TIMEOUT ${SK_TIMEOUT}
    SKIP_RETURN_CODE 77)
endfunction()

set(house ${PROJECT_SOURCE_DIR}/tests)
sk_house(layering sh ${house}/layering.sh ${PROJECT_SOURCE_DIR})
sk_house(spdx sh ${house}/spdx.sh ${PROJECT_SOURCE_DIR})
sk_house(includes sh ${house}/includes.sh ${PROJECT_SOURCE_DIR})
if(TARGET sk_rules)
  sk_house(purity_rules sh ${house}/purity.sh rules $<TARGET_FILE:sk_rules>)
endif()
if(TARGET sk_dice)
  sk_house(purity_dice sh ${house}/purity.sh core $<TARGET_FILE:sk_dice>
    $<TARGET_FILE:sk_base>)
endif()
if(TARGET sk_core)
  set(archives "")
  foreach(lib sk_core sk_proto sk_dice sk_rules sk_base)
    list(APPEND archives $<TARGET_FILE:${lib}>)
  endforeach()
  sk_house(purity_core sh ${house}/purity.sh core ${archives})
endif()
