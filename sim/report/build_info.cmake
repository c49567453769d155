# SPDX-License-Identifier: BSD-2-Clause
#
# Run at every build: cmake -DSOURCE=DIR -DOUT=FILE -DFLAGS=TEXT -P build_info.cmake
# Writes the commit and whether tracked files differ from it; touches the file only if that changed,
# so that nothing is compiled again in vain.

set(commit unknown)
set(dirty false)
find_program(GIT git)
if(GIT)
	execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse HEAD
		OUTPUT_VARIABLE out ERROR_QUIET RESULT_VARIABLE failed
		OUTPUT_STRIP_TRAILING_WHITESPACE)
	if(NOT failed)
		set(commit ${out})
		execute_process(COMMAND ${GIT} -C ${SOURCE} status --porcelain
			--untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
		if(NOT changes STREQUAL "")
			set(dirty true)
		endif()
	endif()
endif()
string(REPLACE "\"" "\\\"" flags "${FLAGS}")
string(CONCAT text
	"#define SIM_BUILD_COMMIT \"${commit}\"\n"
	"#define SIM_BUILD_DIRTY ${dirty}\n"
	"#define SIM_BUILD_FLAGS \"${flags}\"\n")
set(old "")
if(EXISTS ${OUT})
	file(READ ${OUT} old)
endif()
if(NOT old STREQUAL text)
	file(WRITE ${OUT} "${text}")
endif()
