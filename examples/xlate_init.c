// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_xlate_size(), weir_xlate_init(): memory is the caller's; what is impossible is refused.
 */
#include "its.h"

int main(void)
{
	struct weir_xlate_config cfg = { .capacity = 65536 };
	struct weir_xlate *c = NULL;
	size_t size = weir_xlate_size(&cfg);
	void *mem = aligned_alloc(64, (size + 63) / 64 * 64);

	printf("65536 translations: %zu KiB\n", size >> 10);
	expect(size <= (size_t)4 << 20);
	expect(mem && weir_xlate_init(mem, size, &cfg, NULL, NULL, &c) == WEIR_OK);
	expect(weir_xlate_residency(c) == 0);
	/* No counterpart to init: the memory is simply given back. */
	free(mem);

	cfg.device_stride = 16;		/* must be odd */
	expect(weir_xlate_size(&cfg) == 0);
	return 0;
}
