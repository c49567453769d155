/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/engine/digest.h - the 128-bit digest by which two runs are told apart: XXH3-128.
 *
 * The value depends on the bytes alone: not on how they were cut into updates, nor on the host.
 * Cost: about 4 ns for 32 bytes in updates of 2 KiB and more, three times that in small ones.
 */
#ifndef SIM_ENGINE_DIGEST_H
#define SIM_ENGINE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define SIM_DIGEST_BYTES 16u
#define SIM_DIGEST_HEX_BYTES 33u /* with the NUL */

struct sim_digest;

/** sim_digest_create() - of nothing yet; does not fail (see sim_alloc()) */
struct sim_digest *sim_digest_create(void);
void sim_digest_destroy(struct sim_digest *digest);

/** sim_digest_update() - append bytes */
void sim_digest_update(struct sim_digest *digest, const void *bytes, size_t len);

/** sim_digest_get() - the digest so far, big-endian (XXH3's canonical form); more may follow */
void sim_digest_get(const struct sim_digest *digest, uint8_t out[SIM_DIGEST_BYTES]);

/** sim_digest_hex() - the same as 32 lower-case hexadecimal digits */
void sim_digest_hex(const struct sim_digest *digest, char out[SIM_DIGEST_HEX_BYTES]);

#endif
