// SPDX-License-Identifier: BSD-2-Clause
/*
 * host.c - the machine that the benches run on: its clock, its caches, its memory.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

#define HUGE_BYTES	((size_t)2 << 20)
#define LINE_BYTES	64u

void host_die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	fputs("weir-bench: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
	exit(3);
}

/* Of this thread: what neighbours run in our time slices is not counted. Costs about 0.2 us. */
uint64_t host_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The number at the start of a file such as ".../size" ("491520K"); 0 if there is none. */
static uint64_t read_size(const char *path)
{
	FILE *f = fopen(path, "r");
	unsigned long long n = 0;
	char unit = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%llu%c", &n, &unit) < 1)
		n = 0;
	fclose(f);
	return unit == 'K' ? n << 10 : unit == 'M' ? n << 20 : n;
}

/* The largest cache of CPU 0. Kernels for arm64 tell sysconf() nothing. */
uint64_t host_llc_bytes(void)
{
	uint64_t most = 0;
	char path[96];
	int i;

	for (i = 0; i < 8; i++) {
		uint64_t bytes;

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
		bytes = read_size(path);
		if (bytes > most)
			most = bytes;
	}
	if (!most) {
		long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);

		most = bytes > 0 ? (uint64_t)bytes : (uint64_t)32 << 20;
	}
	return most;
}

uint64_t host_available_bytes(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	unsigned long long kib = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib << 10;
}

static size_t whole(size_t bytes)
{
	return (bytes + (HUGE_BYTES - 1u)) & ~(HUGE_BYTES - 1u);
}

/* Aligned to 2 MiB, by mapping one page size too much and giving back the ends. */
void *host_alloc(size_t bytes)
{
	size_t size = whole(bytes), head;
	char *mem = mmap(NULL, size + HUGE_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (mem == MAP_FAILED)
		host_die("no memory: %zu MiB", size >> 20);
	head = (HUGE_BYTES - ((uintptr_t)mem & (HUGE_BYTES - 1u))) & (HUGE_BYTES - 1u);
	if (head)
		munmap(mem, head);
	munmap(mem + head + size, HUGE_BYTES - head);
	(void)madvise(mem + head, size, MADV_HUGEPAGE);
	memset(mem + head, 0, size);	/* so that no run pays for page faults */
	return mem + head;
}

void host_free(void *mem, size_t bytes)
{
	if (mem)
		munmap(mem, whole(bytes));
}

void host_flush(const void *mem, size_t bytes)
{
	const char *at = mem, *end = at + bytes;

	for (; at < end; at += LINE_BYTES) {
#if defined(__x86_64__)
		__asm__ __volatile__("clflush (%0)" : : "r"(at) : "memory");
#elif defined(__aarch64__)
		__asm__ __volatile__("dc civac, %0" : : "r"(at) : "memory");
#else
#error "host_flush() needs this architecture's cache flush"
#endif
	}
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/*
 * 1 GiB of region has 2 MiB of descriptors. Rounded up to 64 GiB, and at most a third of the memory
 * that is free.
 */
uint32_t bench_region_gib(void)
{
	static uint32_t gib;
	uint64_t want, can;

	if (gib)
		return gib;
	want = ((4u * host_llc_bytes() >> 21) + 63u) & ~(uint64_t)63u;
	can = (host_available_bytes() / 3u >> 21) & ~(uint64_t)63u;
	if (can < want) {
		fprintf(stderr,
			"weir-bench: memory for %" PRIu64 " MiB of descriptors only, not for "
			"four last-level caches (%" PRIu64 " MiB)\n", can << 1, want << 1);
		want = can;
	}
	gib = (uint32_t)(want < 64u ? 64u : want);
	return gib;
}
