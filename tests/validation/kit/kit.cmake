# Writes a kit, and calibrates from its folder.
#   cmake -DSMREPLAY=... -DFOLDER=... -P kit.cmake
cmake_minimum_required(VERSION 3.25)
set(no_gpu 6)             # exit code
set(most_bytes 1048576)   # of the microbenchmarks
file(REMOVE_RECURSE ${FOLDER})

function(run expected)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL expected)
    message(FATAL_ERROR "${ARGN}: exit code ${code}, expected ${expected}\n${output}")
  endif()
endfunction()

run(0 ${SMREPLAY} confirm kit ${FOLDER} V0 --writing cuda -C 1 -m h200)
set(bytes 0)
foreach(name sm90.cubins sm90.programs)
  file(SIZE ${FOLDER}/microbench/${name} size)
  math(EXPR bytes "${bytes} + ${size}")
endforeach()
if(bytes GREATER most_bytes)
  message(FATAL_ERROR "${bytes} bytes of microbenchmarks")
endif()
file(READ ${FOLDER}/README.md readme)
if(NOT readme MATCHES "run.sh --calibrate")
  message(FATAL_ERROR "the README does not say how to calibrate")
endif()

# From another folder, without the repository's data.
set(ENV{SMREPLAY_DATA} "")
run(0 ${FOLDER}/run.sh --calibrate --simulate -m h200 --part core)
file(READ ${FOLDER}/readings.jsonl readings)
if(NOT readings MATCHES "\"name\": \"chain\"")
  message(FATAL_ERROR "no readings of chains")
endif()
file(READ ${FOLDER}/round_trip.txt table)
if(NOT table MATCHES "keys read, ")
  message(FATAL_ERROR "no round trip:\n${table}")
endif()
run(${no_gpu} ${FOLDER}/run.sh --calibrate --device 99)
if(EXISTS ${FOLDER}/machine.txtpb OR EXISTS ${FOLDER}/special.mufu)
  message(FATAL_ERROR "results without a GPU")
endif()
file(REMOVE_RECURSE ${FOLDER})
