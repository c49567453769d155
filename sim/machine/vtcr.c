// SPDX-License-Identifier: BSD-2-Clause
/*
 * vtcr.c - VTCR_EL2 and what it means: see vtcr.h.
 */
#include "sim/machine/vtcr.h"

#define IA_BITS_MIN	16u	/* T0SZ 48: FEAT_TTST */
#define NO_LEVEL	4

uint64_t sim_vtcr_encode(const struct sim_vtcr_fields *f)
{
	uint64_t tg0 = f->granule_shift == 12 ? 0 : f->granule_shift == 16 ? 1 : 2;
	uint64_t value = UINT64_C(0x80003500);	/* RES1, SH0=3, ORGN0=IRGN0=1 */

	value |= f->t0sz | (uint64_t)f->sl0 << 6 | tg0 << 14 | (uint64_t)f->ps << 16;
	value |= (uint64_t)f->ha << 21 | (uint64_t)f->hd << 22;
	return value | (uint64_t)f->ds << 32 | (uint64_t)f->sl2 << 33;
}

/* DS says nothing at 64 KiB. */
static bool has_ds(const struct sim_vtcr_fields *f)
{
	return f->ds && f->granule_shift != 16;
}

static int start_level(const struct sim_vtcr_fields *f)
{
	static const int level[3][4] = {
		{ 2, 1, 0, 3 },		/* 4 KiB */
		{ 3, 2, 1, 0 },		/* 16 KiB */
		{ 3, 2, 1, NO_LEVEL },	/* 64 KiB */
	};

	if (has_ds(f) && f->sl2)
		return f->granule_shift == 12 && f->sl0 == 0 ? -1 : NO_LEVEL;
	return level[(f->granule_shift - 12) / 2][f->sl0];
}

static unsigned int ia_bits_max(const struct sim_vtcr_fields *f)
{
	return has_ds(f) || f->granule_shift == 16 ? 52 : 48;
}

static unsigned int clamp(unsigned int value, unsigned int min, unsigned int max)
{
	return value < min ? min : value > max ? max : value;
}

bool sim_vtcr_geometry(const struct sim_vtcr_fields *f, struct sim_s2_geometry *geo)
{
	unsigned int gs = f->granule_shift, stride = gs - 3;
	unsigned int ia_bits = 64 - f->t0sz;
	int level = start_level(f);
	bool ok = true;
	unsigned int below;

	/* A level that the granule has, whether or not hardware will start there. */
	if (level == NO_LEVEL || (gs == 14 && level == 0 && !has_ds(f))) {
		ok = false;
		level = 1;
	}
	below = gs + (unsigned int)(3 - level) * stride;
	*geo = (struct sim_s2_geometry){
		.granule_shift = gs,
		.start_level = level,
		.ia_bits = clamp(clamp(ia_bits, below + 1, below + stride + 4), IA_BITS_MIN,
				 ia_bits_max(f)),
		.ds = has_ds(f),
	};
	return ok && geo->ia_bits == ia_bits;
}

struct sim_vtcr sim_vtcr_walker(const struct sim_vtcr_fields *f)
{
	static const uint8_t pa_bits[8] = { 32, 36, 40, 42, 44, 48, 52, 52 };
	struct sim_s2_geometry geo;

	return (struct sim_vtcr){
		.ha = f->ha,
		.hd = f->hd,
		.pa_bits = pa_bits[f->ps & 7],
		.inconsistent = !sim_vtcr_geometry(f, &geo),
	};
}

bool sim_vtcr_base52(const struct sim_vtcr_fields *f)
{
	return f->ps >= 6 && (has_ds(f) || f->granule_shift == 16);
}
