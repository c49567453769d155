// SPDX-License-Identifier: BSD-2-Clause
/*
 * weir_dirty_size() and weir_dirty_init(): the caller owns the memory; a configuration that cannot
 * be honoured is refused by name, and nothing is written.
 */
#include "tables.h"

int main(void)
{
	static struct tables tables;
	struct weir_dirty_config cfg = {
		.base_gfn = BASE_GFN,
		.npages = (uint64_t)48 << 18,	/* 48 GiB of 4 KiB pages */
		.policy = WEIR_DIRTY_ADAPTIVE,
		.flags = WEIR_DIRTY_F_DBM,
	};
	size_t size = weir_dirty_size(&cfg);
	void *mem = aligned_alloc(64, (size + 63) / 64 * 64);
	struct weir_dirty *d = NULL;
	enum weir_status status;

	expect(mem != NULL);
	printf("a region of 48 GiB takes %zu bytes\n", size);
	expect(weir_dirty_init(mem, size, &cfg, &tables_ops, &tables, &d) == WEIR_OK);

	/* The fixed policy hands pages to the hardware: it needs DBM. */
	cfg.policy = WEIR_DIRTY_FIXED;
	cfg.neighbourhood = 64;
	cfg.flags = 0;
	status = weir_dirty_init(mem, size, &cfg, &tables_ops, &tables, &d);
	printf("fixed without DBM: %s\n", weir_status_str(status));
	expect(status == WEIR_EOPNOTSUPP);
	expect(weir_dirty_size(&cfg) == 0);
	free(mem);
	return 0;
}
