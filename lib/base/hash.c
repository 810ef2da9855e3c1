#include "hash.h"

/* By the best instructions of the processor, where the library chooses at run time. */
#if defined(__x86_64__)
#include <xxh_x86dispatch.h>
#else
#include <xxhash.h>
#endif

uint64_t hash_bytes(const void *p, size_t n) { return XXH3_64bits(p, n); }
