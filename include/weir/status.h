/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weir/status.h - what a function that can fail says: one enumeration for the whole library.
 *
 * Each value is the negative Linux errno of the same meaning, so that kernel glue returns it as it
 * is. WEIR_OK is 0; an error is negative. A function that fails leaves its object as it was.
 */
#ifndef WEIR_STATUS_H
#define WEIR_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

enum weir_status {
	WEIR_OK = 0,
	WEIR_ENOENT = -2,	/* nothing is mapped there */
	WEIR_EAGAIN = -11,	/* budget or room ran out: call again to go on */
	WEIR_ENOMEM = -12,	/* the caller's memory, or an op's allocation, does not suffice */
	WEIR_EFAULT = -14,	/* the access is not allowed whatever is done here */
	WEIR_EBUSY = -16,	/* somebody else is at work on this: try again later */
	WEIR_EINVAL = -22,	/* an argument is out of range or misaligned */
	WEIR_ERANGE = -34,	/* an address outside the region */
	WEIR_EOPNOTSUPP = -95,	/* this machine or configuration cannot do that */
	WEIR_ESHUTDOWN = -108,	/* too late: the object has been closed to this operation */
	WEIR_ESTALE = -116	/* an invalidation came between */
};

/**
 * weir_status_str() - a status in words
 * @status: any value
 *
 * Context: any.
 * Return: a constant string, such as "misaligned or out of range (EINVAL)"; never NULL.
 */
const char *weir_status_str(enum weir_status status);

#ifdef __cplusplus
}
#endif

#endif
