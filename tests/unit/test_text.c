/* Text as it is shown and searched: cells, cutting, order, patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "base/xalloc.h"

#define COUNT_OF(a)      (sizeof(a) / sizeof((a)[0]))
#define TEXT_OF(literal) (literal), sizeof(literal) - 1

#define ACUTE    "\xcc\x81"         /* U+0301 */
#define ZWJ      "\xe2\x80\x8d"     /* U+200D */
#define VS16     "\xef\xb8\x8f"     /* U+FE0F */
#define MAN      "\xf0\x9f\x91\xa8" /* U+1F468 */
#define WOMAN    "\xf0\x9f\x91\xa9"
#define BOY      "\xf0\x9f\x91\xa6"
#define FLAG_F   "\xf0\x9f\x87\xab"
#define FLAG_I   "\xf0\x9f\x87\xae"
#define DAY      "\xe6\x97\xa5"                     /* U+65E5 */
#define FOUR     "\xd8\x80\xd8\x80\xd8\x80\xd8\x80" /* U+0600, which clings to what follows */
#define ELLIPSIS "\xe2\x80\xa6"

static void test_width_of_names(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    int cells;
  } cases[] = {
      {"ascii-job", 9},
      {"\xe6\x97\xa5\xe6\xac\xa1\xe9\x9b\x86\xe8\xa8\x88", 8},
      {"\xeb\xaa\xa8", 2},
      {"\xd1\x83\xd0\xbf\xd1\x8f\xd1\x87\xd0\xba\xd0\xb0", 6},
      {"\xe2\x9d\xa4" VS16, 1}, /* reduced to its base */
      {"\xe2\x9a\xa0", 1},
      {"\xe2\x9c\x85", 2},
      {MAN ZWJ WOMAN ZWJ BOY, 2},
      {"e" ACUTE, 1},
      {FLAG_F FLAG_I, 2},
      {"\xe2\x9c\x8f" VS16 " edit", 6},
      {"\xef\xbd\x86\xef\xbd\x95\xef\xbd\x8c\xef\xbd\x8c", 8},
      {"", 0},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char *clean = text_clean_dup(cases[i].text, TEXT_LINE);
    if (text_width(clean) != cases[i].cells)
      fail_msg("%s takes %d cells, not %d", clean, text_width(clean), cases[i].cells);
    assert_int_equal(text_width_n(clean, strlen(clean)), cases[i].cells);
    int used = -1;
    assert_int_equal(text_fit(clean, cases[i].cells, &used), strlen(clean));
    assert_int_equal(used, cases[i].cells);
    free(clean);
  }
  assert_int_equal(text_width("ab\ncd"), 4);
  assert_int_equal(text_width_n("abcdef", 3), 3);
}

static void test_fit_never_splits(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    int cells;
    size_t bytes;
    int used;
  } cases[] = {
      {"abc", 0, 0, 0},
      {"abc", -1, 0, 0},
      {"abc", 2, 2, 2},
      {"abc", 3, 3, 3},
      {"abc", 99, 3, 3},
      {DAY DAY, 1, 0, 0},
      {DAY DAY, 2, 3, 2},
      {DAY DAY, 3, 3, 2},
      {"e" ACUTE "x", 1, 3, 1},
      {"ae" ACUTE, 1, 1, 1},
      {FLAG_F FLAG_I "x", 1, 0, 0},
      {FLAG_F FLAG_I "x", 2, 8, 2},
      {"\xe1\x84\x80\xe1\x85\xa1\xe1\x86\xa8x", 2, 9, 2},
      {FOUR FOUR FOUR "x", 10, 16, 8}, /* one cluster without end does not hide the line */
      {"", 5, 0, 0},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    int used = -1;
    size_t bytes = text_fit(cases[i].text, cases[i].cells, &used);
    if (bytes != cases[i].bytes || used != cases[i].used)
      fail_msg("%s in %d: %zu bytes, %d cells", cases[i].text, cases[i].cells, bytes, used);
  }
  assert_int_equal(text_fit("abc", 2, NULL), 2);
}

static void test_put(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    int cells;
    enum text_align align;
    bool pad;
    const char *out;
  } cases[] = {
      {"abc", 5, TEXT_LEFT, true, "abc  "},
      {"abc", 5, TEXT_LEFT, false, "abc"},
      {"abc", 5, TEXT_RIGHT, true, "  abc"},
      {"abc", 5, TEXT_RIGHT, false, "abc"},
      {"abc", 3, TEXT_LEFT, true, "abc"},
      {"abcd", 3, TEXT_LEFT, true, "ab" ELLIPSIS},
      {"abcd", 3, TEXT_RIGHT, true, "ab" ELLIPSIS},
      {"abcd", 1, TEXT_LEFT, true, ELLIPSIS},
      {"abcd", 0, TEXT_LEFT, true, ""},
      {"abcd", -5, TEXT_LEFT, true, ""},
      {"", 3, TEXT_LEFT, true, "   "},
      {DAY DAY, 3, TEXT_LEFT, true, DAY ELLIPSIS},
      {DAY DAY, 2, TEXT_LEFT, true, ELLIPSIS " "},
      {DAY DAY, 2, TEXT_RIGHT, true, " " ELLIPSIS},
      {DAY DAY, 5, TEXT_RIGHT, true, " " DAY DAY},
      {"ae" ACUTE "bc", 3, TEXT_LEFT, true, "ae" ACUTE ELLIPSIS},
  };
  struct buf out;
  buf_init(&out, 1000);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    buf_reset(&out);
    text_put(&out, cases[i].text, cases[i].cells, cases[i].align, cases[i].pad);
    assert_string_equal(out.data, cases[i].out);
    if (cases[i].pad && cases[i].cells > 0)
      assert_int_equal(text_width(out.data), cases[i].cells);
  }
  text_set_ascii(true);
  buf_reset(&out);
  text_put(&out, "abcd", 3, TEXT_LEFT, true);
  assert_string_equal(out.data, "ab~");
  text_set_ascii(false);
  buf_fini(&out);
}

/* Columns stay aligned whatever the texts and widths are. */
static void test_put_keeps_columns(void **state)
{
  (void)state;
  static const char *const pieces[] = {
      "a", DAY, "e" ACUTE, FLAG_F FLAG_I, "\xf0\x9f\x98\x80", " ", "\xe0\xa4\x95\xe0\xa4\xbe"};
  struct buf text;
  struct buf out;
  buf_init(&text, 1000);
  buf_init(&out, 1000);
  uint32_t seed = 1;
  for (int round = 0; round < 5000; round++) {
    buf_reset(&text);
    seed = seed * 1664525 + 1013904223;
    for (uint32_t n = seed >> 28; n > 0; n--) {
      seed = seed * 1664525 + 1013904223;
      buf_adds(&text, pieces[(seed >> 16) % COUNT_OF(pieces)]);
    }
    int cells = (int)(seed >> 8 & 31);
    buf_reset(&out);
    text_put(&out, text.data, cells, round % 2 == 0 ? TEXT_LEFT : TEXT_RIGHT, true);
    if (text_width(out.data) != cells || !text_valid_utf8(out.data, out.len))
      fail_msg("'%s' in %d cells gave '%s'", text.data, cells, out.data);
  }
  buf_fini(&text);
  buf_fini(&out);
}

static void test_width_without_a_locale(void **state)
{
  (void)state;
  setlocale(LC_CTYPE, "C");
  char *clean = text_clean_dup("a" DAY "e" ACUTE, TEXT_LINE);
  assert_string_equal(clean, "a" DAY "e" ACUTE);
  assert_int_equal(text_width("plain"), 5);
  assert_int_equal(text_width(clean), 4);
  free(clean);
  setlocale(LC_CTYPE, "C.UTF-8");
}

static void test_valid_utf8(void **state)
{
  (void)state;
  assert_true(text_valid_utf8("", 0));
  assert_true(text_valid_utf8(TEXT_OF("a\0" DAY)));
  assert_false(text_valid_utf8(TEXT_OF("\xe6\x97")));
  assert_false(text_valid_utf8(TEXT_OF("\xc0\x80")));
  assert_false(text_valid_utf8(TEXT_OF("\xed\xa0\x80")));
  assert_false(text_valid_utf8(TEXT_OF("caf\xe9")));
}

static void test_find_fold(void **state)
{
  (void)state;
  static const struct {
    const char *haystack;
    const char *needle;
    long at;
  } cases[] = {
      {"Orders-Silver", "silver", 7},
      {"orders", "ORDERS", 0},
      {"orders", "", 0},
      {"", "", 0},
      {"", "x", -1},
      {"orders", "orderss", -1},
      {"aaab", "aab", 1},
      {DAY "x", "X", 3},
      {"\xd0\xa3\xd0\x9f", "\xd0\xbf", 2},                         /* Cyrillic */
      {"\xce\xa3\xce\x91\xcf\x82", "\xcf\x83\xce\xb1\xcf\x83", 0}, /* three sigmas */
      {"caf\xc3\x89", "caf\xc3\xa9", 0},
      {"\xc3\xa9", "\xa9", -1}, /* half a letter is not found in it */
      {"[x]", "[X]", 0},
      {"a_b", "A@B", -1},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    if (text_find_fold(cases[i].haystack, cases[i].needle) != cases[i].at)
      fail_msg("%s in %s: %ld", cases[i].needle, cases[i].haystack, text_find_fold(cases[i].haystack, cases[i].needle));
  }
}

static int sign(int n)
{
  return n < 0 ? -1 : n > 0;
}

static void test_compare_is_natural_and_total(void **state)
{
  (void)state;
  /* In order, all different. */
  static const char *const names[] = {
      "",
      "-1",
      "0",
      "00",
      "1",
      "2",
      "10",
      "010a",
      "99999999999999999999998",
      "99999999999999999999999",
      "A",
      "a",
      "a b",
      "a01",
      "a1",
      "a2",
      "a10",
      "a10b",
      "ab",
      "B",
      "job1-x",
      "job2",
      "Job10",
      "job10",
      "job10-2",
      "job10-10",
      "z",
      "\xc3\x89"
      "a",
      "\xc3\xa9"
      "b",
      DAY,
  };
  for (size_t i = 0; i < COUNT_OF(names); i++) {
    for (size_t j = 0; j < COUNT_OF(names); j++) {
      int want = i < j ? -1 : i > j;
      int got = sign(text_compare(names[i], names[j]));
      if (got != want)
        fail_msg("'%s' against '%s': %d", names[i], names[j], got);
      if (got != -sign(text_compare(names[j], names[i])))
        fail_msg("'%s' against '%s' depends on the side", names[i], names[j]);
    }
  }
}

static void test_match(void **state)
{
  (void)state;
  static const struct {
    const char *pattern;
    const char *text;
    bool matches;
  } cases[] = {
      {"", "anything", true},
      {"silver", "orders-SILVER-2", true},
      {"gold", "orders-silver", false},
      {"*", "", true},
      {"*", "x", true},
      {"?", "", false},
      {"?", DAY, true},
      {"??", DAY, false},
      {"orders-*", "Orders-silver", true},
      {"orders-*", "my-orders-silver", false},
      {"*-silver", "orders-silver", true},
      {"*-silver", "orders-silver-2", false},
      {"o*s-*r", "orders-silver", true},
      {"a*b*c", "axxbxxbxxc", true},
      {"a*b*c", "axxbxxbxx", false},
      {"job?", "job1", true},
      {"job?", "job12", false},
      {"**a**", "xax", true},
      {"[a]*", "[a]b", true},
      {"[a]*", "ab", false},
      {"*\xc3\x89*", "caf\xc3\xa9!", true},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    if (text_match(cases[i].pattern, cases[i].text) != cases[i].matches)
      fail_msg("%s on %s", cases[i].pattern, cases[i].text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_width_of_names),
      cmocka_unit_test(test_fit_never_splits),
      cmocka_unit_test(test_put),
      cmocka_unit_test(test_put_keeps_columns),
      cmocka_unit_test(test_width_without_a_locale),
      cmocka_unit_test(test_valid_utf8),
      cmocka_unit_test(test_find_fold),
      cmocka_unit_test(test_compare_is_natural_and_total),
      cmocka_unit_test(test_match),
  };
  if (setlocale(LC_CTYPE, "C.UTF-8") == NULL && setlocale(LC_CTYPE, "en_US.UTF-8") == NULL) {
    print_message("no UTF-8 locale here\n");
    return 77;
  }
  return cmocka_run_group_tests(tests, NULL, NULL) == 0 ? 0 : 1;
}
