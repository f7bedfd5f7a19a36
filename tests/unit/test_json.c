/* JSON: what is read and what is refused, getters, and the writer's every form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cjson/cJSON.h>
#include "base/json.h"
#include "base/text.h"
#include "base/when.h"

#define COUNT_OF(a)      (sizeof(a) / sizeof((a)[0]))
#define TEXT_OF(literal) (literal), sizeof(literal) - 1

static struct cJSON *parse(const char *text)
{
  struct cJSON *tree = NULL;
  struct err e = json_parse(text, strlen(text), &tree);
  if (err_is(&e))
    fail_msg("%s: %s", text, err_message(&e));
  return tree;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static void test_parse_takes(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    const char *text;
    size_t len;
    const char *again; /* as the writer says it */
  } cases[] = {
      {"empty object", TEXT_OF("{}"), "{}"},
      {"white space around", TEXT_OF(" \r\n\t{} \r\n\t"), "{}"},
      {"byte order mark", TEXT_OF("\xef\xbb\xbf{\"a\":1}"), "{\"a\":1}"},
      {"mark and blanks", TEXT_OF("\xef\xbb\xbf \n[1]"), "[1]"},
      {"no terminating NUL", "[1]x", 3, "[1]"},
      {"a scalar", TEXT_OF("1.5"), "1.5"},
      {"raw line feed in a string", TEXT_OF("{\"e\":\"first\n second\x01\"}"), "{\"e\":\"first\\n second\\u0001\"}"},
      {"numbers", TEXT_OF("[1.79E9,12.0,-0.5,1e-7,9007199254740991]"), "[1790000000,12,-0.5,1e-07,9007199254740991]"},
      {"escaped NUL", TEXT_OF("[\"a\\u0000b\"]"),
       "[\"a\xef\xbf\xbd"
       "b\"]"},
      {"half a pair", TEXT_OF("[\"a\\ud800b\",\"\\uDC00\"]"),
       "[\"a\xef\xbf\xbd"
       "b\",\"\xef\xbf\xbd\"]"},
      {"two high halves", TEXT_OF("[\"\\ud83d\\ud83d\\ude00\"]"), "[\"\xef\xbf\xbd\xf0\x9f\x98\x80\"]"},
      {"a pair", TEXT_OF("[\"\\ud83d\\uDE00\"]"), "[\"\xf0\x9f\x98\x80\"]"},
      {"escaped backslash before u0000", TEXT_OF("[\"\\\\u0000\"]"), "[\"\\\\u0000\"]"},
      {"broken UTF-8", TEXT_OF("[\"caf\xe9\"]"), "[\"caf\xef\xbf\xbd\"]"},
      {"bidi and C1", TEXT_OF("[\"\xe2\x80\xae\xc2\x9b\x7f\"]"), "[\"\\u202e\\u009b\\u007f\"]"},
      {"same name twice", TEXT_OF("{\"a\":1,\"a\":2}"), "{\"a\":1,\"a\":2}"},
      {"nulls and truths", TEXT_OF("[null,true,false]"), "[null,true,false]"},
      {"nested", TEXT_OF("{\"a\":{\"b\":[[],{}]}}"), "{\"a\":{\"b\":[[],{}]}}"},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct cJSON *tree = NULL;
    struct err e = json_parse(cases[i].text, cases[i].len, &tree);
    if (err_is(&e))
      fail_msg("%s: %s", cases[i].name, err_message(&e));
    struct buf out;
    struct jw w;
    buf_init(&out, 10000);
    jw_init(&w, &out, false);
    jw_tree(&w, tree);
    if (strcmp(out.data, cases[i].again) != 0)
      fail_msg("%s: came back as %s", cases[i].name, out.data);
    buf_fini(&out);
    json_free(tree);
  }
}

static void test_parse_refuses(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    const char *text;
    size_t len;
    const char *part; /* of the message */
  } cases[] = {
      {"nothing", TEXT_OF(""), "empty"},
      {"blanks", TEXT_OF(" \n "), "empty"},
      {"only a mark", TEXT_OF("\xef\xbb\xbf"), "empty"},
      {"cut off", TEXT_OF("{\"a\":"), "byte 4 of 5"},
      {"trailing text", TEXT_OF("{} x"), "byte 3 of 4"},
      {"two documents", TEXT_OF("{}{}"), "byte 2 of 4"},
      {"a page of HTML", TEXT_OF("<html><body>503"), "byte 0 of 15, near \"<html><body>503\""},
      {"a NUL byte", TEXT_OF("{\"a\":\"x\0y\"}"), "byte 7 of 11"},
      {"a NUL at the end", TEXT_OF("{}\0"), "byte 2 of 3"},
      {"bad escape", TEXT_OF("[\"\\q\"]"), "byte"},
      {"short escape", TEXT_OF("[\"\\u12\"]"), "byte"},
      {"single quotes", TEXT_OF("{'a':1}"), "of 7, near \"{'a':1}"},
      {"hostile excerpt", TEXT_OF("\x1b]52;c;ZXZpbA==\x07\x1b[31mred"), "near \"red\""},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    struct cJSON *tree = (struct cJSON *)(void *)&state;
    struct err e = json_parse(cases[i].text, cases[i].len, &tree);
    if (!err_is(&e) || e.kind != ERR_PARSE || tree != NULL)
      fail_msg("%s: was not refused as it should be", cases[i].name);
    if (strstr(err_message(&e), cases[i].part) == NULL || strchr(err_message(&e), '\x1b') != NULL)
      fail_msg("%s: message is %s", cases[i].name, err_message(&e));
    err_fini(&e);
  }
}

static void test_parse_guards_depth(void **state)
{
  (void)state;
  enum { DEEP = 200000 };
  char *text = malloc(DEEP);
  assert_non_null(text);
  memset(text, '[', DEEP);
  struct cJSON *tree = NULL;
  struct err e = json_parse(text, DEEP, &tree);
  assert_int_equal(e.kind, ERR_PARSE);
  assert_null(tree);
  err_fini(&e);
  free(text);
}

static void test_getters_tell_absent_null_and_wrong(void **state)
{
  (void)state;
  struct cJSON *tree = parse("{\"s\":\"x\",\"n\":12.0,\"b\":true,\"z\":null,\"o\":{},\"S\":\"upper\",\"num\":\"1.5\"}");
  double f = 7;
  int64_t i = 7;
  bool b = false;
  assert_string_equal(json_str(tree, "s"), "x");
  assert_string_equal(json_str(tree, "S"), "upper");
  assert_null(json_str(tree, "n"));
  assert_null(json_str(tree, "z"));
  assert_null(json_str(tree, "none"));
  assert_null(json_str(NULL, "s"));
  assert_non_null(json_get(tree, "o"));
  assert_non_null(json_get(tree, "z"));
  assert_null(json_get(tree, "none"));
  assert_null(json_get(json_get(tree, "s"), "s"));
  assert_true(json_is_null(tree, "z"));
  assert_false(json_is_null(tree, "none"));
  assert_false(json_is_null(tree, "s"));
  assert_true(json_bool(tree, "b", &b));
  assert_true(b);
  assert_false(json_bool(tree, "n", &b));
  assert_true(json_f64(tree, "num", &f));
  assert_float_equal(f, 1.5, 0);
  assert_true(json_i64(tree, "n", &i));
  assert_int_equal(i, 12);
  i = 7;
  assert_false(json_i64(tree, "z", &i));
  assert_false(json_i64(tree, "s", &i));
  assert_false(json_f64(tree, "none", &f));
  assert_int_equal(i, 7);
  json_free(tree);
  json_free(NULL);
}

static void test_numbers(void **state)
{
  (void)state;
  static const struct {
    const char *value;
    bool f64;
    double number;
    bool i64;
    int64_t integer;
  } cases[] = {
      {"1.79E9", true, 1.79e9, true, 1790000000},
      {"0.0625", true, 0.0625, true, 0},
      {"2.5", true, 2.5, true, 3},
      {"-2.5", true, -2.5, true, -3},
      {"-0", true, 0, true, 0},
      {"9007199254740993", true, 9007199254740992.0, true, INT64_C(9007199254740992)},
      {"\"9007199254740993\"", true, 9007199254740992.0, true, INT64_C(9007199254740993)},
      {"\"9223372036854775807\"", true, 9223372036854775808.0, true, INT64_MAX},
      {"\"-9223372036854775808\"", true, -9223372036854775808.0, true, INT64_MIN},
      {"\"9223372036854775808\"", true, 9223372036854775808.0, false, 0},
      {"9223372036854775808", true, 9223372036854775808.0, false, 0},
      {"-9223372036854775808", true, -9223372036854775808.0, true, INT64_MIN},
      {"1e300", true, 1e300, false, 0},
      {"1e400", false, 0, false, 0},
      {"-1e400", false, 0, false, 0},
      {"\"1e400\"", false, 0, false, 0},
      {"\"1.5e1\"", true, 15, true, 15},
      {"\"\"", false, 0, false, 0},
      {"\"-\"", false, 0, false, 0},
      {"\" 1\"", false, 0, false, 0},
      {"\"1 \"", false, 0, false, 0},
      {"\"+1\"", false, 0, false, 0},
      {"\"0x10\"", false, 0, false, 0},
      {"\"nan\"", false, 0, false, 0},
      {"\"inf\"", false, 0, false, 0},
      {"\"1.\"", false, 0, false, 0},
      {"\".5\"", false, 0, false, 0},
      {"\"1e\"", false, 0, false, 0},
      {"\"1,5\"", false, 0, false, 0},
      {"true", false, 0, false, 0},
      {"[1]", false, 0, false, 0},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char text[100];
    snprintf(text, sizeof text, "{\"v\":%s}", cases[i].value);
    struct cJSON *tree = parse(text);
    double number = 0;
    int64_t integer = 0;
    if (json_f64(tree, "v", &number) != cases[i].f64 || number < cases[i].number || number > cases[i].number)
      fail_msg("%s as a double: %g", cases[i].value, number);
    if (json_i64(tree, "v", &integer) != cases[i].i64 || integer != cases[i].integer)
      fail_msg("%s as an integer: %lld", cases[i].value, (long long)integer);
    json_free(tree);
  }
}

static void test_times(void **state)
{
  (void)state;
  static const struct {
    const char *value;
    bool ok;
    int64_t ms;
  } cases[] = {
      {"1602873931.255", true, INT64_C(1602873931255)},
      {"1690000000.5", true, INT64_C(1690000000500)},
      {"1.79E9", true, INT64_C(1790000000000)},
      {"0", true, 0},
      {"-1", true, -1000},
      {"\"2026-11-30T23:06:02.123Z\"", true, INT64_C(1796079962123)},
      {"\"2030-01-01T00:00:00UTC\"", true, INT64_C(1893456000000)},
      {"\"1602873931.255\"", true, INT64_C(1602873931255)},
      {"253402300799", true, INT64_C(253402300799000)},
      {"253402300800", false, 0},
      {"1796079962123", false, 0}, /* milliseconds by mistake */
      {"1e300", false, 0},
      {"-1e300", false, 0},
      {"1e400", false, 0},
      {"null", false, 0},
      {"true", false, 0},
      {"\"\"", false, 0},
      {"\"soon\"", false, 0},
  };
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    char text[100];
    snprintf(text, sizeof text, "{\"t\":%s}", cases[i].value);
    struct cJSON *tree = parse(text);
    int64_t ms = 0;
    if (json_time(tree, "t", &ms) != cases[i].ok || ms != cases[i].ms)
      fail_msg("%s: %lld", cases[i].value, (long long)ms);
    json_free(tree);
  }
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static void test_writer_keeps_commas_and_nesting(void **state)
{
  (void)state;
  struct buf out;
  struct jw w;
  buf_init(&out, 10000);
  for (int pretty = 0; pretty < 2; pretty++) {
    buf_reset(&out);
    jw_init(&w, &out, pretty != 0);
    jw_object(&w);
    jw_name(&w, "a");
    jw_i64(&w, INT64_MIN);
    jw_name(&w, "list");
    jw_array(&w);
    jw_str(&w, "x");
    jw_str(&w, NULL);
    jw_array(&w);
    jw_end_array(&w);
    jw_object(&w);
    jw_end_object(&w);
    jw_raw(&w, "{\"raw\":1}", 9);
    jw_end_array(&w);
    jw_name(&w, "t");
    jw_time(&w, 0);
    jw_name(&w, "none");
    jw_time(&w, WHEN_NONE);
    jw_name(&w, "b");
    jw_bool(&w, false);
    jw_end_object(&w);
    buf_addc(&out, '\n');
    jw_bool(&w, true);
    assert_string_equal(out.data, pretty == 0 ? "{\"a\":-9223372036854775808,\"list\":[\"x\",null,[],{},{\"raw\":1}],"
                                                "\"t\":\"1970-01-01T00:00:00.000Z\",\"none\":null,\"b\":false}\ntrue"
                                              : "{\n"
                                                "  \"a\": -9223372036854775808,\n"
                                                "  \"list\": [\n"
                                                "    \"x\",\n"
                                                "    null,\n"
                                                "    [],\n"
                                                "    {},\n"
                                                "    {\"raw\":1}\n"
                                                "  ],\n"
                                                "  \"t\": \"1970-01-01T00:00:00.000Z\",\n"
                                                "  \"none\": null,\n"
                                                "  \"b\": false\n"
                                                "}\ntrue");
  }
  buf_fini(&out);
}

static void test_writer_escapes(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    size_t len;
    const char *json;
  } cases[] = {
      {TEXT_OF("plain"), "\"plain\""},
      {TEXT_OF(""), "\"\""},
      {TEXT_OF("\"\\/"), "\"\\\"\\\\/\""},
      {TEXT_OF("\n\r\t\b\f"), "\"\\n\\r\\t\\u0008\\u000c\""},
      {TEXT_OF("a\0b"), "\"a\\u0000b\""},
      {TEXT_OF("\x1b[31m\x7f"), "\"\\u001b[31m\\u007f\""},
      {TEXT_OF("\xc2\x9b\xc2\x85"), "\"\\u009b\\u0085\""},
      {TEXT_OF("\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c"), "\"\\u202e\\u2066\\u200f\\u061c\""},
      {TEXT_OF("\xe2\x80\x8b\xef\xbb\xbf\xe2\x80\xa8\xe2\x80\xa9"), "\"\\u200b\\ufeff\\u2028\\u2029\""},
      {TEXT_OF("\xf3\xa0\x81\x81"), "\"\\udb40\\udc41\""},
      {TEXT_OF("\xe6\x97\xa5\xf0\x9f\x98\x80"), "\"\xe6\x97\xa5\xf0\x9f\x98\x80\""},
      {TEXT_OF("\xe6\x97|\xff|\xed\xa0\x80|\xf4\x90\x80\x80"),
       "\"\xef\xbf\xbd|\xef\xbf\xbd|\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd|"
       "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
  };
  struct buf out;
  struct jw w;
  buf_init(&out, 10000);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    buf_reset(&out);
    jw_init(&w, &out, false);
    jw_str_n(&w, cases[i].text, cases[i].len);
    assert_string_equal(out.data, cases[i].json);
  }
  buf_fini(&out);
}

static void test_writer_numbers(void **state)
{
  (void)state;
  static const struct {
    double value;
    const char *json;
  } cases[] = {
      {0, "0"},
      {-0.0, "-0"},
      {0.1, "0.1"},
      {0.1 + 0.2, "0.30000000000000004"},
      {1.0 / 3, "0.3333333333333333"},
      {1e15, "1000000000000000"},
      {1700000000000, "1700000000000"},
      {1e21, "1e+21"},
      {5e-324, "4.94065645841247e-324"},
      {-1.5, "-1.5"},
      {(double)NAN, "null"},
      {(double)INFINITY, "null"},
      {-(double)INFINITY, "null"},
  };
  struct buf out;
  struct jw w;
  buf_init(&out, 10000);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    buf_reset(&out);
    jw_init(&w, &out, false);
    jw_f64(&w, cases[i].value);
    assert_string_equal(out.data, cases[i].json);
  }
  uint64_t seed = 7;
  for (int i = 0; i < 20000; i++) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    double value = 0;
    uint64_t bits = seed ^ seed >> 29;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value))
      continue;
    buf_reset(&out);
    jw_init(&w, &out, false);
    jw_f64(&w, value);
    double back = strtod(out.data, NULL);
    if (memcmp(&back, &value, sizeof value) != 0)
      fail_msg("%s does not read back as %a", out.data, value);
  }
  buf_fini(&out);
}

static void test_writer_decimals(void **state)
{
  (void)state;
  static const struct {
    int64_t value;
    int scale;
    const char *json;
  } cases[] = {
      {0, 9, "0"},
      {1, 9, "0.000000001"},
      {-1, 9, "-0.000000001"},
      {1470000000, 9, "1.47"},
      {-1500000000, 9, "-1.5"},
      {2112 * INT64_C(1000000000), 9, "2112"},
      {4600000, 9, "0.0046"},
      {12, 0, "12"},
      {120, 1, "12"},
      {INT64_MAX, 9, "9223372036.854775807"},
      {INT64_MIN, 9, "-9223372036.854775808"},
      {INT64_MIN, 18, "-9.223372036854775808"},
      {5, -1, "5"},
      {5, 99, "0.000000000000000005"},
  };
  struct buf out;
  struct jw w;
  buf_init(&out, 10000);
  for (size_t i = 0; i < COUNT_OF(cases); i++) {
    buf_reset(&out);
    jw_init(&w, &out, false);
    jw_decimal(&w, cases[i].value, cases[i].scale);
    assert_string_equal(out.data, cases[i].json);
  }
  buf_fini(&out);
}

/* Numbers have a point in JSON wherever the program runs. */
static void test_numbers_in_a_comma_locale(void **state)
{
  (void)state;
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
  bool found = false;
  for (size_t i = 0; i < COUNT_OF(names) && !found; i++)
    found = setlocale(LC_NUMERIC, names[i]) != NULL;
  if (!found) {
    print_message("no locale with a decimal comma is installed: not checked\n");
    return;
  }
  struct cJSON *tree = parse("{\"a\":1.5,\"b\":\"2.5\"}");
  double a = 0;
  double b = 0;
  struct buf out;
  struct jw w;
  buf_init(&out, 100);
  jw_init(&w, &out, false);
  assert_true(json_f64(tree, "a", &a) && json_f64(tree, "b", &b));
  jw_f64(&w, a + b + 0.25);
  setlocale(LC_NUMERIC, "C");
  assert_string_equal(out.data, "4.25");
  buf_fini(&out);
  json_free(tree);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parse_takes),
      cmocka_unit_test(test_parse_refuses),
      cmocka_unit_test(test_parse_guards_depth),
      cmocka_unit_test(test_getters_tell_absent_null_and_wrong),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_times),
      cmocka_unit_test(test_writer_keeps_commas_and_nesting),
      cmocka_unit_test(test_writer_escapes),
      cmocka_unit_test(test_writer_numbers),
      cmocka_unit_test(test_writer_decimals),
      cmocka_unit_test(test_numbers_in_a_comma_locale),
  };
  setlocale(LC_CTYPE, "C.UTF-8");
  return cmocka_run_group_tests(tests, NULL, NULL) == 0 ? 0 : 1;
}
