// SPDX-License-Identifier: BSD-2-Clause
/*
 * Somebody else's program: prints the version it was linked with, if all is well.
 */
#include <stdio.h>
#include <string.h>

#include <weir/weir.h>

int main(void)
{
	if (strcmp(weir_version(), WEIR_VERSION_STRING) != 0)
		return 1;
	if (strcmp(weir_status_str(WEIR_OK), "success") != 0)
		return 1;
	puts(weir_version());
	return 0;
}
