/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sim/engine/param.h - every knob of the simulator, by name, with unit, range, default and source.
 *
 * A component describes its parameters in a static table; a scenario registers the tables of the
 * components it is made of; a configuration file and the command line set values by name; the
 * component reads them once, when it is set up. A name is `component.noun_unit`, lower case:
 * `link.bandwidth_bytes_per_s`, `cost.fault_exit_ns`, `workload.trace`.
 *
 * P1  Every parameter always has a valid value: the default is checked by the same rules when its
 *     table is registered (a bad default is a bug, and aborts).
 * P2  A value that is refused changes nothing.
 * P3  Parameters keep the order of registration. Nothing here depends on addresses or on time.
 * P4  The text of a value (sim_params_text) is canonical: setting it again gives the same value.
 *
 * What values look like:
 *   U64     decimal digits, `_` allowed between digits, or hexadecimal after 0x; then, for either,
 *           at most one suffix: k M G T (powers of 1000) or Ki Mi Gi Ti (powers of 1024). No sign,
 *           no blank, no exponent, no leading zero ("010" means eight to some and ten to others).
 *   BOOL    on off, true false, yes no, 1 0. Canonical: on, off.
 *   ENUM    one of the choices, exactly.
 *   STRING  UTF-8 without control characters, `min` to `max` bytes long (max 0: 4096).
 *   PATH    as STRING: a file to read. In a configuration file a relative path is relative to that
 *           file, on the command line to the current directory. "" is no file, "-" standard input.
 *
 * Concurrency: none; one thread. Cost: setting and reading are linear in the number of parameters
 * (about a hundred): read them at set-up, not in an event.
 *
 * Source of the idea: Arm's fast models (--list-params, -C name=value), ns-3 attributes, gem5's
 * resolved config.ini.
 */
#ifndef SIM_ENGINE_PARAM_H
#define SIM_ENGINE_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct sim_error;

enum sim_param_type {
	SIM_PARAM_U64 = 0,
	SIM_PARAM_BOOL,
	SIM_PARAM_ENUM,
	SIM_PARAM_STRING,
	SIM_PARAM_PATH
};

/* Where the value of a parameter came from. */
enum sim_param_origin {
	SIM_PARAM_DEFAULT = 0,
	SIM_PARAM_FILE,
	SIM_PARAM_COMMAND_LINE
};

/**
 * struct sim_param - a parameter, as its component declares it in a static table
 * @name: component.noun_unit
 * @type: what kind of value it takes
 * @unit: "ns", "bytes", "bytes/s", "pages", "per mille"; "" for a pure number or a name
 * @def: the default, written as a user would write it
 * @min: smallest value (U64), shortest text in bytes (STRING)
 * @max: largest value (U64), longest text in bytes (STRING; 0: 4096)
 * @choices: for ENUM, the values, ending with NULL
 * @source: where the default comes from: a publication, a specification, a measurement, "choice"
 * @description: one line for a person
 */
struct sim_param {
	const char *name;
	enum sim_param_type type;
	const char *unit;
	const char *def;
	uint64_t min, max;
	const char *const *choices;
	const char *source;
	const char *description;
};

/* Table entries in short. */
#define SIM_PARAM_U64_ENTRY(name_, unit_, def_, min_, max_, source_, description_)              \
	{ .name = (name_), .type = SIM_PARAM_U64, .unit = (unit_), .def = (def_),               \
	  .min = (min_), .max = (max_), .source = (source_), .description = (description_) }
#define SIM_PARAM_BOOL_ENTRY(name_, def_, source_, description_)                                \
	{ .name = (name_), .type = SIM_PARAM_BOOL, .unit = "", .def = (def_),                   \
	  .source = (source_), .description = (description_) }
#define SIM_PARAM_ENUM_ENTRY(name_, def_, choices_, source_, description_)                      \
	{ .name = (name_), .type = SIM_PARAM_ENUM, .unit = "", .def = (def_),                   \
	  .choices = (choices_), .source = (source_), .description = (description_) }
#define SIM_PARAM_STRING_ENTRY(name_, def_, source_, description_)                              \
	{ .name = (name_), .type = SIM_PARAM_STRING, .unit = "", .def = (def_),                 \
	  .source = (source_), .description = (description_) }
#define SIM_PARAM_PATH_ENTRY(name_, def_, source_, description_)                                \
	{ .name = (name_), .type = SIM_PARAM_PATH, .unit = "", .def = (def_),                   \
	  .source = (source_), .description = (description_) }

struct sim_params;

/**
 * sim_params_new() - an empty set of parameters
 *
 * Return: the set; sim_params_free() it. Aborts when there is no memory, as all of the simulator.
 */
struct sim_params *sim_params_new(void);
void sim_params_free(struct sim_params *params);

/**
 * sim_params_register() - add a component's table; every value becomes its default
 * @params: the set
 * @table: static; kept by reference
 * @n: entries
 *
 * Registering the same table a second time does nothing, so that two components may share one.
 * Two entries of one name, or a default outside its own rules, are bugs of the table and abort.
 */
void sim_params_register(struct sim_params *params, const struct sim_param *table, size_t n);

/**
 * sim_params_set() - set one value from text
 * @params: the set
 * @name: the full name
 * @text: the value
 * @where: "FILE:LINE" for a value of a file, NULL for one of the command line; put before a
 *	message, and remembered as the origin
 * @err: receives the message: `its.devbits=40: must be 1..32`, or, for an unknown name,
 *	`its.devbit: no such parameter; did you mean its.devbits?`
 *
 * Return: true; false with @err set and nothing changed.
 */
bool sim_params_set(struct sim_params *params, const char *name, const char *text,
		    const char *where, struct sim_error *err);

/**
 * sim_params_assign() - set one value from `name=value`, the argument of -C
 * @params: the set
 * @assignment: the text
 * @err: as sim_params_set()
 *
 * Return: as sim_params_set().
 */
bool sim_params_assign(struct sim_params *params, const char *assignment, struct sim_error *err);

/*
 * Read a value. A name that is not registered, or is of another type, is a bug and aborts with its
 * name. sim_params_enum() is the index in the choices. sim_params_str() is of a STRING, PATH or
 * ENUM, and is valid until the parameter is set again.
 */
uint64_t sim_params_u64(const struct sim_params *params, const char *name);
bool sim_params_bool(const struct sim_params *params, const char *name);
unsigned int sim_params_enum(const struct sim_params *params, const char *name);
const char *sim_params_str(const struct sim_params *params, const char *name);

/* Walk them, in the order of registration; @i below sim_params_count(). */
size_t sim_params_count(const struct sim_params *params);
const struct sim_param *sim_params_at(const struct sim_params *params, size_t i);
const char *sim_params_text(const struct sim_params *params, size_t i);
enum sim_param_origin sim_params_origin(const struct sim_params *params, size_t i);

/* The declaration of a name, or NULL. */
const struct sim_param *sim_params_find(const struct sim_params *params, const char *name);

/**
 * sim_params_suggest() - the registered names that are nearest to one that is not
 * @params: the set
 * @name: what was asked for
 * @buf: receives `; did you mean a, b or c?`, or "" when nothing is near
 * @size: bytes of @buf
 */
void sim_params_suggest(const struct sim_params *params, const char *name, char *buf, size_t size);

/* `1..32`, `on or off`, `one of wp, dbm_all`: what a parameter accepts, for messages. */
void sim_param_range_text(const struct sim_param *param, char *buf, size_t size);

#endif
