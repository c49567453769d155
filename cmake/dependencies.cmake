# SPDX-License-Identifier: BSD-2-Clause
#
# What sim/, tests/ and bench/ lean on, each as an imported target dep::<name>. What is required and
# missing is named in one message, by Debian package. dep::jemalloc is always there, and empty where
# the library is missing or would get in a sanitizer's way; link it to programs, never to libraries.
# dep::benchmark exists only where Google Benchmark does.

find_package(PkgConfig)
if(NOT PKG_CONFIG_FOUND)
	message(FATAL_ERROR "pkg-config is missing. On Debian: apt-get install pkg-config")
endif()

set(missing "")
set(missing_optional "")

# weir_pkg(<name> <pkg-config module> <Debian package> [optional])
macro(weir_pkg name module package)
	pkg_check_modules(${name} QUIET IMPORTED_TARGET GLOBAL ${module})
	if(${name}_FOUND)
		add_library(dep::${name} ALIAS PkgConfig::${name})
	elseif("${ARGN}" STREQUAL "optional")
		list(APPEND missing_optional ${package})
	else()
		list(APPEND missing ${package})
	endif()
endmacro()

# weir_header_only(<name> <header> <Debian package>)
macro(weir_header_only name header package)
	find_path(WEIR_${name}_INCLUDE_DIR ${header})
	mark_as_advanced(WEIR_${name}_INCLUDE_DIR)
	add_library(dep_${name} INTERFACE)
	add_library(dep::${name} ALIAS dep_${name})
	if(WEIR_${name}_INCLUDE_DIR)
		target_include_directories(dep_${name} SYSTEM INTERFACE
			${WEIR_${name}_INCLUDE_DIR})
	else()
		list(APPEND missing ${package})
	endif()
endmacro()

weir_pkg(zstd libzstd libzstd-dev)
weir_pkg(xxhash libxxhash libxxhash-dev)
# libcyaml.pc asks for -lyaml, but Debian's libcyaml-dev does not depend on it.
weir_pkg(yaml yaml-0.1 libyaml-dev)
weir_pkg(cyaml libcyaml libcyaml-dev)
weir_pkg(jansson jansson libjansson-dev)
weir_pkg(popt popt libpopt-dev)
weir_pkg(cmocka cmocka libcmocka-dev)
weir_header_only(random123 Random123/philox.h librandom123-dev)
weir_header_only(uthash uthash.h uthash-dev)
weir_pkg(jemalloc_lib jemalloc libjemalloc-dev optional)
weir_pkg(benchmark benchmark libbenchmark-dev optional)

add_library(dep_jemalloc INTERFACE)
add_library(dep::jemalloc ALIAS dep_jemalloc)
if(TARGET PkgConfig::jemalloc_lib AND NOT WEIR_SANITIZE)
	target_link_libraries(dep_jemalloc INTERFACE PkgConfig::jemalloc_lib)
endif()

find_package(Threads REQUIRED)

if(missing)
	list(JOIN missing " " missing)
	message(FATAL_ERROR "Packages are missing. On Debian: apt-get install ${missing}\n"
		"(-DWEIR_LIB_ONLY=ON builds the library alone, which needs none of them.)")
endif()
if(missing_optional)
	list(JOIN missing_optional " " missing_optional)
	message(STATUS "Optional packages not found, going on without: ${missing_optional}")
endif()
