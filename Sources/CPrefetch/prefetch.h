// A prefetch hint to the processor, which Swift cannot express.

#ifndef TIDEMARK_PREFETCH_H
#define TIDEMARK_PREFETCH_H

/// Prefetches the cache line of an address, for reading and writing.
///
/// It has no other effect, and never faults, for any address.
static inline void tidemark_prefetch(const void *address) {
  __builtin_prefetch(address, 1, 3);
}

#endif
