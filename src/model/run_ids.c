/* Ids of runs: 32 bytes where they are what the service makes, interned text where they are not; the suffix of a retry is a number. */
#include "model/private.h"

#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"

static int hex_digit(char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return -1;
}

#define ID_PREFIX     "jr_"
#define ID_PREFIX_LEN ((size_t)3)
#define ID_HEX_LEN    ((size_t)64)
#define ID_ATTEMPT    "_attempt_"

/* The length of id without an "_attempt_N" suffix; N only when it is a plain number that prints back the same. */
static size_t id_base_len(const char *id, size_t len, uint16_t *attempt, bool *suffixed)
{
  *attempt = 0;
  *suffixed = false;
  size_t digits = len;
  while (digits > 0 && id[digits - 1] >= '0' && id[digits - 1] <= '9')
    digits--;
  size_t mark = sizeof ID_ATTEMPT - 1;
  size_t n = len - digits;
  if (n == 0 || n > 5 || digits < mark || (n > 1 && id[digits] == '0') ||
      memcmp(id + digits - mark, ID_ATTEMPT, mark) != 0)
    return len;
  unsigned long value = 0;
  for (size_t i = digits; i < len; i++)
    value = value * 10 + (unsigned long)(id[i] - '0');
  if (value > UINT16_MAX)
    return len;
  *attempt = (uint16_t)value;
  *suffixed = true;
  return digits - mark;
}

/* Fills all but id_text; tells the length of the id without its suffix, or 0 when the bytes hold it all. */
static size_t run_parse_id(struct run *r, const char *id)
{
  size_t len = strlen(id);
  bool suffixed;
  size_t base = id_base_len(id, len, &r->id_attempt, &suffixed);
  memset(r->id_bytes, 0, sizeof r->id_bytes);
  bool hex = base == ID_PREFIX_LEN + ID_HEX_LEN && memcmp(id, ID_PREFIX, ID_PREFIX_LEN) == 0;
  for (size_t i = 0; hex && i < sizeof r->id_bytes; i++) {
    int high = hex_digit(id[ID_PREFIX_LEN + 2 * i]);
    int low = hex_digit(id[ID_PREFIX_LEN + 2 * i + 1]);
    if (high < 0 || low < 0)
      hex = false;
    else
      r->id_bytes[i] = (uint8_t)(high << 4 | low);
  }
  if (hex) {
    r->id_form = suffixed ? RUN_ID_HEX_ATTEMPT : RUN_ID_HEX;
    return 0;
  }
  memset(r->id_bytes, 0, sizeof r->id_bytes);
  r->id_form = suffixed ? RUN_ID_OTHER_ATTEMPT : RUN_ID_OTHER;
  return base;
}

void run_set_id(struct run *r, struct strpool *strings, const char *id)
{
  size_t base = run_parse_id(r, id);
  if (base > 0)
    r->id_text = strpool_put_n(strings, id, base);
}

bool run_find_id(struct run *r, const struct strpool *strings, const char *id)
{
  size_t base = run_parse_id(r, id);
  if (base == 0)
    return true;
  char *text = xstrndup(id, base);
  r->id_text = strpool_find(strings, text);
  free(text);
  return r->id_text != 0;
}

const char *run_id_text(const struct run *r, const struct strpool *strings, char out[RUN_ID_MAX])
{
  static const char digits[] = "0123456789abcdef";
  size_t n = 0;
  if (r->id_form == RUN_ID_HEX || r->id_form == RUN_ID_HEX_ATTEMPT) {
    memcpy(out, ID_PREFIX, ID_PREFIX_LEN);
    n = ID_PREFIX_LEN;
    for (size_t i = 0; i < sizeof r->id_bytes; i++) {
      out[n++] = digits[r->id_bytes[i] >> 4];
      out[n++] = digits[r->id_bytes[i] & 15];
    }
  } else {
    /* The API allows 255 bytes; what a strange service sends beyond that is cut, for show only. */
    const char *text = strpool_get(strings, r->id_text);
    n = text == NULL ? 0 : strlen(text);
    if (n > RUN_ID_MAX - 20)
      n = RUN_ID_MAX - 20;
    if (n > 0)
      memcpy(out, text, n);
  }
  if (r->id_form == RUN_ID_HEX_ATTEMPT || r->id_form == RUN_ID_OTHER_ATTEMPT) {
    memcpy(out + n, ID_ATTEMPT, sizeof ID_ATTEMPT - 1);
    n += sizeof ID_ATTEMPT - 1;
    char number[6];
    size_t k = 0;
    unsigned v = r->id_attempt;
    do {
      number[k++] = digits[v % 10];
      v /= 10;
    } while (v > 0);
    while (k > 0)
      out[n++] = number[--k];
  }
  out[n] = '\0';
  return out;
}

bool run_same_id(const struct run *a, const struct run *b)
{
  return a->id_form == b->id_form && a->id_attempt == b->id_attempt &&
         memcmp(a->id_bytes, b->id_bytes, sizeof a->id_bytes) == 0;
}

bool run_id_is_hex(const struct run *r)
{
  return r->id_form == RUN_ID_HEX || r->id_form == RUN_ID_HEX_ATTEMPT;
}

bool run_same_chain(const struct run *a, const struct run *b)
{
  return run_id_is_hex(a) == run_id_is_hex(b) && memcmp(a->id_bytes, b->id_bytes, sizeof a->id_bytes) == 0;
}
