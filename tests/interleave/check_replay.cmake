# SPDX-License-Identifier: BSD-2-Clause
#
# A failing schedule that is written and replayed fails the same way; the same seed gives the same
# output twice; bad input is one line and exit code 2.
set(schedule ${DIR}/seqlock.schedule)
execute_process(COMMAND ${EMULATOR} ${EXPLORE} run known/seqlock-no-writer-fence
	--model pso --out ${schedule}
	OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
if(NOT found MATCHES "torn pair" OR NOT found MATCHES "reaches memory")
	message(FATAL_ERROR "no failing schedule with its columns:\n${found}")
endif()
execute_process(COMMAND ${EMULATOR} ${EXPLORE} replay ${schedule}
	OUTPUT_VARIABLE replayed RESULT_VARIABLE rc)
if(NOT rc EQUAL 1 OR NOT replayed MATCHES "torn pair")
	message(FATAL_ERROR "replay: exit code ${rc}:\n${replayed}")
endif()

foreach(i 1 2)
	execute_process(COMMAND ${EMULATOR} ${EXPLORE} run known/spinlock --seed 7 --schedules 2000
		OUTPUT_VARIABLE out${i} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
if(NOT out1 STREQUAL out2)
	message(FATAL_ERROR "one seed, two outcomes:\n${out1}${out2}")
endif()

# What a weakened order leads to: a sound program fails, and that counts as found.
execute_process(COMMAND ${EMULATOR} ${EXPLORE} run known/once --model c11
	--weaken once_acquire:load_acquire
	OUTPUT_VARIABLE weak COMMAND_ERROR_IS_FATAL ANY)
if(NOT weak MATCHES "found by schedule")
	message(FATAL_ERROR "a weakened order was not found:\n${weak}")
endif()

file(WRITE ${DIR}/bad.schedule
	"weir-explore schedule 1\nprogram known/once\nmodel c11\nactions\nr9.0\n")
foreach(args "replay;${DIR}/bad.schedule" "run;no/such" "run;known/once;--model;x86"
	"run;known/once;--sched;pct:99" "run;known/once;--schedules;-1" "walk")
	execute_process(COMMAND ${EMULATOR} ${EXPLORE} ${args}
		RESULT_VARIABLE rc ERROR_VARIABLE err OUTPUT_QUIET)
	string(REGEX MATCHALL "\n" lines "${err}")
	list(LENGTH lines n)
	if(NOT rc EQUAL 2 OR NOT n EQUAL 1)
		message(FATAL_ERROR "weir-explore ${args}: exit code ${rc}, ${n} lines:\n${err}")
	endif()
endforeach()
