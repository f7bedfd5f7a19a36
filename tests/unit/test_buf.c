/* The plain containers and values of base: buf, arena, strpool, secret, err, clock, xgrow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/secret.h"
#include "base/strpool.h"
#include "base/xalloc.h"

/* --- buf ---------------------------------------------------------------------------------------------------------- */

static void test_buf_is_a_string_from_the_start(void **state)
{
  (void)state;
  struct buf b;
  buf_init(&b, 100);
  assert_string_equal(b.data, "");
  buf_reset(&b);
  buf_drop(&b, 3);
  assert_string_equal(b.data, "");
  assert_true(buf_adds(&b, NULL));
  assert_true(buf_add(&b, NULL, 0));
  char *taken = buf_take(&b);
  assert_string_equal(taken, "");
  free(taken);
  buf_fini(&b);
}

static void test_buf_refuses_whole_writes_beyond_max(void **state)
{
  (void)state;
  struct buf b;
  buf_init(&b, 10);
  assert_true(buf_adds(&b, "12345678"));
  assert_false(buf_adds(&b, "abc"));
  assert_true(b.overflow);
  assert_string_equal(b.data, "12345678");
  assert_false(buf_addf(&b, "%d", 12345));
  assert_string_equal(b.data, "12345678");
  assert_true(buf_addf(&b, "%d", 90));
  assert_int_equal(b.len, 10);
  assert_false(buf_addc(&b, 'x'));
  assert_true(b.overflow); /* stays until reset */
  buf_reset(&b);
  assert_false(b.overflow);
  assert_int_equal(b.len, 0);
  assert_true(buf_adds(&b, "1234567890"));
  buf_fini(&b);
  assert_int_equal(b.max, 10);
}

static void test_buf_max_zero_and_huge(void **state)
{
  (void)state;
  struct buf b;
  buf_init(&b, 0);
  assert_false(buf_addc(&b, 'x'));
  assert_true(buf_adds(&b, ""));
  assert_string_equal(b.data, "");
  buf_fini(&b);
  buf_init(&b, SIZE_MAX);
  assert_true(buf_adds(&b, "x"));
  assert_false(buf_add(&b, "x", SIZE_MAX / 2));
  assert_string_equal(b.data, "x");
  buf_fini(&b);
}

static void test_buf_holds_bytes_with_nul(void **state)
{
  (void)state;
  struct buf b;
  buf_init(&b, 100000);
  for (int i = 0; i < 1000; i++)
    assert_true(buf_add(&b, "a\0b", 3));
  assert_int_equal(b.len, 3000);
  assert_memory_equal(b.data + 2997, "a\0b\0", 4);
  buf_drop(&b, 2998);
  assert_int_equal(b.len, 2);
  assert_memory_equal(b.data, "\0b\0", 3);
  buf_drop(&b, 99);
  assert_int_equal(b.len, 0);
  buf_fini(&b);
}

static void test_buf_take_gives_the_bytes_away(void **state)
{
  (void)state;
  struct buf b;
  buf_init(&b, 100);
  buf_adds(&b, "mine");
  char *taken = buf_take(&b);
  assert_string_equal(taken, "mine");
  assert_string_equal(b.data, "");
  buf_adds(&b, "new");
  assert_string_equal(taken, "mine");
  free(taken);
  buf_fini(&b);
}

/* --- arena -------------------------------------------------------------------------------------------------------- */

static void test_arena_gives_aligned_zeroed_memory(void **state)
{
  (void)state;
  struct arena a;
  arena_init(&a);
  for (size_t size = 0; size < 40000; size = size * 2 + 1) {
    unsigned char *p = arena_alloc(&a, size);
    assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
    for (size_t i = 0; i < size; i++)
      assert_int_equal(p[i], 0);
    memset(p, 0xee, size);
  }
  arena_fini(&a);
  assert_int_equal(a.used, 0);
}

static void test_arena_pieces_do_not_overlap(void **state)
{
  (void)state;
  enum { COUNT = 3000 };
  struct arena a;
  arena_init(&a);
  char *texts[COUNT];
  for (int i = 0; i < COUNT; i++) {
    texts[i] = arena_printf(&a, "text %d %0*d", i, i % 97 == 0 ? 9000 : i % 50, i);
    if (i % 97 == 0)
      assert_int_equal(strlen(texts[i]), strlen("text  ") + 9000 + (size_t)snprintf(NULL, 0, "%d", i));
  }
  for (int i = 0; i < COUNT; i++) {
    char *want = xasprintf("text %d %0*d", i, i % 97 == 0 ? 9000 : i % 50, i);
    assert_string_equal(texts[i], want);
    free(want);
  }
  arena_fini(&a);
}

static void test_arena_reset_keeps_one_block(void **state)
{
  (void)state;
  struct arena a;
  arena_init(&a);
  arena_reset(&a);
  for (int i = 0; i < 5000; i++)
    arena_alloc(&a, 64);
  arena_reset(&a);
  assert_non_null(a.head);
  assert_int_equal(a.used, 0);
  struct arena_block *kept = a.head;
  char *p = arena_strdup(&a, "again");
  assert_ptr_equal(a.head, kept);
  assert_string_equal(p, "again");
  assert_null(arena_strdup(&a, NULL));
  assert_string_equal(arena_strndup(&a, "abcdef", 3), "abc");
  assert_string_equal(arena_strndup(&a, "ab", 30), "ab");
  int *numbers = arena_array(&a, 10, sizeof *numbers);
  assert_int_equal(numbers[9], 0);
  arena_fini(&a);
}

/* --- strpool ------------------------------------------------------------------------------------------------------ */

static void test_strpool_same_text_same_number(void **state)
{
  (void)state;
  struct strpool *p = strpool_new();
  assert_int_equal(strpool_put(p, NULL), 0);
  assert_null(strpool_get(p, 0));
  assert_null(strpool_get(p, 77));
  strid empty = strpool_put(p, "");
  assert_int_not_equal(empty, 0);
  assert_string_equal(strpool_get(p, empty), "");
  strid a = strpool_put(p, "orders");
  assert_int_equal(strpool_put_n(p, "orders-silver", 6), a);
  assert_int_not_equal(strpool_put(p, "Orders"), a);
  assert_int_equal(strpool_find(p, "orders"), a);
  assert_int_equal(strpool_find(p, "nobody"), 0);
  assert_int_equal(strpool_find(p, NULL), 0);
  assert_int_not_equal(strpool_put_n(p, "or\0ders", 7), strpool_put(p, "or"));
  assert_int_equal(strpool_count(p), 5);
  strpool_free(p);
  strpool_free(NULL);
}

static void test_strpool_is_stable_and_lean(void **state)
{
  (void)state;
  enum { COUNT = 200000 };
  struct strpool *p = strpool_new();
  const char *first = strpool_get(p, strpool_put(p, "the first"));
  char text[80];
  size_t text_bytes = 0;
  for (int i = 0; i < COUNT; i++) {
    int len = snprintf(text, sizeof text, "jr_%064d", i);
    text_bytes += (size_t)len + 1;
    assert_int_equal(strpool_put(p, text), i + 2);
  }
  for (int i = 0; i < COUNT; i += 97) {
    snprintf(text, sizeof text, "jr_%064d", i);
    assert_int_equal(strpool_put(p, text), i + 2);
    assert_string_equal(strpool_get(p, (strid)(i + 2)), text);
  }
  assert_ptr_equal(strpool_get(p, 1), first);
  assert_string_equal(first, "the first");
  assert_int_equal(strpool_count(p), COUNT + 1);
  /* 16 bytes an entry and 4 a slot, both at worst half empty after a doubling. */
  assert_in_range(strpool_bytes(p), text_bytes, text_bytes + (size_t)COUNT * 48);
  strpool_free(p);
}

static void test_strpool_takes_large_texts(void **state)
{
  (void)state;
  struct strpool *p = strpool_new();
  char *large = xmalloc(300001);
  memset(large, 'x', 300000);
  large[300000] = '\0';
  strid small = strpool_put(p, "small");
  strid big = strpool_put(p, large);
  strid other = strpool_put(p, "other");
  assert_string_equal(strpool_get(p, big), large);
  assert_string_equal(strpool_get(p, small), "small");
  assert_string_equal(strpool_get(p, other), "other");
  assert_int_equal(strpool_put(p, large), big);
  free(large);
  strpool_free(p);
}

/* --- secret ------------------------------------------------------------------------------------------------------- */

static void test_secret_life(void **state)
{
  (void)state;
  struct secret a = {0};
  struct secret b = {0};
  assert_true(secret_empty(&a));
  assert_true(secret_equal(&a, &b));
  secret_set_str(&a, "hunter2");
  assert_false(secret_empty(&a));
  assert_string_equal(a.bytes, "hunter2");
  assert_false(secret_equal(&a, &b));
  secret_copy(&b, &a);
  assert_true(secret_equal(&a, &b));
  assert_ptr_not_equal(a.bytes, b.bytes);
  secret_copy(&a, &a);
  assert_string_equal(a.bytes, "hunter2");
  secret_set(&a, a.bytes + 3, 4); /* from itself */
  assert_string_equal(a.bytes, "ter2");
  assert_false(secret_equal(&a, &b));
  secret_set(&b, "tex2", 4);
  assert_false(secret_equal(&a, &b));
  secret_set_str(&b, NULL);
  assert_true(secret_empty(&b));
  secret_fini(&a);
  secret_fini(&a);
  secret_fini(&b);
  char moment[8] = "abcdefg";
  secret_wipe(moment, sizeof moment);
  for (size_t i = 0; i < sizeof moment; i++)
    assert_int_equal(moment[i], 0);
  secret_wipe(NULL, 10);
}

/* --- err ---------------------------------------------------------------------------------------------------------- */

static void test_err_ok_is_nothing(void **state)
{
  (void)state;
  struct err e = err_ok();
  assert_false(err_is(&e));
  err_set_http(&e, 500, "x", "y");
  err_set_what(&e, "x");
  err_set_hint(&e, "x");
  assert_null(e.detail);
  assert_string_equal(err_message(&e), "");
  char *sentence = err_sentence(&e);
  assert_string_equal(sentence, "");
  free(sentence);
  err_fini(&e);
  e = err_new(ERR_OK, "never said");
  assert_null(e.detail);
}

static void test_err_carries_its_detail(void **state)
{
  (void)state;
  struct err e = err_new(ERR_THROTTLED, "Rate %s", "exceeded");
  err_set_http(&e, 400, "ThrottlingException", "id-1");
  err_set_http(&e, 400, NULL, NULL);
  err_set_what(&e, "GetJobRuns of %s", "orders");
  err_set_what(&e, "GetJobRuns of %s", "orders-silver");
  err_set_hint(&e, "Slow down");
  struct err copy = err_copy(&e);
  err_fini(&e);
  assert_false(err_is(&e));
  assert_int_equal(copy.kind, ERR_THROTTLED);
  assert_int_equal(copy.detail->http_status, 400);
  assert_string_equal(copy.detail->request_id, "id-1");
  assert_string_equal(err_message(&copy), "Rate exceeded");
  char *sentence = err_sentence(&copy);
  assert_string_equal(sentence, "GetJobRuns of orders-silver: Rate exceeded (ThrottlingException). Slow down");
  free(sentence);
  err_fini(&copy);
}

static void test_err_sentence_is_one_line(void **state)
{
  (void)state;
  struct err e = err_new(ERR_SERVER, "  first\r\n\tsecond.\n");
  err_set_hint(&e, "Again");
  char *sentence = err_sentence(&e);
  assert_string_equal(sentence, "first second. Again");
  free(sentence);
  err_fini(&e);
  e = err_new(ERR_NOT_FOUND, "%s", "");
  sentence = err_sentence(&e);
  assert_string_equal(sentence, "not found");
  free(sentence);
  err_fini(&e);
}

static void test_err_errno_says_why(void **state)
{
  (void)state;
  errno = ENOENT;
  struct err e = err_errno(ERR_IO, "cannot open %s", "/x");
  char *want = xasprintf("cannot open /x: %s", strerror(ENOENT));
  assert_string_equal(err_message(&e), want);
  free(want);
  err_fini(&e);
}

static void test_err_kinds_have_distinct_names(void **state)
{
  (void)state;
  for (int i = 0; i < ERR_KIND_COUNT; i++) {
    assert_non_null(err_kind_name((enum err_kind)i));
    assert_string_not_equal(err_kind_name((enum err_kind)i), "unknown");
    for (int j = 0; j < i; j++)
      assert_string_not_equal(err_kind_name((enum err_kind)i), err_kind_name((enum err_kind)j));
  }
  assert_string_equal(err_kind_name(ERR_KIND_COUNT), "unknown");
}

/* --- clock, xalloc ------------------------------------------------------------------------------------------------ */

static void test_clock_stands_still_until_moved(void **state)
{
  (void)state;
  struct clock c;
  clock_init_manual(&c, INT64_C(1700000000000));
  int64_t mono = clock_mono_ms(&c);
  assert_int_equal(clock_wall_ms(&c), INT64_C(1700000000000));
  clock_advance(&c, 1500);
  clock_advance(&c, -10); /* time does not run backwards */
  assert_int_equal(clock_wall_ms(&c), INT64_C(1700000001500));
  assert_int_equal(clock_mono_ms(&c) - mono, 1500);
  clock_init_real(&c);
  assert_true(clock_wall_ms(&c) > INT64_C(1600000000000));
  mono = clock_mono_ms(&c);
  assert_true(clock_mono_ms(&c) >= mono);
}

static void test_xalloc_helpers(void **state)
{
  (void)state;
  size_t cap = 0;
  int *items = NULL;
  for (size_t i = 0; i < 1000; i++) {
    items = xgrow(items, &cap, i + 1, sizeof *items);
    assert_true(cap > i);
    items[i] = (int)i;
  }
  assert_int_equal(items[999], 999);
  assert_true(cap < 2048);
  free(items);
  assert_null(xstrdup(NULL));
  char *s = xstrndup("abc", 2);
  assert_string_equal(s, "ab");
  free(s);
  free(xmalloc(0));
  free(xcalloc(0, 8));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_buf_is_a_string_from_the_start),
      cmocka_unit_test(test_buf_refuses_whole_writes_beyond_max),
      cmocka_unit_test(test_buf_max_zero_and_huge),
      cmocka_unit_test(test_buf_holds_bytes_with_nul),
      cmocka_unit_test(test_buf_take_gives_the_bytes_away),
      cmocka_unit_test(test_arena_gives_aligned_zeroed_memory),
      cmocka_unit_test(test_arena_pieces_do_not_overlap),
      cmocka_unit_test(test_arena_reset_keeps_one_block),
      cmocka_unit_test(test_strpool_same_text_same_number),
      cmocka_unit_test(test_strpool_is_stable_and_lean),
      cmocka_unit_test(test_strpool_takes_large_texts),
      cmocka_unit_test(test_secret_life),
      cmocka_unit_test(test_err_ok_is_nothing),
      cmocka_unit_test(test_err_carries_its_detail),
      cmocka_unit_test(test_err_sentence_is_one_line),
      cmocka_unit_test(test_err_errno_says_why),
      cmocka_unit_test(test_err_kinds_have_distinct_names),
      cmocka_unit_test(test_clock_stands_still_until_moved),
      cmocka_unit_test(test_xalloc_helpers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL) == 0 ? 0 : 1;
}
