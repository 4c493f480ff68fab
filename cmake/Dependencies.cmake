# Third-party libraries, from Debian 12's packages (versions are pinned by the distribution release).
# Their headers are system headers: our warnings do not apply to them. What has a static library is linked statically, so
# that the binary runs on machines that have none of these packages; oneTBB has none, and its library lies beside the
# binary (see smreplay_portable in SmreplayTargets.cmake).
set(Protobuf_USE_STATIC_LIBS ON)
find_package(Protobuf REQUIRED)
find_package(CLI11 REQUIRED)
find_package(TBB REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Boost REQUIRED)

find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
find_library(ZSTD_STATIC_LIBRARY libzstd.a)
if(ZSTD_STATIC_LIBRARY)
  set_target_properties(PkgConfig::ZSTD PROPERTIES INTERFACE_LINK_LIBRARIES ${ZSTD_STATIC_LIBRARY})
endif()

add_library(smreplay_fmt STATIC cmake/fmt.cpp)
add_library(fmt::fmt ALIAS smreplay_fmt)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# A faster linker where there is one.
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()
