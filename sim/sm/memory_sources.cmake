# Sources of the SM's memory side; included by this folder's CMakeLists.txt.
set(SMREPLAY_SM_MEMORY_SOURCES
    AsyncCopyGroups.cpp
    Coalescer.cpp
    Completions.cpp
    GlobalPath.cpp
    L1Cache.cpp
    LoadStoreUnit.cpp
    MemoryQueues.cpp
    MemoryTiming.cpp
    MshrTable.cpp
    SharedMemoryBanks.cpp
    SharedPath.cpp)
