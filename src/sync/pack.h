/* Bytes of the store: whole numbers of few bytes where they are small. Reading never passes the end: `bad` is set instead and zeros come
 * out, so that a damaged record is noticed once, at its end. */
#ifndef GLUETOP_SYNC_PACK_H
#define GLUETOP_SYNC_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "base/buf.h"

static inline void pack_u64(struct buf *b, uint64_t v)
{
  unsigned char bytes[10];
  size_t n = 0;
  while (v >= 0x80) {
    bytes[n++] = (unsigned char)(v | 0x80);
    v >>= 7;
  }
  bytes[n++] = (unsigned char)v;
  buf_add(b, bytes, n);
}

static inline void pack_i64(struct buf *b, int64_t v)
{
  pack_u64(b, v < 0 ? ~((uint64_t)v << 1) : (uint64_t)v << 1);
}

/* A double: one byte for NAN, the number itself where it is a whole one, else its eight bytes. */
static inline void pack_f64(struct buf *b, double v)
{
  if (v != v) {
    buf_addc(b, 0);
  } else if (v >= 0 && v < 9e15 && v == (double)(int64_t)v) {
    pack_u64(b, (uint64_t)(int64_t)v + 2);
  } else {
    buf_addc(b, 1);
    buf_add(b, &v, sizeof v);
  }
}

struct unpack {
  const unsigned char *at, *end;
  bool bad;
};

static inline struct unpack unpack_begin(const void *data, size_t len)
{
  const unsigned char *bytes = data;
  return (struct unpack){.at = bytes, .end = bytes + len, .bad = false};
}

static inline bool unpack_more(const struct unpack *u)
{
  return !u->bad && u->at < u->end;
}

static inline uint64_t unpack_u64(struct unpack *u)
{
  uint64_t v = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (u->at >= u->end) {
      u->bad = true;
      return 0;
    }
    unsigned char c = *u->at++;
    v |= (uint64_t)(c & 0x7f) << shift;
    if (c < 0x80)
      return v;
  }
  u->bad = true;
  return 0;
}

static inline int64_t unpack_i64(struct unpack *u)
{
  uint64_t v = unpack_u64(u);
  return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

static inline void unpack_bytes(struct unpack *u, void *out, size_t n)
{
  if ((size_t)(u->end - u->at) < n) {
    u->bad = true;
    memset(out, 0, n);
    return;
  }
  memcpy(out, u->at, n);
  u->at += n;
}

static inline double unpack_f64(struct unpack *u)
{
  uint64_t v = unpack_u64(u);
  if (v >= 2)
    return (double)(v - 2);
  double d = 0;
  if (v == 0)
    return (double)__builtin_nan("");
  unpack_bytes(u, &d, sizeof d);
  return d;
}

#endif
