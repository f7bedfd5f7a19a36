#include "sync/daily.h"

#include <math.h>
#include <string.h>
#include "sync/pack.h"

#define FORMAT_PRICES 1
#define FORMAT_QUOTAS 2
#define MESSAGE_MAX   1000

static int64_t wait_of(enum err_kind kind)
{
  switch (kind) {
  case ERR_NETWORK:
  case ERR_TLS:
  case ERR_TIMEOUT:
  case ERR_THROTTLED:
  case ERR_SERVER:
  case ERR_EXPIRED:
  case ERR_CREDENTIALS:
  case ERR_SKEW:
  case ERR_IO:
  case ERR_CANCELLED:
  case ERR_UNCERTAIN:
    return WHEN_HOUR;
  case ERR_OK:
  case ERR_USAGE:
  case ERR_CONFIG:
  case ERR_DENIED:
  case ERR_NOT_FOUND:
  case ERR_CONFLICT:
  case ERR_LIMIT:
  case ERR_PARSE:
  case ERR_TOO_BIG:
  case ERR_KIND_COUNT:
    break;
  }
  return WHEN_DAY;
}

int64_t daily_due_ms(const struct freshness *f, int64_t now_ms)
{
  if (f->tried_ms == WHEN_NONE || f->tried_ms > now_ms)
    return INT64_MIN;
  return f->tried_ms + wait_of(f->last_err.kind);
}

/* --- bytes ----------------------------------------------------------------------------------------------------------- */

static void pack_text(struct buf *b, const char *s)
{
  size_t len = strlen(s);
  len = len > MESSAGE_MAX ? MESSAGE_MAX : len;
  pack_u64(b, len);
  buf_add(b, s, len);
}

static void unpack_text(struct unpack *u, char *out, size_t size)
{
  uint64_t len = unpack_u64(u);
  out[0] = '\0';
  if (len >= size || (size_t)(u->end - u->at) < len) {
    u->bad = true;
    return;
  }
  unpack_bytes(u, out, (size_t)len);
  out[len] = '\0';
  u->bad = u->bad || memchr(out, '\0', (size_t)len) != NULL;
}

struct freshness_read {
  int64_t fetched_ms, tried_ms;
  enum err_kind kind;
  char message[MESSAGE_MAX + 1];
};

static void pack_freshness(struct buf *b, unsigned format, const struct freshness *f)
{
  pack_u64(b, format);
  pack_i64(b, f->fetched_ms);
  pack_i64(b, f->tried_ms);
  pack_u64(b, (uint64_t)f->last_err.kind);
  pack_text(b, err_message(&f->last_err));
}

static void unpack_freshness(struct unpack *u, unsigned format, struct freshness_read *out)
{
  u->bad = u->bad || unpack_u64(u) != format;
  out->fetched_ms = unpack_i64(u);
  out->tried_ms = unpack_i64(u);
  uint64_t kind = unpack_u64(u);
  u->bad = u->bad || kind >= ERR_KIND_COUNT;
  out->kind = u->bad ? ERR_OK : (enum err_kind)kind;
  unpack_text(u, out->message, sizeof out->message);
}

static void freshness_take(struct freshness *f, const struct freshness_read *r)
{
  f->fetched_ms = r->fetched_ms;
  f->tried_ms = r->tried_ms;
  f->complete = r->fetched_ms != WHEN_NONE;
  if (r->kind != ERR_OK)
    f->last_err = err_new(r->kind, "%s", r->message);
}

void daily_pack_prices(struct buf *out, const struct freshness *f, const struct price_list *list)
{
  pack_freshness(out, FORMAT_PRICES, f);
  pack_u64(out, list->count);
  for (size_t i = 0; i < list->count; i++) {
    pack_u64(out, list->rows[i].item);
    pack_u64(out, list->rows[i].generation);
    pack_i64(out, list->rows[i].nano_per_hour);
    pack_text(out, list->rows[i].usagetype);
    pack_text(out, list->rows[i].published);
  }
}

bool daily_unpack_prices(const void *data, size_t len, struct freshness *f, struct price_list *list)
{
  struct unpack u = unpack_begin(data, len);
  struct freshness_read fresh = {.fetched_ms = WHEN_NONE};
  struct price_list read = {.count = 0};
  unpack_freshness(&u, FORMAT_PRICES, &fresh);
  uint64_t count = unpack_u64(&u);
  u.bad = u.bad || count > PRICE_LIST_ROWS;
  for (uint64_t i = 0; i < count && !u.bad; i++) {
    struct price_list_row *row = &read.rows[read.count++];
    uint64_t item = unpack_u64(&u), generation = unpack_u64(&u);
    u.bad = u.bad || item >= PRICE_ITEM_COUNT || generation >= PRICE_GENERATION_COUNT;
    row->item = u.bad ? PRICE_STANDARD : (enum price_item)item;
    row->generation = u.bad ? PRICE_GEN_1 : (enum price_generation)generation;
    row->nano_per_hour = unpack_i64(&u);
    u.bad = u.bad || row->nano_per_hour <= 0;
    unpack_text(&u, row->usagetype, sizeof row->usagetype);
    unpack_text(&u, row->published, sizeof row->published);
  }
  if (u.bad || unpack_more(&u))
    return false;
  freshness_take(f, &fresh);
  *list = read;
  return true;
}

void daily_pack_quotas(struct buf *out, const struct freshness *f, const double values[QUOTA_KIND_COUNT])
{
  pack_freshness(out, FORMAT_QUOTAS, f);
  pack_u64(out, QUOTA_KIND_COUNT);
  for (int i = 0; i < QUOTA_KIND_COUNT; i++)
    pack_f64(out, values[i]);
}

bool daily_unpack_quotas(const void *data, size_t len, struct freshness *f, double values[QUOTA_KIND_COUNT])
{
  struct unpack u = unpack_begin(data, len);
  struct freshness_read fresh = {.fetched_ms = WHEN_NONE};
  double read[QUOTA_KIND_COUNT];
  unpack_freshness(&u, FORMAT_QUOTAS, &fresh);
  u.bad = unpack_u64(&u) != QUOTA_KIND_COUNT || u.bad;
  for (int i = 0; i < QUOTA_KIND_COUNT; i++) {
    read[i] = unpack_f64(&u);
    u.bad = u.bad || !(isnan(read[i]) || quota_is_plausible(read[i]));
  }
  if (u.bad || unpack_more(&u))
    return false;
  freshness_take(f, &fresh);
  memcpy(values, read, sizeof read);
  return true;
}
