/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/report/files.h - a run directory on disk: made, replaced, written, without surprises.
 *
 * F1  A directory that holds anything is never touched without --force, and with it only if every
 *     single entry is one that a run writes: nothing of a person's is ever deleted.
 * F2  A file appears under its name complete or not at all: it is written beside, every write and
 *     the close checked, and renamed.
 */
#ifndef SIM_REPORT_FILES_H
#define SIM_REPORT_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct sim_error;

/**
 * sim_rundir_claim() - may a run be written into this directory?
 * @path: made, with its parents, if it does not exist
 * @force: an earlier run in it may be replaced
 * @made: set to whether it was made here
 * @err: says what is in the way
 *
 * Return: true; false. Nothing is deleted in either case.
 */
bool sim_rundir_claim(const char *path, bool force, bool *made, struct sim_error *err);

/** sim_rundir_clear() - delete what an earlier run left; after claim(), before the first write */
bool sim_rundir_clear(const char *path, struct sim_error *err);

/** sim_dir_make() - one directory below an existing one; false with @err set */
bool sim_dir_make(const char *path, struct sim_error *err);

/** sim_file_write() - all of a file, atomically; false with @err set and no file left over */
bool sim_file_write(const char *path, const char *bytes, size_t len, struct sim_error *err);

/** sim_path_join() - "a/b", or "b" alone if @a is "" or "."; free() it */
char *sim_path_join(const char *a, const char *b);

/** sim_path_exists() - is there anything of that name? */
bool sim_path_exists(const char *path);

#endif
