// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: each env header supplies the whole vocabulary of weir/env.h, with the values it promises,
 * at 8, 16, 32 and 64 bits, and read-modify-writes lose nothing beside their neighbours.
 * Method: every operation once on a number between two guards, the expected value worked out by
 * hand; then threads that hammer neighbouring bytes, whose sum is known.
 */
#include "weir/env.h"

#include "env_vocabulary.h"

#define CHECK(cond)				\
	do {					\
		if (!(cond))			\
			return __LINE__;	\
	} while (0)

static const uint8_t guard_uint8_t = 0xc3, top_uint8_t = 0x80, max_uint8_t = 0xff;
static const uint16_t guard_uint16_t = 0xc3a5, top_uint16_t = 0x8000, max_uint16_t = 0xffff;
static const uint32_t guard_uint32_t = 0xc3a5c3a5, top_uint32_t = 0x80000000,
		      max_uint32_t = 0xffffffff;
static const uint64_t guard_uint64_t = 0xc3a5c3a5c3a5c3a5, top_uint64_t = 0x8000000000000000,
		      max_uint64_t = 0xffffffffffffffff;

/*
 * One order of every read-modify-write on cell[1], between guards: start from 0x5a, then each
 * step's old and new value. 0xa5 sets and clears bits at both ends of a byte.
 */
#define RMW_CHECKER(type, order)							\
static int check_##type##_##order(void)							\
{											\
	type cell[3] = {guard_##type, 0x5a, guard_##type}, want;			\
	type *p = &cell[1];								\
											\
	CHECK(weir_fetch_add_##order(p, (type)0x11) == 0x5a && *p == 0x6b);		\
	CHECK(weir_fetch_add_##order(p, (type)-1) == 0x6b && *p == 0x6a);		\
	CHECK(weir_fetch_or_##order(p, (type)0xa5) == 0x6a && *p == 0xef);		\
	CHECK(weir_fetch_and_##order(p, (type)0x3c) == 0xef && *p == 0x2c);		\
	CHECK(weir_exchange_##order(p, top_##type) == 0x2c && *p == top_##type);	\
	want = 7;									\
	CHECK(!weir_cas_##order(p, &want, (type)1));					\
	CHECK(want == top_##type && *p == top_##type);					\
	CHECK(weir_cas_##order(p, &want, (type)0x33));					\
	CHECK(want == top_##type && *p == 0x33);					\
	weir_store_relaxed(p, max_##type);						\
	CHECK(weir_fetch_add_##order(p, (type)1) == max_##type && *p == 0);		\
	CHECK(cell[0] == guard_##type && cell[2] == guard_##type);			\
	return 0;									\
}

/* Loads and stores of one width, and every order of its read-modify-writes. */
#define WIDTH_CHECKER(type)								\
RMW_CHECKER(type, relaxed)								\
RMW_CHECKER(type, acquire)								\
RMW_CHECKER(type, release)								\
RMW_CHECKER(type, acq_rel)								\
static int check_##type(void)								\
{											\
	type cell[3] = {guard_##type, 0, guard_##type};					\
	type *p = &cell[1];								\
	int line;									\
											\
	weir_store_relaxed(p, max_##type);						\
	CHECK(weir_load_relaxed(p) == max_##type);					\
	CHECK(cell[0] == guard_##type && cell[2] == guard_##type);			\
	weir_store_release(p, top_##type);						\
	CHECK(weir_load_acquire(p) == top_##type);					\
	weir_plain_store(p, (type)3);							\
	CHECK(weir_plain_load(p) == 3);							\
	CHECK(cell[0] == guard_##type && cell[2] == guard_##type);			\
	if ((line = check_##type##_relaxed()) != 0 ||					\
	    (line = check_##type##_acquire()) != 0 ||					\
	    (line = check_##type##_release()) != 0)					\
		return line;								\
	return check_##type##_acq_rel();						\
}

WIDTH_CHECKER(uint8_t)
WIDTH_CHECKER(uint16_t)
WIDTH_CHECKER(uint32_t)
WIDTH_CHECKER(uint64_t)

static int check_rest(void)
{
	uint8_t bytes[4] = {1, 2, 3, 4}, copy[4] = {0, 0, 0, 9};
	unsigned int i;

	weir_fence_full();
	weir_pause();
	weir_prefetch(bytes);
	weir_prefetch((const void *)16);
	weir_memcpy(copy, bytes, 3);
	CHECK(copy[0] == 1 && copy[2] == 3 && copy[3] == 9);
	weir_memset(copy, 0x7f, 2);
	CHECK(copy[0] == 0x7f && copy[1] == 0x7f && copy[2] == 3);
	CHECK(weir_popcount64((uint64_t)0) == 0 && weir_popcount64(max_uint64_t) == 64);
	CHECK(weir_popcount64((uint64_t)0x8000000000000001) == 2);
	for (i = 0; i < 64; i++) {
		CHECK(weir_ctz64((uint64_t)1 << i) == i);
		CHECK(weir_ctz64(max_uint64_t << i) == i);
		CHECK(weir_popcount64(max_uint64_t >> i) == 64 - i);
	}
	weir_trace(1, (uint64_t)2, (uint64_t)3);
	weir_assert(i == 64);
	return 0;
}

int env_check_values(void)
{
	int line = check_uint8_t();

	if (!line)
		line = check_uint16_t();
	if (!line)
		line = check_uint32_t();
	if (!line)
		line = check_uint64_t();
	if (!line)
		line = check_rest();
	return line;
}

/*
 * Bytes and halves share one word with their neighbours. Threads add to [0], add by CAS to [1] and
 * toggle a bit of their own in [2] by or and and.
 */
static struct {
	uint64_t wide[3];
	uint32_t word[3];
	uint16_t half[3];
	uint8_t byte[3];
} shared;

#define CONTEND(field, type)								\
	do {										\
		type seen = weir_load_relaxed(&shared.field[1]);			\
											\
		(void)weir_fetch_add_relaxed(&shared.field[0], (type)1);		\
		while (!weir_cas_acq_rel(&shared.field[1], &seen, (type)(seen + 1)))	\
			weir_pause();							\
		(void)weir_fetch_or_acquire(&shared.field[2], (type)(1u << thread));	\
		(void)weir_fetch_and_release(&shared.field[2], (type)~(1u << thread));	\
	} while (0)

void env_contend(unsigned int thread, unsigned int rounds)
{
	unsigned int i;

	for (i = 0; i < rounds; i++) {
		CONTEND(byte, uint8_t);
		CONTEND(half, uint16_t);
		CONTEND(word, uint32_t);
		CONTEND(wide, uint64_t);
	}
}

#define CHECK_CONTENDED(field, type)				\
	CHECK(shared.field[0] == (type)(threads * rounds) &&	\
	      shared.field[1] == (type)(threads * rounds) && shared.field[2] == 0)

int env_check_contended(unsigned int threads, unsigned int rounds)
{
	CHECK_CONTENDED(byte, uint8_t);
	CHECK_CONTENDED(half, uint16_t);
	CHECK_CONTENDED(word, uint32_t);
	CHECK_CONTENDED(wide, uint64_t);
	return 0;
}

int env_violate(void)
{
	int always = 1;

	weir_assert(always);
	weir_assert(!always);
#ifdef __KERNEL__
	return shim_warnings;
#else
	return 0;
#endif
}
