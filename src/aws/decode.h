/* One pass over the members of an object: each is looked up in a table of known names and lands in a struct. For the decoders of this
 * folder only. Unknown members are ignored; a known one of the wrong type counts as absent. */
#ifndef GLUETOP_AWS_DECODE_H
#define GLUETOP_AWS_DECODE_H

#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/err.h"

struct cJSON;
struct decoder;

enum decode_kind {
  DECODE_SKIP,   /* known, of no use here */
  DECODE_STRING, /* const char *, copied into the arena */
  DECODE_TIME,   /* int64_t, ms since the epoch */
  DECODE_I64,
  DECODE_F64,
  DECODE_TRI, /* enum tristate */
  DECODE_CALL /* whatever the function makes of it */
};
typedef void decode_call_fn(struct decoder *d, const struct cJSON *item, void *base);
struct decode_field {
  const char *name;
  enum decode_kind kind;
  size_t offset;
  decode_call_fn *call;
};

#define DECODE_FIELDS_MAX 64
struct decoder {
  const struct decode_field *fields;
  uint8_t count;
  uint8_t next[DECODE_FIELDS_MAX +
               1]; /* which field followed this one last time: services repeat their order row after row */
  const char *last[DECODE_FIELDS_MAX]; /* the field's text in the row before: most repeat, and are not copied again */
  struct arena *arena;
  void *extra; /* of the functions */
};
void decoder_init(struct decoder *d, const struct decode_field *fields, size_t count, struct arena *arena, void *extra);
/* Fill the struct at base from the object's members. What is absent stays as it is. */
void decoder_object(struct decoder *d, const struct cJSON *object, void *base);

/* The whole answer as an object, or ERR_PARSE; an answer that is an error in the clothes of a 200 is one too. It
 * stands until decode_close, in memory that is used again and again: one answer at a time. */
struct err decode_open(const char *text, size_t len, struct cJSON **out) ERR_MUST_CHECK;
void decode_close(void);
/* The list of that name: *out is NULL when it is absent or null; ERR_PARSE when it is something else. */
struct err decode_list(const struct cJSON *object, const char *name, const struct cJSON **out) ERR_MUST_CHECK;
size_t decode_list_size(const struct cJSON *list);
/* Copied; NULL when absent, null, empty or no string: the end of the pages. */
const char *decode_token(const struct cJSON *object, struct arena *arena);
/* Copied; NULL unless it is a string. */
const char *decode_string(const struct cJSON *item, struct arena *arena);

#endif
