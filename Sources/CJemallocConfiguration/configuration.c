#include "CJemallocConfiguration.h"

// tcache and narenas: thread caches and further arenas keep freed memory that statistics count as
// allocated, by up to 40 %. The decays: freed pages are returned immediately, without a delay.
const char *malloc_conf = "tcache:false,narenas:1,dirty_decay_ms:0,muzzy_decay_ms:0";
