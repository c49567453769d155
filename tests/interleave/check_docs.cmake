# SPDX-License-Identifier: BSD-2-Clause
#
# The litmus table in docs/explore.md is the one that the explorer prints.
execute_process(COMMAND ${EMULATOR} ${EXPLORE} litmus --markdown OUTPUT_VARIABLE table
	COMMAND_ERROR_IS_FATAL ANY)
file(READ ${DOC} doc)
string(FIND "${doc}" "${table}" at)
if(at LESS 0)
	message(FATAL_ERROR
		"${DOC}: not the table that 'weir-explore litmus --markdown' prints:\n${table}")
endif()

# So is the example program.
file(READ ${CMAKE_CURRENT_LIST_DIR}/prog_example.c program)
string(FIND "${program}" "#include" at)
string(SUBSTRING "${program}" ${at} -1 program)
string(FIND "${doc}" "${program}" at)
if(at LESS 0)
	message(FATAL_ERROR "${DOC}: not the text of tests/interleave/prog_example.c")
endif()
