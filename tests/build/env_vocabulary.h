/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The vocabulary test in two halves: env_vocabulary.c is compiled against one world's env header
 * and must not see the C library's headers (one of the worlds is a kernel); env_runner.c is CMocka.
 */
#ifndef TESTS_BUILD_ENV_VOCABULARY_H
#define TESTS_BUILD_ENV_VOCABULARY_H

/* Every operation once at every width. 0, or the number of the source line that found a mistake. */
int env_check_values(void);

/* What each of several threads does to the shared state, and what must be left of it. */
void env_contend(unsigned int thread, unsigned int rounds);
int env_check_contended(unsigned int threads, unsigned int rounds);

/* Counted by the stand-in kernel's WARN_ON_ONCE(). */
extern int shim_warnings;

/*
 * One assertion that holds, then one that does not. Where that is only reported, as in a kernel,
 * the number of reports; elsewhere it does not return.
 */
int env_violate(void);

#endif
