# smreplay_library(NAME [COLD] SOURCES ... LINKS ...): one static library per folder of sim/, with the project's warnings.
# COLD: nothing in it is hot; -O1 takes a third less to compile.
# smreplay_portable(TARGET): links the C++ runtime statically and puts the shared libraries that have no static form
# (oneTBB) beside the binary, where it looks for them first.
# smreplay_test(NAME SOURCES ... LINKS ... [LABELS quick|full]): one GoogleTest executable registered with CTest.
# -Wno-restrict: GCC 12 warns wrongly on "literal" + std::string (GCC bug 105651).
set(SMREPLAY_WARNINGS -Wall -Wextra -Wconversion -Werror -Wno-restrict)

add_library(smreplay_options INTERFACE)
target_include_directories(smreplay_options INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
# x86-64-v3 (AVX2, FMA, F16C): the lane loops of the emulator vectorise over 8 lanes. Contraction is off: a fused
# multiply-add happens only where the emulated instruction is one.
target_compile_options(smreplay_options INTERFACE -march=x86-64-v3 -ffp-contract=off)
if(SMREPLAY_SANITIZE)
  target_compile_options(smreplay_options INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer)
  target_link_options(smreplay_options INTERFACE -fsanitize=address,undefined)
endif()

function(smreplay_library name)
  cmake_parse_arguments(ARG "COLD" "" "SOURCES;LINKS" ${ARGN})
  add_library(smreplay_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(smreplay_${name} PUBLIC smreplay_options ${ARG_LINKS})
  target_compile_options(smreplay_${name} PRIVATE ${SMREPLAY_WARNINGS} $<$<BOOL:${ARG_COLD}>:-O1>)
endfunction()

function(smreplay_portable target)
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,--as-needed)
  set_target_properties(${target} PROPERTIES BUILD_RPATH "$ORIGIN" BUILD_RPATH_USE_ORIGIN ON)
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:TBB::tbb>
            $<TARGET_FILE_DIR:${target}>/$<TARGET_SONAME_FILE_NAME:TBB::tbb>)
endfunction()

function(smreplay_test name)
  cmake_parse_arguments(ARG "" "LABELS" "SOURCES;LINKS" ${ARGN})
  add_executable(test_${name} ${ARG_SOURCES})
  target_link_libraries(test_${name} PRIVATE ${ARG_LINKS} GTest::gtest_main)
  target_compile_options(test_${name} PRIVATE ${SMREPLAY_WARNINGS})
  add_test(NAME ${name} COMMAND test_${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  if(NOT ARG_LABELS)
    set(ARG_LABELS quick)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}")
endfunction()
