// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: no bytes make the readers of QEMU's trace logs and of ITS streams crash or fail without
 * words; and the stream of a log is one that the reader of streams takes.
 * Method: libFuzzer. Each input is read as a log, whose stream is read back, and as a stream.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/trace/qemu_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* How many events there were; UINT64_MAX if there was an offence. */
static uint64_t read_stream(const void *bytes, size_t len)
{
	struct sim_error err = { "" };
	struct sim_its_stream *stream = sim_its_stream_open_memory("x", bytes, len, &err);
	struct sim_its_event event;
	uint64_t n = 0;
	int more = stream ? 1 : -1;

	while (more > 0 && (more = sim_its_stream_next(stream, &event, &err)) > 0)
		n++;
	sim_its_stream_close(stream);
	require((more < 0) == sim_error_is_set(&err));
	return more < 0 ? UINT64_MAX : n;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct sim_qemu_log *log = sim_qemu_log_open_memory("x", bytes, len);
	struct sim_error err = { "" };
	struct sim_its_event event;
	char *text = NULL;
	size_t text_len = 0;
	FILE *out = open_memstream(&text, &text_len);
	uint64_t n = 0;
	int more;

	require(out);
	sim_its_stream_head(out);
	while ((more = sim_qemu_log_next(log, &event, &err)) > 0) {
		sim_its_stream_put(&event, out);
		n++;
	}
	fclose(out);
	require((more < 0) == sim_error_is_set(&err));
	require(read_stream(text, text_len) == n);
	sim_qemu_log_close(log);
	free(text);
	read_stream(bytes, len);
	return 0;
}
