// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_version() and weir_status_str(): is the library that was linked the one whose headers were
 * compiled against? Before 1.0 a minor version may change the ABI.
 */
#include <stdio.h>
#include <string.h>

#include <weir/weir.h>

int main(void)
{
	printf("headers %s, library %s\n", WEIR_VERSION_STRING, weir_version());
	if (strcmp(weir_version(), WEIR_VERSION_STRING) != 0)
		return 1;
	printf("what a stale lease is answered with: %s\n", weir_status_str(WEIR_ESTALE));
	return 0;
}
