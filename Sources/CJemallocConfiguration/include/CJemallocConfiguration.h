#ifndef TIDEMARK_JEMALLOC_CONFIGURATION_H
#define TIDEMARK_JEMALLOC_CONFIGURATION_H

/// The options that jemalloc reads when the process starts. Linking this target sets them.
extern const char *malloc_conf;

#endif
