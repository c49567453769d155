# SPDX-License-Identifier: BSD-2-Clause
#
# The library's sources, one a line. lib/Kbuild lists the same (a test compares the two).
set(WEIR_SOURCES
	dirty.c
	dirty_assume.c
	dirty_choose.c
	dirty_fault.c
	dirty_freeze.c
	dirty_leaf.c
	dirty_learn.c
	dirty_mark.c
	dirty_pass.c
	dirty_read.c
	dirty_readers.c
	dirty_ring.c
	dirty_scanset.c
	dirty_take.c
	status.c
	version.c
	xlate.c
	xlate_fill.c
	xlate_invalidate.c
	xlate_lookup.c
)
