/* Cleaned text holds nothing that a terminal obeys, is valid, stays as it is when cleaned again, and fits where it is
 * put. Run: ./fuzz_text_clean -max_total_time=60 -dict=tests/fuzz/fuzz_text_clean.dict */
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/buf.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int truth)
{
  if (!truth)
    abort();
}

/* Written anew, byte by byte, so that it does not share a mistake with what it checks. */
static void check_harmless(const char *s, size_t len, enum text_mode mode, int ascii)
{
  for (size_t i = 0; i < len; i++) {
    unsigned char b = (unsigned char)s[i];
    unsigned char next = (unsigned char)s[i + 1]; /* a NUL stands behind the end */
    unsigned char third = next != 0 ? (unsigned char)s[i + 2] : 0;
    must(b >= 0x20 || (b == '\n' && mode == TEXT_BLOCK));
    must(b != 0x7f);
    must(!ascii || b < 0x80);
    must(!(b == 0xc2 && next < 0xa0));                                    /* C1 */
    must(!(b == 0xc2 && next == 0xad));                                   /* soft hyphen */
    must(!(b == 0xd8 && next == 0x9c));                                   /* Arabic letter mark */
    must(!(b == 0xe2 && next == 0x80 && third >= 0x8b && third <= 0x8f)); /* zero width, marks */
    must(!(b == 0xe2 && next == 0x80 && third >= 0xa8 && third <= 0xae)); /* line ends, embeddings */
    must(!(b == 0xe2 && next == 0x81 && third >= 0xa0 && third <= 0xaf)); /* isolates and their kin */
    must(!(b == 0xef && next == 0xbb && third == 0xbf));                  /* byte order mark */
    must(!(b == 0xef && next == 0xb8 && third >= 0x80 && third <= 0x8f)); /* variation selectors */
    must(!(b == 0xf3 && (next == 0xa0 || next == 0xa1)));                 /* tags */
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static int ready;
  if (!ready) {
    must(setlocale(LC_CTYPE, "C.UTF-8") != NULL);
    ready = 1;
  }
  if (size < 2)
    return 0;
  enum text_mode mode = (data[0] & 1) != 0 ? TEXT_BLOCK : TEXT_LINE;
  int ascii = (data[0] & 2) != 0;
  int cells = data[1] % 40;
  const char *text = (const char *)data + 2;
  size_t len = size - 2;

  struct buf clean;
  struct buf again;
  struct buf put;
  buf_init(&clean, len * 4 + 8);
  buf_init(&again, len * 16 + 64);
  buf_init(&put, len * 4 + 256);
  text_set_ascii(ascii != 0);
  text_clean(&clean, text, len, mode);
  must(!clean.overflow);
  must(strlen(clean.data) == clean.len);
  must(text_valid_utf8(clean.data, clean.len));
  check_harmless(clean.data, clean.len, mode, ascii);
  text_clean(&again, clean.data, clean.len, mode);
  must(again.len == clean.len && memcmp(again.data, clean.data, clean.len) == 0);

  int used = -1;
  size_t bytes = text_fit(clean.data, cells, &used);
  must(bytes <= clean.len && used >= 0 && used <= cells);
  must(text_width_n(clean.data, bytes) == used || mode == TEXT_BLOCK);
  if (mode == TEXT_LINE) {
    text_put(&put, clean.data, cells, (data[0] & 4) != 0 ? TEXT_RIGHT : TEXT_LEFT, true);
    must(text_width(put.data) == cells);
    must(text_compare(clean.data, clean.data) == 0);
    must(text_find_fold(clean.data, clean.data) == 0);
  }

  /* A small buffer ends at a letter's border. */
  struct buf small;
  buf_init(&small, (size_t)cells);
  text_clean(&small, text, len, mode);
  must(text_valid_utf8(small.data, small.len));
  must(memcmp(small.data, clean.data, small.len) == 0);
  buf_fini(&small);
  buf_fini(&put);
  buf_fini(&again);
  buf_fini(&clean);
  return 0;
}
