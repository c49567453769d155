/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * weir/weir.h - the whole public API in one include.
 */
#ifndef WEIR_WEIR_H
#define WEIR_WEIR_H

#include "weir/dirty.h"
#include "weir/status.h"
#include "weir/version.h"
#include "weir/xlate.h"

#endif
