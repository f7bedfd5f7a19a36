#include "sim/gzip.h"

#include <stdint.h>
#include <stdlib.h>

#define BLOCK 65535

static uint32_t crc32_of(const unsigned char *data, size_t len)
{
  uint32_t table[256];
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++)
      c = c & 1 ? UINT32_C(0xedb88320) ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  uint32_t crc = UINT32_C(0xffffffff);
  for (size_t i = 0; i < len; i++)
    crc = table[(crc ^ data[i]) & 255] ^ (crc >> 8);
  return crc ^ UINT32_C(0xffffffff);
}

static void add_little(struct buf *out, uint32_t value, int bytes)
{
  for (int i = 0; i < bytes; i++)
    buf_addc(out, (char)(unsigned char)(value >> (8 * i)));
}

void sim_gzip(struct buf *body)
{
  static const unsigned char head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
  size_t len = body->len;
  char *plain = buf_take(body);
  buf_add(body, head, sizeof head);
  size_t at = 0;
  do {
    size_t n = len - at < BLOCK ? len - at : BLOCK;
    buf_addc(body, at + n == len ? 1 : 0);
    add_little(body, (uint32_t)n, 2);
    add_little(body, (uint32_t)n ^ 0xffff, 2);
    buf_add(body, plain + at, n);
    at += n;
  } while (at < len);
  add_little(body, crc32_of((const unsigned char *)plain, len), 4);
  add_little(body, (uint32_t)len, 4);
  free(plain);
}
