// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: no bytes make the reader of trace files crash, hand out a record of a kind that the file
 * does not describe, or fail without words.
 * Method: libFuzzer, over a file in memory. Compressed noise is nearly always refused at once, so
 * each input is also compressed and read: then the fuzzer writes headers and records.
 */
#define _GNU_SOURCE /* memfd_create */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "sim/engine/history.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void require(int holds)
{
	if (!holds)
		abort();
}

static void read_file(int fd, const void *bytes, size_t len)
{
	struct sim_error err = { "" };
	struct sim_history_reader *reader;
	struct sim_record record;
	char path[64];
	int got;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	require(ftruncate(fd, 0) == 0 && pwrite(fd, bytes, len, 0) == (ssize_t)len);
	reader = sim_history_open(path, &err);
	if (!reader) {
		require(strncmp(err.text, path, strlen(path)) == 0);
		return;
	}
	while ((got = sim_history_next(reader, &record, &err)) > 0)
		require(sim_history_kind(reader, record.kind) != NULL);
	require((got < 0) == sim_error_is_set(&err));
	sim_history_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static const char magic[] = "WEIRTRC1";
	static int fd = -1;
	const size_t head = sizeof(magic) - 1;
	const size_t room = ZSTD_compressBound(head + len);
	uint8_t *plain = malloc(head + len);
	uint8_t *packed = malloc(room);
	size_t size;

	if (fd < 0)
		fd = memfd_create("trace", 0);
	require(fd >= 0 && plain && packed);
	read_file(fd, bytes, len);
	memcpy(plain, magic, head);
	if (len)
		memcpy(plain + head, bytes, len);
	size = ZSTD_compress(packed, room, plain, head + len, 1);
	require(!ZSTD_isError(size));
	read_file(fd, packed, size);
	free(plain);
	free(packed);
	return 0;
}
