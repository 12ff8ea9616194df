// Tells callgrind what to count. Outside of it, or built without its header, these do nothing.
#pragma once
#include <stdbool.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>

/// Whether callgrind is there to listen.
static inline bool callgrind_region_is_counted(void) { return RUNNING_ON_VALGRIND != 0; }

/// Counting begins; `--instr-atstart=no` keeps it off until then.
static inline void callgrind_region_begin(void) { CALLGRIND_START_INSTRUMENTATION; }

/// Counting ends.
static inline void callgrind_region_end(void) { CALLGRIND_STOP_INSTRUMENTATION; }

#else

static inline bool callgrind_region_is_counted(void) { return false; }
static inline void callgrind_region_begin(void) {}
static inline void callgrind_region_end(void) {}

#endif
