/* Interned strings: the same text is the same number, forever (until the pool ends). 0 is "absent". */
#ifndef GLUETOP_BASE_STRPOOL_H
#define GLUETOP_BASE_STRPOOL_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t strid; /* the one scalar typedef of the project: a bare uint32_t would be mixed up with counts */

struct strpool;
struct strpool *strpool_new(void);
void strpool_free(struct strpool *p);
/* So many new texts are going to come: room for them at one go. */
void strpool_expect(struct strpool *p, size_t count);
strid strpool_put(struct strpool *p, const char *s); /* NULL gives 0; "" has a number of its own */
strid strpool_put_n(struct strpool *p, const char *s, size_t n);
strid strpool_find(const struct strpool *p, const char *s); /* 0 when it is not there */
const char *strpool_get(const struct strpool *p, strid id); /* NULL for 0; stable for the pool's life */
size_t strpool_count(const struct strpool *p);
size_t strpool_bytes(const struct strpool *p);

#endif
