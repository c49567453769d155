/* SPDX-License-Identifier: BSD-2-Clause */
/* Stand-in for the kernel's <linux/processor.h>: a spin-wait hint. */
#ifndef SHIM_LINUX_PROCESSOR_H
#define SHIM_LINUX_PROCESSOR_H

#define cpu_relax() __asm__ __volatile__("" ::: "memory")

#endif
