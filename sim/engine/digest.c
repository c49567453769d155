// SPDX-License-Identifier: BSD-2-Clause
/*
 * sim/engine/digest.c - XXH3-128, compiled in from its header.
 *
 * Compiled in, the state is an object of a known size that can lie in our own memory; the library
 * would hand out a pointer into the middle of an allocation, which leak checkers cannot follow.
 */
#include "sim/engine/digest.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sim/engine/error.h"

struct sim_digest {
	XXH3_state_t state;
};

struct sim_digest *sim_digest_create(void)
{
	struct sim_digest *digest =
		aligned_alloc(_Alignof(struct sim_digest), sizeof(struct sim_digest));

	if (!digest)
		sim_out_of_memory(1, sizeof(*digest), "digest");
	memset(digest, 0, sizeof(*digest));
	XXH3_128bits_reset(&digest->state);
	return digest;
}

void sim_digest_destroy(struct sim_digest *digest)
{
	free(digest);
}

void sim_digest_update(struct sim_digest *digest, const void *bytes, size_t len)
{
	XXH3_128bits_update(&digest->state, bytes, len);
}

void sim_digest_get(const struct sim_digest *digest, uint8_t out[SIM_DIGEST_BYTES])
{
	XXH128_canonical_t canonical;

	XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&digest->state));
	memcpy(out, canonical.digest, SIM_DIGEST_BYTES);
}

void sim_digest_hex(const struct sim_digest *digest, char out[SIM_DIGEST_HEX_BYTES])
{
	static const char digits[] = "0123456789abcdef";
	uint8_t bytes[SIM_DIGEST_BYTES];

	sim_digest_get(digest, bytes);
	for (size_t i = 0; i < SIM_DIGEST_BYTES; i++) {
		out[2 * i] = digits[bytes[i] >> 4];
		out[2 * i + 1] = digits[bytes[i] & 15];
	}
	out[SIM_DIGEST_HEX_BYTES - 1] = '\0';
}
