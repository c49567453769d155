// SPDX-License-Identifier: BSD-2-Clause
/*
 * What a real kernel's build system links the library and the vocabulary test into, to see that it
 * can. kernel.sh builds it; it is never loaded.
 */
#include <linux/module.h>
#include <linux/printk.h>

#include "weir/weir.h"

#include "env_vocabulary.h"

int shim_warnings;

static int __init weir_check_init(void)
{
	pr_info("weir %s: %s\n", weir_version(), weir_status_str(WEIR_OK));
	return env_check_values() ? WEIR_EINVAL : WEIR_OK;
}
module_init(weir_check_init);

MODULE_DESCRIPTION("Weir, compiled as kernel code");
MODULE_LICENSE("Dual BSD/GPL");
