/* Text from outside: what cleaning removes and what it keeps. */
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

#define MARK   "\xe2\x8f\x8e"     /* U+23CE */
#define BROKEN "\xef\xbf\xbd"     /* U+FFFD */
#define CIRCLE "\xe2\x97\x8c"     /* U+25CC */
#define ACUTE  "\xcc\x81"         /* U+0301 */
#define ZWJ    "\xe2\x80\x8d"     /* U+200D */
#define VS16   "\xef\xb8\x8f"     /* U+FE0F */
#define MAN    "\xf0\x9f\x91\xa8" /* U+1F468 */
#define WOMAN  "\xf0\x9f\x91\xa9"
#define BOY    "\xf0\x9f\x91\xa6"
#define TONE   "\xf0\x9f\x8f\xbd" /* U+1F3FD */
#define FLAG_F "\xf0\x9f\x87\xab"
#define FLAG_I "\xf0\x9f\x87\xae"
#define DAY    "\xe6\x97\xa5" /* U+65E5 */
#define SIGN   "\xd8\x80"     /* U+0600: clings to what follows */
#define KIYEOK "\xe1\x84\x80" /* U+1100: a Hangul consonant, which clings to the next */
#define VOWEL  "\xe1\x85\xa1" /* U+1161 */
#define FINAL  "\xe1\x86\xa8" /* U+11A8 */

struct clean_case {
  const char *name;
  const char *text;
  size_t len;
  const char *clean;
};

static void check_clean(const struct clean_case *cases, size_t count, enum text_mode mode)
{
  for (size_t i = 0; i < count; i++) {
    /* A copy of exactly this length, so that a sanitizer sees a read beyond it. */
    char *exact = xmalloc(cases[i].len);
    memcpy(exact, cases[i].text, cases[i].len);
    struct buf out;
    buf_init(&out, 100000);
    text_clean(&out, exact, cases[i].len, mode);
    if (strcmp(out.data, cases[i].clean) != 0)
      fail_msg("%s: got '%s', not '%s'", cases[i].name, out.data, cases[i].clean);
    free(exact);
    char *again = text_clean_dup(out.data, mode);
    if (strcmp(again, out.data) != 0)
      fail_msg("%s: cleaned twice gives '%s'", cases[i].name, again);
    free(again);
    buf_fini(&out);
  }
}

static void test_clean_escape_sequences(void **state)
{
  (void)state;
  static const struct clean_case cases[] = {
      {"plain", TEXT_OF("plain text, 100%s %n %1$s [YELLOW] [[.idx-1]]"),
       "plain text, 100%s %n %1$s [YELLOW] [[.idx-1]]"},
      {"empty", TEXT_OF(""), ""},
      {"colours", TEXT_OF("\x1b[32mOK\x1b[0m created"), "OK created"},
      {"modes and moves", TEXT_OF("\x1b[r\x1b[m\x1b(B\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[1;1H\x1b[1;24r\x1b[?1049lx"),
       "x"},
      {"title, clipboard, link",
       TEXT_OF("\x1b]0;owned\x07\x1b]52;c;ZXZpbA==\x07\x1b]8;;http://x.example\x1b\\link\x1b]8;;\x1b\\"), "link"},
      {"OSC ended by C1 ST",
       TEXT_OF("a\x1b]0;x\xc2\x9c"
               "b"),
       "ab"},
      {"OSC ended by raw ST",
       TEXT_OF("a\x1b]0;x\x9c"
               "b"),
       "ab"},
      {"OSC cut off", TEXT_OF("a\x1b]52;c;ZXZpb"), "a"},
      {"OSC cut off at ESC", TEXT_OF("a\x1b]52;c;ZXZpb\x1b"), "a"},
      {"OSC cancelled",
       TEXT_OF("a\x1b]0;x\x18"
               "b"),
       "ab"},
      {"OSC broken by another", TEXT_OF("a\x1b]0;x\x1b[31mb"), "ab"},
      {"OSC without end leaves the next line", TEXT_OF("a\x1b]0;x\nError: real"), "a" MARK "Error: real"},
      {"a wide letter's bytes end no OSC",
       TEXT_OF("a\x1b]0;\xe2\x9c\x9c\x07"
               "b"),
       "ab"},
      {"DCS", TEXT_OF("a\x1bPq#0;2;0\x1b\\b"), "ab"},
      {"SOS PM APC", TEXT_OF("a\x1bXs\x1b\\b\x1b^s\x1b\\c\x1b_s\x1b\\d"), "abcd"},
      {"title of screen", TEXT_OF("a\x1bktitle\x1b\\b"), "ab"},
      {"C1 CSI",
       TEXT_OF("a\xc2\x9b"
               "31mb"),
       "ab"},
      {"C1 OSC",
       TEXT_OF("a\xc2\x9d"
               "0;x\x07"
               "b"),
       "ab"},
      {"C1 DCS SOS PM APC",
       TEXT_OF("a\xc2\x90x\xc2\x9c"
               "b\xc2\x98x\xc2\x9c"
               "c\xc2\x9ex\xc2\x9c"
               "d\xc2\x9fx\xc2\x9c"
               "e"),
       "abcde"},
      {"raw C1 CSI",
       TEXT_OF("a\x9b"
               "31mb"),
       "ab"},
      {"raw C1 CSI cut off",
       TEXT_OF("a\x9b"
               "31"),
       "a" BROKEN "31"},
      {"raw C1 OSC",
       TEXT_OF("a\x9d"
               "0;x\x07"
               "b"),
       "ab"},
      {"raw C1 OSC without end",
       TEXT_OF("a\x9d"
               "0;x b"),
       "a" BROKEN "0;x b"},
      {"other encodings' quotes", TEXT_OF("\x93quoted\x94 \x9eluty"), BROKEN "quoted" BROKEN " " BROKEN "luty"},
      {"CSI cut off", TEXT_OF("a\x1b[31"), "a"},
      {"CSI with intermediates", TEXT_OF("a\x1b[0 qb\x1b[!pc"), "abc"},
      {"CSI broken by a control", TEXT_OF("a\x1b[31\nb"), "a" MARK "b"},
      {"lone ESC at the end", TEXT_OF("a\x1b"), "a"},
      {"ESC ESC", TEXT_OF("a\x1b\x1b[31mb"), "ab"},
      {"ESC before a letter beyond ASCII", TEXT_OF("a\x1b" DAY), "a" DAY},
      {"two-byte escapes",
       TEXT_OF("\x1b"
               "7a\x1b"
               "8\x1b"
               "c\x1b"
               "Mb\x1b#8c"),
       "abc"},
      {"character sets", TEXT_OF("\x1b(0a\x1b$(Bb\x1b%Gc"), "abc"},
      {"single shifts",
       TEXT_OF("a\x1bOPb\x1bNxc\xc2\x8e"
               "d"),
       "abcd"},
  };
  check_clean(cases, COUNT_OF(cases), TEXT_LINE);
}

static void test_clean_characters(void **state)
{
  (void)state;
  static const struct clean_case cases[] = {
      {"other controls", TEXT_OF("NUL\0 BEL\x07 BS\b\b DEL\x7f VT\x0b FF\x0c NEL\xc2\x85 end"),
       "NUL BEL BS DEL VT FF NEL end"},
      {"bidi", TEXT_OF("RLO\xe2\x80\xaegnp.exe\xe2\x80\xac LRE\xe2\x80\xaa RLE\xe2\x80\xab LRO\xe2\x80\xad"),
       "RLOgnp.exe LRE RLE LRO"},
      {"isolates and marks",
       TEXT_OF("\xe2\x81\xa6"
               "a\xe2\x81\xa7"
               "b\xe2\x81\xa8"
               "c\xe2\x81\xa9"
               "d\xe2\x80\x8e"
               "e\xe2\x80\x8f"
               "f\xd8\x9cg"),
       "abcdefg"},
      {"zero width",
       TEXT_OF("a\xe2\x80\x8b"
               "b\xe2\x80\x8c"
               "c" ZWJ "d\xe2\x81\xa0"
               "e\xef\xbb\xbf"
               "f"),
       "abcdef"},
      {"soft hyphen, grapheme joiner",
       TEXT_OF("a\xc2\xad"
               "b\xcd\x8f"
               "c"),
       "abc"},
      {"tags",
       TEXT_OF("a\xf3\xa0\x80\x81\xf3\xa0\x81\xa1\xf3\xa0\x81\xbf"
               "b"),
       "ab"},
      {"variation selectors",
       TEXT_OF("a\xef\xb8\x80"
               "b\xf3\xa0\x84\x80"
               "c\xe1\xa0\x8b"
               "d"),
       "abcd"},
      {"invisible letters",
       TEXT_OF("a\xe3\x85\xa4"
               "b\xe1\x85\x9f"
               "c\xef\xbe\xa0"
               "d"),
       "abcd"},
      {"noncharacters",
       TEXT_OF("a\xef\xbf\xbe"
               "b\xef\xbf\xbf"
               "c\xef\xb7\x90"
               "d\xf4\x8f\xbf\xbf"
               "e"),
       "abcde"},
      {"annotations",
       TEXT_OF("a\xef\xbf\xb9"
               "b\xef\xbf\xba"
               "c\xef\xbf\xbb"),
       "abc"},
      {"private use stays",
       TEXT_OF("a\xee\x80\x80"
               "b"),
       "a\xee\x80\x80"
       "b"},
      {"latin1", TEXT_OF("caf\xe9 \xff\xfe bad"), "caf" BROKEN " " BROKEN BROKEN " bad"},
      {"cut letter", TEXT_OF("cut \xe6\x97"), "cut " BROKEN},
      {"cut letter before another", TEXT_OF("\xe6\x97" DAY), BROKEN DAY},
      {"maximal subparts",
       TEXT_OF("\xf1\x80\x80\xe1\x80\xc2"
               "b\x80"
               "c\x80\xbf"
               "d"),
       BROKEN BROKEN BROKEN "b" BROKEN "c" BROKEN BROKEN "d"},
      {"overlong", TEXT_OF("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82"),
       BROKEN BROKEN BROKEN BROKEN BROKEN BROKEN BROKEN BROKEN},
      {"surrogates", TEXT_OF("\xed\xa0\x80"), BROKEN BROKEN BROKEN},
      {"beyond Unicode", TEXT_OF("\xf4\x90\x80\x80"), BROKEN BROKEN BROKEN BROKEN},
      {"an escape does not mend a letter", TEXT_OF("\xe6\x1b[m\x97\xa5"), BROKEN BROKEN BROKEN},
      {"unassigned",
       TEXT_OF("a\xcd\xb8"
               "b"),
       "a" BROKEN "b"},
  };
  check_clean(cases, COUNT_OF(cases), TEXT_LINE);
}

static void test_clean_clusters(void **state)
{
  (void)state;
  static const struct clean_case cases[] = {
      {"combining", TEXT_OF("e" ACUTE "x"), "e" ACUTE "x"},
      {"family", TEXT_OF(MAN ZWJ WOMAN ZWJ BOY "x"), MAN "x"},
      {"heart with VS16", TEXT_OF("\xe2\x9d\xa4" VS16 "x"), "\xe2\x9d\xa4x"},
      {"skin tone", TEXT_OF("\xf0\x9f\x91\x8d" TONE "x"), "\xf0\x9f\x91\x8dx"},
      {"tone and joiner", TEXT_OF(MAN TONE ZWJ "\xe2\x9d\xa4" VS16 ZWJ MAN TONE "x"), MAN "x"},
      {"tone on no person", TEXT_OF("a " TONE "b"), "a b"},
      {"flag", TEXT_OF(FLAG_F FLAG_I), FLAG_F FLAG_I},
      {"flags in a row", TEXT_OF(FLAG_F FLAG_I FLAG_F FLAG_I), FLAG_F FLAG_I FLAG_F FLAG_I},
      {"keycap",
       TEXT_OF("1" VS16 "\xe2\x83\xa3"
               "2"),
       "12"},
      {"joiner between letters", TEXT_OF("a" ZWJ WOMAN), "a" WOMAN},
      {"piled marks", TEXT_OF("e" ACUTE ACUTE ACUTE ACUTE ACUTE ACUTE ACUTE "x"), "e" ACUTE ACUTE ACUTE ACUTE "x"},
      {"mark on nothing", TEXT_OF(ACUTE "x"), CIRCLE ACUTE "x"},
      {"mark after a line end", TEXT_OF("a\n" ACUTE "x"), "a" MARK CIRCLE ACUTE "x"},
      {"colour between letter and mark", TEXT_OF("e\x1b[31m" ACUTE), "e" ACUTE},
      {"jamo", TEXT_OF("\xe1\x84\x80\xe1\x85\xa1\xe1\x86\xa8"), "\xe1\x84\x80\xe1\x85\xa1\xe1\x86\xa8"},
      {"vowel without its consonant", TEXT_OF("7\xe1\x85\xa1x"), "7" CIRCLE "\xe1\x85\xa1x"},
      {"spacing marks", TEXT_OF("\xe0\xa4\x95\xe0\xa4\xbe"), "\xe0\xa4\x95\xe0\xa4\xbe"},
      {"many signs before a letter, which stays", TEXT_OF(SIGN SIGN SIGN SIGN SIGN SIGN SIGN DAY),
       SIGN SIGN SIGN SIGN SIGN SIGN SIGN DAY},
      {"signs among broken bytes", TEXT_OF(SIGN SIGN SIGN SIGN SIGN SIGN "\xff" SIGN "\xd8\x08" SIGN),
       SIGN SIGN SIGN SIGN SIGN SIGN BROKEN SIGN BROKEN SIGN},
      {"signs before a flag", TEXT_OF(SIGN SIGN SIGN SIGN SIGN FLAG_F FLAG_I FLAG_F),
       SIGN SIGN SIGN SIGN SIGN FLAG_F FLAG_I FLAG_F},
      {"marks on the last of many signs", TEXT_OF(SIGN SIGN SIGN ACUTE ACUTE ACUTE ACUTE ACUTE SIGN ACUTE),
       SIGN SIGN SIGN ACUTE ACUTE ACUTE ACUTE SIGN ACUTE},
      {"consonants in a row", TEXT_OF(KIYEOK KIYEOK KIYEOK KIYEOK KIYEOK KIYEOK VOWEL KIYEOK),
       KIYEOK KIYEOK KIYEOK KIYEOK KIYEOK KIYEOK VOWEL KIYEOK},
      {"a dropped final says nothing of what follows", TEXT_OF(KIYEOK VOWEL VOWEL VOWEL VOWEL FINAL VOWEL "x"),
       KIYEOK VOWEL VOWEL VOWEL VOWEL "x"},
      {"a joiner between signs", TEXT_OF(SIGN ACUTE ACUTE ACUTE ZWJ SIGN ACUTE ACUTE ACUTE ACUTE ACUTE "x"),
       SIGN ACUTE ACUTE ACUTE SIGN ACUTE ACUTE ACUTE ACUTE "x"},
      {"Thai", TEXT_OF("\xe0\xb8\x81\xe0\xb8\xb3"), "\xe0\xb8\x81\xe0\xb8\xb3"},
  };
  check_clean(cases, COUNT_OF(cases), TEXT_LINE);
}

static void test_clean_line_ends(void **state)
{
  (void)state;
  static const struct clean_case line[] = {
      {"description of several lines", TEXT_OF("line one\nline two\n\n\ttabbed\r\nline five"),
       "line one" MARK "line two" MARK MARK " tabbed" MARK "line five"},
      {"line end at the end", TEXT_OF("done\n"), "done"},
      {"all of them at the end", TEXT_OF("done\r\n\n\r"), "done"},
      {"only line ends", TEXT_OF("\n\r\n"), ""},
      {"at the start", TEXT_OF("\nx"), MARK "x"},
      {"progress bar", TEXT_OF("10%\r20%\r100%\rdone"), "10%" MARK "20%" MARK "100%" MARK "done"},
      {"Unicode's own", TEXT_OF("LS\xe2\x80\xa8PS\xe2\x80\xa9x"), "LS" MARK "PS" MARK "x"},
      {"tabs", TEXT_OF("a\tb\t\tc"), "a b  c"},
  };
  static const struct clean_case block[] = {
      {"lines stay", TEXT_OF("a\nb\n"), "a\nb\n"},
      {"CR LF", TEXT_OF("a\r\nb\r\n"), "a\nb\n"},
      {"lone CR", TEXT_OF("a\rb"), "a\nb"},
      {"Unicode's own",
       TEXT_OF("a\xe2\x80\xa8"
               "b\xe2\x80\xa9"),
       "a\nb\n"},
      {"tabs", TEXT_OF("\tat x\nab\tc\nabcd\te"), "    at x\nab  c\nabcd    e"},
      {"tabs after wide letters", TEXT_OF(DAY "\tx\n" DAY "e" ACUTE "\tx"), DAY "  x\n" DAY "e" ACUTE " x"},
      {"colours before tabs", TEXT_OF("\x1b[31ma\x1b[0m\tb"), "a   b"},
  };
  check_clean(line, COUNT_OF(line), TEXT_LINE);
  check_clean(block, COUNT_OF(block), TEXT_BLOCK);
}

static void test_clean_ascii_mode(void **state)
{
  (void)state;
  static const struct clean_case cases[] = {
      {"letters", TEXT_OF("caf\xc3\xa9 " DAY DAY "x"), "caf? ??x"},
      {"combining", TEXT_OF("e" ACUTE "x"), "ex"},
      {"family", TEXT_OF(MAN ZWJ WOMAN "x"), "?x"},
      {"mark on nothing", TEXT_OF(ACUTE "x"), "?x"},
      {"line ends", TEXT_OF("a\nb"), "a\\nb"},
      {"broken", TEXT_OF("a\xff"), "a?"},
      {"invisible",
       TEXT_OF("a\xe2\x80\xae"
               "b"),
       "ab"},
  };
  text_set_ascii(true);
  assert_true(text_is_ascii());
  check_clean(cases, COUNT_OF(cases), TEXT_LINE);
  text_set_ascii(false);
}

static void test_clean_into_a_full_buffer(void **state)
{
  (void)state;
  struct buf out;
  buf_init(&out, 7);
  text_clean(&out, TEXT_OF("abcdefghij"), TEXT_LINE);
  assert_true(out.overflow);
  assert_string_equal(out.data, "abcdefg");
  buf_reset(&out);
  text_clean(&out, TEXT_OF("abcde" DAY "x"), TEXT_LINE); /* no half letter, and nothing after the gap */
  assert_true(out.overflow);
  assert_string_equal(out.data, "abcde");
  buf_fini(&out);
  char *none = text_clean_dup(NULL, TEXT_LINE);
  assert_string_equal(none, "");
  free(none);
}

/* 256 kB of the worst kinds must not take more than linear time: the test's own time limit is the check. */
static void test_clean_is_linear(void **state)
{
  (void)state;
  static const char *const pieces[] = {"\x1b]",
                                       "\x9d",
                                       "\x9b"
                                       "1",
                                       "\x1b[1",
                                       "\x1b]0;\n",
                                       "\xc2\x9d",
                                       "\x1b",
                                       ACUTE,
                                       MAN ZWJ,
                                       FLAG_F,
                                       "\x9e\xe2\x9c",
                                       "\r",
                                       "\t",
                                       "\x1bk"};
  enum { SIZE = 1 << 20 };
  char *text = xmalloc(SIZE);
  for (size_t i = 0; i < COUNT_OF(pieces); i++) {
    size_t len = strlen(pieces[i]);
    for (size_t at = 0; at + len <= SIZE; at += len)
      memcpy(text + at, pieces[i], len);
    struct buf out;
    buf_init(&out, SIZE * 4);
    text_clean(&out, text, SIZE / len * len, TEXT_BLOCK);
    assert_false(out.overflow);
    assert_null(strchr(out.data, '\x1b'));
    buf_fini(&out);
  }
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_clean_escape_sequences), cmocka_unit_test(test_clean_characters),
      cmocka_unit_test(test_clean_clusters),         cmocka_unit_test(test_clean_line_ends),
      cmocka_unit_test(test_clean_ascii_mode),       cmocka_unit_test(test_clean_into_a_full_buffer),
      cmocka_unit_test(test_clean_is_linear),
  };
  if (setlocale(LC_CTYPE, "C.UTF-8") == NULL && setlocale(LC_CTYPE, "en_US.UTF-8") == NULL) {
    print_message("no UTF-8 locale here\n");
    return 77;
  }
  return cmocka_run_group_tests(tests, NULL, NULL) == 0 ? 0 : 1;
}
