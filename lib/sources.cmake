# SPDX-License-Identifier: BSD-2-Clause
#
# The library's sources, one a line. lib/Kbuild lists the same (a test compares the two).
set(WEIR_SOURCES
	status.c
	version.c
)
