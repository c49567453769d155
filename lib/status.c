// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * status.c - a status in words. Stands alone so that a small firmware can leave it out.
 */
#include "weir/env.h"
#include "weir/status.h"

WEIR_API const char *weir_status_str(enum weir_status status)
{
	switch (status) {
	case WEIR_OK:
		return "success";
	case WEIR_ENOENT:
		return "nothing is mapped there (ENOENT)";
	case WEIR_EAGAIN:
		return "budget or room ran out, call again (EAGAIN)";
	case WEIR_ENOMEM:
		return "out of memory (ENOMEM)";
	case WEIR_EFAULT:
		return "the access is not allowed (EFAULT)";
	case WEIR_EBUSY:
		return "somebody else is at work on this (EBUSY)";
	case WEIR_EINVAL:
		return "misaligned or out of range (EINVAL)";
	case WEIR_ERANGE:
		return "outside the region (ERANGE)";
	case WEIR_EOPNOTSUPP:
		return "this machine or configuration cannot do that (EOPNOTSUPP)";
	case WEIR_ESHUTDOWN:
		return "too late, closed to this operation (ESHUTDOWN)";
	case WEIR_ESTALE:
		return "an invalidation came between (ESTALE)";
	}
	return "unknown status";
}
