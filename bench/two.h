/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * two.h - two CPUs at once: work that two threads share, and one thread's work with nobody else's
 * beside it.
 *
 * Both threads are pinned, each to a core of its own where there are two, and start from a barrier:
 * without that, two threads on a machine with other work run one after the other, and scaling reads
 * 1. Where the kernel permits it they have real-time priority while they work, so that a run is
 * theirs alone; where it does not, two_disturbed() says that somebody came in between, and the run
 * is done again.
 */
#ifndef WEIR_BENCH_TWO_H
#define WEIR_BENCH_TWO_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define TWO_LINE __attribute__((aligned(64)))

/** struct two - two threads, of which the caller is number 0 */
struct two {
	void (*work)(void *arg, unsigned int which);
	void *arg;
	pthread_t other;
	bool disturbed;
	uint64_t began_ns;		/* what the caller had used, and what time it was */
	uint64_t began_cpu_ns;
	TWO_LINE int ready;
	TWO_LINE int go;
	TWO_LINE int done;
};

/** two_possible() - whether there are two CPUs for us */
bool two_possible(void);

/** two_prepare() - work and arg are set; makes thread 1, which waits */
void two_prepare(struct two *t);
/** two_run() - work(arg, 0) here and work(arg, 1) there, until both are done */
void two_run(struct two *t);
/** two_finish() - thread 1 is gone, and the caller as it was before */
void two_finish(struct two *t);
/** two_disturbed() - whether other work delayed one of the two in the run that has ended */
bool two_disturbed(const struct two *t);

/** two_hold() - keep the second CPU busy with nothing until two_release() */
void two_hold(struct two *t);
void two_release(struct two *t);

#endif
