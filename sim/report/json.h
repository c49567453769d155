/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/report/json.h - reading and writing JSON with messages that name the file and the field.
 *
 * JSON integers are signed 64-bit here (jansson); a larger unsigned value is written as a string of
 * decimal digits, and read back from either.
 */
#ifndef SIM_REPORT_JSON_H
#define SIM_REPORT_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct sim_error;

/** sim_json_u64() - a number, or digits in a string where a JSON integer cannot hold it */
json_t *sim_json_u64(uint64_t value);

/** sim_json_load() - parse DIR/NAME; NULL with @err = FILE:LINE: ... if it cannot be read */
json_t *sim_json_load(const char *path, struct sim_error *err);

/** sim_json_write() - write atomically, indented; takes over @root; false with @err set */
bool sim_json_write(const char *path, json_t *root, struct sim_error *err);

/*
 * Fields of an object that must be there and of their type. On failure they say so in @err, once,
 * and return 0, "", or NULL: look at @err after a series of reads.
 */
uint64_t sim_json_get_u64(const json_t *object, const char *key, const char *file,
			  struct sim_error *err);
const char *sim_json_get_str(const json_t *object, const char *key, const char *file,
			     struct sim_error *err);
json_t *sim_json_get_array(const json_t *object, const char *key, const char *file,
			   struct sim_error *err);

/** sim_json_as_u64() - false if @value is not what sim_json_u64() makes */
bool sim_json_as_u64(const json_t *value, uint64_t *out);

#endif
