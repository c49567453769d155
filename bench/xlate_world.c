// SPDX-License-Identifier: BSD-2-Clause
/*
 * xlate_world.c - keys, streams, and the second thread. See xlate_world.h.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "xlate_world.h"

/* Longer than what a branch predictor learns by heart. */
#define STREAM_MIN	32768u
#define STREAM_MAX	65536u

static uint32_t next(uint64_t *x)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*x >> 33);
}

static void *get(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		host_die("out of memory");
	return p;
}

static bool seen(const struct xw *w, uint32_t n, struct xw_key k, uint64_t *bits)
{
	/* 256 devices of 2048 events: one bit each. */
	uint32_t d, at;

	(void)n;
	for (d = 0; d < 256u && w->keys[d].device != k.device; d++)
		;
	at = d * 2048u + k.event;
	if (bits[at / 64u] >> at % 64u & 1u)
		return true;
	bits[at / 64u] |= (uint64_t)1 << at % 64u;
	return false;
}

static void irregular(struct xw *w)
{
	uint64_t x = 42, *bits = get(257u * 2048u / 64u, sizeof(*bits));
	struct xw_key *devices = get(256u, sizeof(*devices)), *keys = w->keys;
	uint32_t i;

	for (i = 0; i < 256u; i++)
		devices[i].device = next(&x) & 0xffffu;
	w->keys = devices;
	for (i = 0; i < w->nkeys; i++)
		do {
			keys[i].device = devices[next(&x) % 256u].device;
			keys[i].event = next(&x) % 2048u;
		} while (seen(w, i, keys[i], bits));
	w->keys = keys;
	free(devices);
	free(bits);
}

struct xw *xw_new(const struct bench_params *params, uint32_t rounds)
{
	struct xw *w = get(1, sizeof(*w));
	uint32_t i;

	w->params = *params;
	/* Long enough that the other thread gets a CPU of its own for most of the time. */
	w->rounds = params->threads > 1u ? rounds * 64u : rounds;
	w->nkeys = params->keys;
	w->keys = get(w->nkeys, sizeof(*w->keys));
	for (i = 0; i < w->nkeys && !params->irregular; i++) {
		w->keys[i].device = XW_FIRST_DEVICE + i / 2048u;
		w->keys[i].event = i % 2048u;
	}
	if (params->irregular)
		irregular(w);
	xw_stream(w);
	return w;
}

void xw_stream(struct xw *w)
{
	uint64_t x = 7;
	uint32_t i;

	free(w->stream);
	w->nstream = w->nkeys < STREAM_MIN ? STREAM_MIN : STREAM_MAX;
	w->stream = get(w->nstream, sizeof(*w->stream));
	w->want = 0;
	for (i = 0; i < w->nstream; i++) {
		w->stream[i] = w->keys[next(&x) % w->nkeys];
		w->want += xw_value(w->stream[i].device, w->stream[i].event);
	}
}

void xw_in_sequence(struct xw *w)
{
	uint32_t i;

	w->want = 0;
	for (i = 0; i < w->nstream; i++) {
		w->stream[i] = w->keys[i % w->nkeys];
		w->want += xw_value(w->stream[i].device, w->stream[i].event);
	}
}

static void *other_thread(void *arg)
{
	struct xw *w = arg;
	uint64_t sum = 0;

	if (w->thread_enter)
		w->thread_enter();
	__atomic_store_n(&w->started, 1, __ATOMIC_RELAXED);
	while (!__atomic_load_n(&w->stop, __ATOMIC_RELAXED))
		sum += w->loop(w);
	if (w->thread_leave)
		w->thread_leave();
	return (void *)(uintptr_t)sum;
}

void xw_prepare(void *state)
{
	struct xw *w = state;

	if (w->thread_enter && !w->running)
		w->thread_enter();
	w->running = true;
	w->got = w->loop(w);		/* warm */
	w->stop = 0;
	w->started = 0;
	if (w->params.threads < 2u)
		return;
	if (pthread_create(&w->other, NULL, other_thread, w))
		host_die("no thread");
	while (!__atomic_load_n(&w->started, __ATOMIC_RELAXED))
		sched_yield();
}

uint64_t xw_run(void *state)
{
	struct xw *w = state;
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < w->rounds; i++)
		sum += w->loop(w);
	w->got = sum;
	return (uint64_t)w->rounds * w->nstream;
}

bool xw_check(void *state)
{
	struct xw *w = state;

	__atomic_store_n(&w->stop, 1, __ATOMIC_RELAXED);
	if (w->params.threads > 1u)
		pthread_join(w->other, NULL);
	return w->got == w->want * w->rounds;
}

void xw_teardown(void *state)
{
	struct xw *w = state;

	if (w->running && w->thread_leave)
		w->thread_leave();
	if (w->fini)
		w->fini(w);
	free(w->stream);
	free(w->keys);
	free(w);
}
