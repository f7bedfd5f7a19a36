/* Reading (over cJSON) and writing JSON. Reading: strict getters by case-sensitive name that tell absent from null from wrong type.
 * Only json.c and the decoders in src/aws see cJSON itself. */
#ifndef GLUETOP_BASE_JSON_H
#define GLUETOP_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"

struct arena;
struct cJSON;

/* Parse len bytes. Errors are ERR_PARSE with the byte offset and an excerpt (cleaned). Depth is limited (cJSON's nesting
 * limit). The caller frees with json_free. Trailing bytes other than white space are an error. Raw control characters
 * inside strings, which the service's own samples have, are accepted; a NUL byte is not. Escapes that a C string cannot
 * hold (\u0000, half a surrogate pair) read as U+FFFD. */
struct err json_parse(const char *text, size_t len, struct cJSON **out) ERR_MUST_CHECK;
void json_free(struct cJSON *tree);
/* The same with the whole tree in the arena, several times faster to make and to leave: it must not be changed or freed, and ends with the
 * arena. For one caller at a time. */
struct err json_parse_in(struct arena *arena, const char *text, size_t len, struct cJSON **out) ERR_MUST_CHECK;

/* Value of a string member, or NULL when absent, null or not a string. Valid as long as the tree. */
const char *json_str(const struct cJSON *object, const char *name);
/* False when absent, null or not a number. Numbers arrive in any JSON form (1.79E9, 12.0); also accepts a string that is
 * wholly a number. i64 rounds to nearest and refuses what does not fit. */
bool json_f64(const struct cJSON *object, const char *name, double *out);
bool json_i64(const struct cJSON *object, const char *name, int64_t *out);
bool json_bool(const struct cJSON *object, const char *name, bool *out);
/* Epoch seconds (double), or an ISO 8601 string, as ms. Only the years -9999..9999: no overflow, and no milliseconds taken
 * for seconds. */
bool json_time(const struct cJSON *object, const char *name, int64_t *ms);
/* The same for an item already at hand (NULL is absent): the decoders walk the members once. */
bool json_item_f64(const struct cJSON *item, double *out);
bool json_item_i64(const struct cJSON *item, int64_t *out);
bool json_item_time(const struct cJSON *item, int64_t *ms);
const struct cJSON *json_get(const struct cJSON *object, const char *name); /* NULL when absent */
bool json_is_null(const struct cJSON *object, const char *name);            /* there and null */

/* Streaming writer into a buf. The writer keeps commas and nesting; names and strings are escaped; broken UTF-8 becomes
 * U+FFFD; every control character, C1 and bidi control is written as \uXXXX, so that the output is safe on a terminal. */
struct jw {
  struct buf *out;
  int depth;
  bool need_comma;
  bool after_name;
  bool pretty; /* two blanks a level, as `-o json` prints */
};
void jw_init(struct jw *w, struct buf *out, bool pretty);
void jw_object(struct jw *w);
void jw_end_object(struct jw *w);
void jw_array(struct jw *w);
void jw_end_array(struct jw *w);
void jw_name(struct jw *w, const char *name);
void jw_str(struct jw *w, const char *s); /* NULL writes null */
void jw_str_n(struct jw *w, const char *s, size_t len);
void jw_i64(struct jw *w, int64_t v);
void jw_f64(struct jw *w, double v); /* shortest form that reads back the same; NaN and infinity write null */
/* v / 10^scale in exact decimal without trailing zeros: money in nano-dollars is scale 9. */
void jw_decimal(struct jw *w, int64_t v, int scale);
void jw_bool(struct jw *w, bool v);
void jw_null(struct jw *w);
void jw_time(struct jw *w, int64_t ms); /* ISO string; WHEN_NONE writes null */
/* An already serialised value (for instance the service's own answer), spliced in as it is. */
void jw_raw(struct jw *w, const char *json, size_t len);
/* Any cJSON tree (decoders and sim use it). */
void jw_tree(struct jw *w, const struct cJSON *tree);

#endif
