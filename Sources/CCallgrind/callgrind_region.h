// Selects the code that callgrind measures. Without callgrind or its header, these have no effect.
#pragma once
#include <stdbool.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>

/// Returns whether the process runs under callgrind.
static inline bool callgrind_region_is_counted(void) { return RUNNING_ON_VALGRIND != 0; }

/// Starts the measurement, which `--instr-atstart=no` disables until then.
static inline void callgrind_region_begin(void) { CALLGRIND_START_INSTRUMENTATION; }

/// Ends the measurement.
static inline void callgrind_region_end(void) { CALLGRIND_STOP_INSTRUMENTATION; }

#else

static inline bool callgrind_region_is_counted(void) { return false; }
static inline void callgrind_region_begin(void) {}
static inline void callgrind_region_end(void) {}

#endif
