// SPDX-License-Identifier: BSD-2-Clause
/*
 * main.c - weir-sim.
 */
#include "sim/cli/cli.h"

int main(int argc, char **argv)
{
	return sim_cli_main(argc, (const char **)argv);
}
