# The memory side as a library of its own, so that its tests do not need the rest of the SM.
include(${CMAKE_CURRENT_LIST_DIR}/memory_sources.cmake)
smreplay_library(sm_memory SOURCES ${SMREPLAY_SM_MEMORY_SOURCES} LINKS smreplay_engine)
