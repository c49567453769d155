// SPDX-License-Identifier: BSD-2-Clause
/*
 * two.c - two CPUs at once: see two.h.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <time.h>

#include "bench.h"
#include "two.h"

static cpu_set_t allowed;
static unsigned int cpus[2];
static int ncpus = -1;

/* A number of a CPU's topology; -1 if it is not told. */
static int topology(unsigned int cpu, const char *what)
{
	char path[96];
	int n = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/%s", cpu, what);
	f = fopen(path, "r");
	if (!f)
		return -1;
	if (fscanf(f, "%d", &n) != 1)
		n = -1;
	fclose(f);
	return n;
}

static bool same_core(unsigned int a, unsigned int b)
{
	int core = topology(a, "core_id");

	return core >= 0 && core == topology(b, "core_id") &&
	       topology(a, "physical_package_id") == topology(b, "physical_package_id");
}

/* The first CPU that we may use, and the first on another core; failing that, the next one. */
static void choose_cpus(void)
{
	unsigned int cpu;

	if (ncpus >= 0)
		return;
	ncpus = 0;
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		if (ncpus == 2 && same_core(cpus[0], cpu))
			continue;
		cpus[ncpus ? 1 : 0] = cpu;
		ncpus += ncpus < 2;
		if (ncpus == 2 && !same_core(cpus[0], cpu))
			break;
	}
}

bool two_possible(void)
{
	choose_cpus();
	return ncpus == 2;
}

/* On a CPU of its own and before all others; or back to what it was. */
static void privilege(unsigned int which, bool on)
{
	struct sched_param param = { .sched_priority = on ? 1 : 0 };
	cpu_set_t set = allowed;

	if (on) {
		CPU_ZERO(&set);
		CPU_SET(cpus[which], &set);
	}
	(void)sched_setaffinity(0, sizeof(set), &set);
	/* May be refused: two_disturbed() is for that case. */
	(void)sched_setscheduler(0, on ? SCHED_FIFO : SCHED_OTHER, &param);
}

static uint64_t wall_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline void relax(void)
{
#if defined(__x86_64__)
	__asm__ __volatile__("pause" : : : "memory");
#elif defined(__aarch64__)
	__asm__ __volatile__("yield" : : : "memory");
#endif
}

static void wait_for(const int *flag)
{
	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
		relax();
}

/* More than a fiftieth of the time was somebody else's. */
static bool stolen(uint64_t wall, uint64_t cpu)
{
	return wall > cpu + cpu / 50u + 20000u;
}

static void *other_thread(void *arg)
{
	struct two *t = arg;
	uint64_t wall, cpu;

	privilege(1, true);
	__atomic_store_n(&t->ready, 1, __ATOMIC_RELEASE);
	wait_for(&t->go);
	wall = wall_ns();
	cpu = host_now_ns();
	t->work(t->arg, 1);
	cpu = host_now_ns() - cpu;
	wall = wall_ns() - wall;
	__atomic_store_n(&t->done, 1, __ATOMIC_RELEASE);
	return stolen(wall, cpu) ? t : NULL;
}

void two_prepare(struct two *t)
{
	t->ready = 0;
	t->go = 0;
	t->done = 0;
	if (!two_possible() || pthread_create(&t->other, NULL, other_thread, t))
		host_die("no second thread");
	wait_for(&t->ready);
	privilege(0, true);
	t->began_ns = wall_ns();
	t->began_cpu_ns = host_now_ns();
}

void two_run(struct two *t)
{
	__atomic_store_n(&t->go, 1, __ATOMIC_RELEASE);
	t->work(t->arg, 0);
	wait_for(&t->done);
}

void two_finish(struct two *t)
{
	uint64_t cpu = host_now_ns() - t->began_cpu_ns, wall = wall_ns() - t->began_ns;
	void *stolen_there;

	privilege(0, false);
	pthread_join(t->other, &stolen_there);
	t->disturbed = stolen_there || stolen(wall, cpu);
}

bool two_disturbed(const struct two *t)
{
	return t->disturbed;
}

static void hold(void *arg, unsigned int which)
{
	(void)which;
	wait_for(arg);
}

void two_hold(struct two *t)
{
	static int over;

	over = 0;
	t->work = hold;
	t->arg = &over;
	two_prepare(t);
	__atomic_store_n(&t->go, 1, __ATOMIC_RELEASE);
}

void two_release(struct two *t)
{
	__atomic_store_n((int *)t->arg, 1, __ATOMIC_RELEASE);
	two_finish(t);
}
