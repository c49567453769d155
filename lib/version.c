// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * version.c - the version of the library that is linked.
 */
#include "weir/env.h"
#include "weir/version.h"

WEIR_API const char *weir_version(void)
{
	return WEIR_VERSION_STRING;
}
