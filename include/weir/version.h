/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weir/version.h - the version of the headers, and of the library that was linked.
 */
#ifndef WEIR_VERSION_H
#define WEIR_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_VERSION_MAJOR 0
#define WEIR_VERSION_MINOR 1
#define WEIR_VERSION_PATCH 0
#define WEIR_VERSION_STRING "0.1.0"

/**
 * weir_version() - the version of the library that is linked
 *
 * Context: any.
 * Return: a constant string of the form "MAJOR.MINOR.PATCH".
 */
const char *weir_version(void);

#ifdef __cplusplus
}
#endif

#endif
