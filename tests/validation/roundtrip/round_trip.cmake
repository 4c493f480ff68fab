# Runs the round trip of MACHINE and compares the names of what it missed with KNOWN, one a line.
#   cmake -DSMREPLAY=... -DMACHINE=h200 -DKNOWN=known/h200.txt [-DOPTIONS="--part;core"] -P round_trip.cmake
cmake_minimum_required(VERSION 3.25)
set(name_width 44)  # of the table's first column
execute_process(COMMAND ${SMREPLAY} calibrate --simulate --quiet -m ${MACHINE} ${OPTIONS}
                OUTPUT_VARIABLE table RESULT_VARIABLE exit_code)
if(NOT exit_code EQUAL 0)
  message(FATAL_ERROR "exit code ${exit_code}")
endif()

# Lines as a list: semicolons and brackets would split or join its elements.
set(text "${table}")
string(REPLACE ";" "," text "${text}")
string(REPLACE "[" "(" text "${text}")
string(REPLACE "]" ")" text "${text}")
string(REPLACE "\n" ";" lines "${text}")
list(POP_FRONT lines)  # what the mark means
set(missed "")
foreach(line IN LISTS lines)
  if(line MATCHES "^! ")
    string(SUBSTRING "${line}" 2 ${name_width} name)
    string(STRIP "${name}" name)
    string(APPEND missed "${name}\n")
  endif()
endforeach()

file(READ ${KNOWN} known)
string(REPLACE "[" "(" known "${known}")
string(REPLACE "]" ")" known "${known}")
if(NOT missed STREQUAL known)
  message(FATAL_ERROR "${table}\nmissed:\n${missed}\nknown (${KNOWN}):\n${known}")
endif()
