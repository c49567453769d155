// SPDX-License-Identifier: BSD-2-Clause
/*
 * Goal: F1 and F2 of files.h: nothing of a person's is deleted, and a file is complete or absent.
 * Method: directories with everything that may be in the way, claimed with and without force.
 */
#define _GNU_SOURCE	/* nftw() in report_dir.h */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "sim/engine/error.h"
#include "sim/report/files.h"
#include "tests/unit/report_dir.h"

static void put(const char *path)
{
	put_file(path, "x", 1);
}

static void claimed(const char *path, bool force, bool want_made)
{
	struct sim_error err = { "" };
	struct sim_rundir dir;

	if (!sim_rundir_claim(&dir, path, force, &err))
		fail_msg("%s", err.text);
	assert_true(dir.made == want_made);
	sim_rundir_release(&dir, false);
}

static void refused(const char *path, bool force, const char *message)
{
	struct sim_error err = { "" };
	struct sim_rundir dir;

	assert_false(sim_rundir_claim(&dir, path, force, &err));
	assert_string_equal(err.text, message);
}

static void a_new_directory(void **state)
{
	(void)state;
	claimed("a/b/c", false, true);
	claimed("a/b/c", false, false);		/* empty */
	claimed("a/b/d/", true, true);
	refused("", false, "--out: must be the name of a directory");
	put("file");
	refused("file", true, "file: is there, and is not a directory");
	refused("file/x", true, "file/x: cannot make this directory: Not a directory");
}

static void an_earlier_run(void **state)
{
	struct sim_error err = { "" };

	(void)state;
	assert_int_equal(mkdir("run", 0777) | mkdir("run/wp", 0777), 0);
	put("run/config.resolved.yaml");
	put("run/manifest.json");
	put("run/report.html.part");		/* of an interrupted one */
	put("run/wp/trace.zst");
	refused("run", false, "run: is not empty: --force replaces an earlier run, --out chooses "
		"another directory");
	claimed("run", true, false);
	assert_true(sim_path_exists("run/wp/trace.zst"));	/* claiming deletes nothing */
	assert_true(sim_rundir_clear("run", &err));
	assert_int_equal(rmdir("run"), 0);			/* it is empty */
}

static void one_run_at_a_time(void **state)
{
	struct sim_error err = { "" };
	struct sim_rundir first;

	(void)state;
	assert_true(sim_rundir_claim(&first, "run", false, &err));
	refused("run", false, "run: another run is writing into it: wait for its end, or choose "
		"another --out");
	refused("run", true, "run: another run is writing into it: wait for its end, or choose "
		"another --out");
	sim_rundir_release(&first, true);
	assert_false(sim_path_exists("run"));	/* nothing was written, so it went */
}

static void what_is_not_ours(void **state)
{
	(void)state;
	assert_int_equal(mkdir("run", 0777) | mkdir("run/wp", 0777), 0);
	put("run/report.html");
	refused("run", true, "run: is not a run directory (it has no config.resolved.yaml): "
		"--force does not replace it");
	put("run/config.resolved.yaml");
	claimed("run", true, false);
	put("run/wp/notes.txt");
	refused("run", true, "run/wp/notes.txt: is not part of a run: --force does not delete it; "
		"move it away or choose another --out");
	assert_int_equal(rename("run/wp/notes.txt", "notes"), 0);
	assert_int_equal(symlink("../notes", "run/trace.zst"), 0);	/* a link is not a file */
	refused("run", true, "run/trace.zst: is not part of a run: --force does not delete it; "
		"move it away or choose another --out");
	assert_int_equal(unlink("run/trace.zst"), 0);
	assert_int_equal(mkdir("run/wp/deep", 0777), 0);
	refused("run", true, "run/wp/deep: is not part of a run: --force does not delete it; move "
		"it away or choose another --out");
	assert_true(sim_path_exists("run/report.html"));
}

static void a_file_is_whole_or_absent(void **state)
{
	struct rlimit limit, old;
	struct sim_error err = { "" };
	char bytes[8192] = "";

	(void)state;
	assert_true(sim_file_write("f", "abc", 3, &err));
	assert_false(sim_path_exists("f.part"));
	assert_false(sim_file_write("no/f", "abc", 3, &err));
	assert_string_equal(err.text, "no/f: cannot be written: No such file or directory");
	/* a full disk, as far as a process can make one */
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = old;
	limit.rlim_cur = 4096;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	sim_error_clear(&err);
	assert_false(sim_file_write("f", bytes, sizeof(bytes), &err));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_string_equal(err.text, "f: cannot be written: File too large");
	assert_false(sim_path_exists("f.part"));
	{
		FILE *f = fopen("f", "rb");	/* the old one is untouched */

		assert_non_null(f);
		assert_int_equal(fread(bytes, 1, sizeof(bytes), f), 3);
		fclose(f);
	}
}

static void paths(void **state)
{
	static const char *const cases[][3] = {
		{ "a", "b", "a/b" }, { "a/", "b", "a/b" }, { "", "b", "b" }, { ".", "b", "b" },
		{ "/", "b", "/b" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *path = sim_path_join(cases[i][0], cases[i][1]);

		assert_string_equal(path, cases[i][2]);
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_new_directory, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(an_earlier_run, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(one_run_at_a_time, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(what_is_not_ours, enter_dir, leave_dir),
		cmocka_unit_test_setup_teardown(a_file_is_whole_or_absent, enter_dir, leave_dir),
		cmocka_unit_test(paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
