// SPDX-License-Identifier: BSD-2-Clause
/*
 * main.c - weir-sim.
 */
#include "sim/cli/cli.h"

#include <fcntl.h>

/*
 * A standard stream that the caller closed would be the number of the next file that is opened, and
 * messages would go into that file. Read-only, so that writing to it fails as before.
 */
static void hold_standard_streams(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) == -1)
			(void)open("/dev/null", O_RDONLY);
	}
}

int main(int argc, char **argv)
{
	hold_standard_streams();
	return sim_cli_main(argc, (const char **)argv);
}
