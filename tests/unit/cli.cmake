# SPDX-License-Identifier: BSD-2-Clause
#
# weir-sim's commands over a scenario of the tests' own, driven from a shell as a user would; and
# over the real one, for what only it can show.
add_executable(weir-sim-sample cli/scenario.c ${PROJECT_SOURCE_DIR}/sim/cli/main.c)
target_include_directories(weir-sim-sample PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(weir-sim-sample PRIVATE weirsimcli)

function(weir_add_cli_test name program)
	add_test(NAME ${name} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/cli/${name}.sh
		$<TARGET_FILE:${program}> ${PROJECT_SOURCE_DIR} ${CMAKE_CROSSCOMPILING_EMULATOR})
	set_tests_properties(${name} PROPERTIES LABELS cli TIMEOUT 120)
endfunction()

weir_add_cli_test(cli_run weir-sim-sample)
weir_add_cli_test(cli_usage weir-sim-sample)
weir_add_cli_test(cli_trace_diff weir-sim-sample)
weir_add_cli_test(cli_terminal weir-sim-sample)
weir_add_cli_test(cli_migrate weir-sim)
weir_add_cli_test(cli_inject weir-sim)
