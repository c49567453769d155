# SPDX-License-Identifier: BSD-2-Clause
#
# weir-sim's commands over a scenario of the tests' own, driven from a shell as a user would.
add_executable(weir-sim-sample cli/scenario.c ${PROJECT_SOURCE_DIR}/sim/cli/main.c)
target_include_directories(weir-sim-sample PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(weir-sim-sample PRIVATE weirsimcli)
