/* The decoder of keys: a table of byte sequences, each given whole, byte by byte, and split in two at every position. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "views/input.h"

/* Bytes, and what must come of them: names of keys separated by blanks; paste(TEXT), focus+ and focus-. */
struct vector {
  const char *name, *bytes, *want;
  bool whole_only; /* the sequence means something else when it comes in pieces (Alt) */
};

static const struct vector vectors[] = {
    {"letters", "abZ", "a b Z", false},
    {"space", " ", "Space", false},
    {"digits and signs", "1!/?:\\", "1 ! / ? : \\", false},
    {"controls", "\x01\x06\x0c\x1a", "Ctrl-A Ctrl-F Ctrl-L Ctrl-Z", false},
    {"enter, either way", "\r\n", "Enter Enter", false},
    {"tab and backspace", "\t\x7f\x08", "Tab Backspace Backspace", false},
    {"UTF-8 of two bytes", "\xc3\xa9", "\xc3\xa9", false},
    {"UTF-8 of three bytes", "\xe6\x97\xa5", "\xe6\x97\xa5", false},
    {"UTF-8 of four bytes", "\xf0\x9f\x91\xa8", "\xf0\x9f\x91\xa8", false},
    {"broken UTF-8 is nothing", "a\xff\x80\xc3(b", "a ( b", false},
    {"an overlong form is nothing", "\xc0\xaf\xe0\x80\xafx", "x", false},
    {"a surrogate is nothing", "\xed\xa0\x80x", "x", false},
    {"too high is nothing", "\xf4\x90\x80\x80x", "x", false},
    {"a letter cut off by a key", "\xe6\x97q", "q", false},
    {"arrows", "\033[A\033[B\033[C\033[D", "Up Down Right Left", false},
    {"arrows, application mode", "\033OA\033OB\033OC\033OD", "Up Down Right Left", false},
    {"arrows with Ctrl", "\033[1;5C", "Ctrl-Right", false},
    {"arrows with Shift and Alt", "\033[1;2A\033[1;3B\033[1;4D", "Shift-Up Alt-Down Alt-Shift-Left", false},
    {"arrows with Shift, as rxvt", "\033[a\033[b", "Shift-Up Shift-Down", false},
    {"home and end, all ways", "\033[H\033[F\033OH\033OF\033[1~\033[4~\033[7~\033[8~",
     "Home End Home End Home End Home End", false},
    {"pages", "\033[5~\033[6~", "PgUp PgDn", false},
    {"insert and delete", "\033[2~\033[3~", "Insert Delete", false},
    {"delete with Ctrl", "\033[3;5~", "Ctrl-Delete", false},
    {"function keys", "\033OP\033OQ\033OR\033OS\033[15~\033[24~\033[11~", "F1 F2 F3 F4 F5 F12 F1", false},
    {"function keys of the Linux console", "\033[[A\033[[E", "F1 F5", false},
    {"keypad enter", "\033OM", "Enter", false},
    {"back tab", "\033[Z", "Shift-Tab", false},
    {"C1 introducer",
     "\xc2\x9b"
     "A",
     "Up", false},
    {"C1 introducer, one byte",
     "\x9b"
     "B",
     "Down", false},
    {"other C1 is nothing", "\xc2\x85x", "x", false},
    {"an unknown CSI is nothing", "\033[5n\033[99~\033[?1;2cq", "q", false},
    {"a cursor report is nothing", "\033[24;80Rq", "q", false},
    {"a long CSI is nothing", "\033[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19;20;21;22;23;24;25;26;27;28;29;30A.",
     ".", false},
    {"a CSI with intermediates is nothing", "\033[1 q\033[!pz", "z", false},
    {"keys as CSI u are nothing", "\033[97;5ux", "x", false},
    {"mouse, old form", "\033[M !!a", "a", false},
    {"mouse, old form, with letters in it", "\033[Mqqqa", "a", false},
    {"mouse, SGR form", "\033[<0;10;20M\033[<0;10;20ma", "a", false},
    {"mouse, urxvt form", "\033[32;10;20Ma", "a", false},
    {"focus", "\033[I\033[O", "focus+ focus-", false},
    {"OSC is nothing", "\033]11;rgb:1e1e/1e1e/1e1e\007x\033]0;q\033\\y", "x y", true},
    {"DCS is nothing", "\033P1$r0m\033\\x", "x", true},
    {"APC and PM are nothing", "\033_Gi=1;OK\033\\x\033^q\033\\y", "x y", true},
    {"Alt and a letter", "\033x", "Alt-x", true},
    {"Alt and Enter", "\033\r", "Alt-Enter", true},
    {"two Esc", "\033\033", "Esc Esc", false},
    {"Esc, then an arrow", "\033\033[A", "Esc Up", false},
    {"an aborted CSI", "\033[1\030x", "x", false},
    {"a CSI with a key in it", "\033[1\tx", "Tab x", false},
    {"a CSI cut off by another", "\033[1\033[A", "Up", false},
    {"paste", "\033[200~rm -rf q\033[201~x", "paste(rm -rf q) x", false},
    {"paste of lines", "\033[200~a\nb\r\tX\033[201~", "paste(a\nb\r\tX)", false},
    {"paste with sequences in it", "\033[200~\033[A\033[20\033[201~", "paste(\033[A\033[20)", false},
    {"empty paste", "\033[200~\033[201~q", "paste() q", false},
    {"end of a paste that never began", "\033[201~q", "q", false},
    {"paste with half of its end", "\033[200~a\033[201b\033[201~", "paste(a\033[201b)", false},
    {"the controls without a letter", "\x1c", "Ctrl-\\", false},
};
#define VECTOR_COUNT (sizeof vectors / sizeof vectors[0])

static void tell(const struct input *in, struct buf *out)
{
  char name[INPUT_KEY_NAME_MAX];
  buf_adds(out, out->len > 0 ? " " : "");
  if (in->kind == INPUT_PASTE) {
    buf_addf(out, "paste(%s)", in->text);
  } else if (in->kind == INPUT_FOCUS) {
    buf_adds(out, in->code ? "focus+" : "focus-");
  } else {
    buf_adds(out, input_key_name(in, name));
  }
}

static void drain(struct input_decoder *d, int64_t now, struct buf *out)
{
  struct input in;
  while (input_next(d, now, &in)) {
    tell(&in, out);
  }
}

/* Give the bytes in pieces that end at `cut` (and everywhere, when every is set), some time apart; then wait for what is held back. */
static void decode(const char *bytes, size_t cut, bool every, int64_t apart, struct buf *out)
{
  struct input_decoder d;
  size_t len = strlen(bytes), at = 0;
  int64_t now = 1000;
  input_init(&d);
  while (at < len) {
    size_t end = every ? at + 1 : at < cut ? cut : len;
    input_feed(&d, bytes + at, end - at, now);
    drain(&d, now, out);
    at = end;
    now += apart;
  }
  drain(&d, now + 10 * INPUT_STALE_MS, out);
  input_fini(&d);
}

static void check(const struct vector *v, const char *how, size_t cut, bool every, int64_t apart)
{
  struct buf out;
  buf_init(&out, 65536);
  decode(v->bytes, cut, every, apart, &out);
  if (strcmp(out.data, v->want) != 0) {
    fail_msg("%s, %s %zu: got \"%s\", want \"%s\"", v->name, how, cut, out.data, v->want);
  }
  buf_fini(&out);
}

static void whole(void **state)
{
  (void)state;
  for (size_t i = 0; i < VECTOR_COUNT; i++) {
    check(&vectors[i], "whole", strlen(vectors[i].bytes), false, 0);
  }
}

static void split_at_every_position(void **state)
{
  static const int64_t apart[] = {0, 1, 100, INPUT_ESC_MS - 1};
  (void)state;
  for (size_t i = 0; i < VECTOR_COUNT; i++) {
    for (size_t cut = 1; cut < strlen(vectors[i].bytes) && !vectors[i].whole_only; cut++) {
      for (size_t k = 0; k < sizeof apart / sizeof apart[0]; k++) {
        check(&vectors[i], "split at", cut, false, apart[k]);
      }
    }
  }
}

static void byte_by_byte(void **state)
{
  (void)state;
  for (size_t i = 0; i < VECTOR_COUNT; i++) {
    if (!vectors[i].whole_only) {
      check(&vectors[i], "byte by byte", 0, true, 10);
    }
  }
}

static void lone_esc_waits(void **state)
{
  struct input_decoder d;
  struct input in;
  (void)state;
  input_init(&d);
  input_feed(&d, "\033", 1, 0);
  assert_false(input_next(&d, 0, &in));
  assert_int_equal(input_deadline(&d), INPUT_ESC_MS);
  assert_false(input_next(&d, INPUT_ESC_MS - 1, &in));
  assert_true(input_next(&d, INPUT_ESC_MS, &in));
  assert_int_equal(in.kind, INPUT_KEY);
  assert_int_equal(in.code, KEY_NAME_ESC);
  assert_false(input_next(&d, INPUT_ESC_MS, &in));
  assert_true(input_deadline(&d) == INT64_MAX);
  /* a bracket that comes much later is a bracket */
  input_feed(&d, "[", 1, 2 * INPUT_ESC_MS);
  assert_true(input_next(&d, 2 * INPUT_ESC_MS, &in));
  assert_int_equal(in.code, '[');
  input_fini(&d);
}

static void esc_then_a_key_in_another_piece(void **state)
{
  struct buf out;
  (void)state;
  buf_init(&out, 100);
  decode("\033j", 1, false, 20, &out);
  assert_string_equal(out.data, "Esc j");
  buf_fini(&out);
}

static void stale_sequence_is_given_up(void **state)
{
  struct buf out;
  struct input_decoder d;
  (void)state;
  buf_init(&out, 100);
  input_init(&d);
  input_feed(&d, "\033[1;", 4, 0);
  drain(&d, 0, &out);
  input_feed(&d, "q", 1, INPUT_STALE_MS);
  drain(&d, INPUT_STALE_MS, &out);
  assert_string_equal(out.data, "q");
  input_fini(&d);
  buf_fini(&out);
}

static void unfinished_paste_is_still_a_paste(void **state)
{
  struct buf out;
  struct input_decoder d;
  (void)state;
  buf_init(&out, 100);
  input_init(&d);
  input_feed(&d, "\033[200~Xy", 8, 0);
  drain(&d, 0, &out);
  assert_string_equal(out.data, "");
  drain(&d, 10 * INPUT_STALE_MS, &out);
  assert_string_equal(out.data, "paste(Xy)");
  input_fini(&d);
  buf_fini(&out);
}

static void huge_paste_is_bounded(void **state)
{
  struct input_decoder d;
  struct input in;
  char block[1000];
  size_t pastes = 0, keys = 0;
  (void)state;
  memset(block, 'X', sizeof block);
  input_init(&d);
  input_feed(&d, "\033[200~", 6, 0);
  for (int i = 0; i < 200; i++) {
    input_feed(&d, block, sizeof block, 0);
    assert_false(input_next(&d, 0, &in));
  }
  input_feed(&d, "\033[201~q", 7, 0);
  while (input_next(&d, 0, &in)) {
    pastes += in.kind == INPUT_PASTE;
    keys += in.kind != INPUT_PASTE;
    if (in.kind == INPUT_PASTE) {
      assert_true(strlen(in.text) <= INPUT_PASTE_MAX);
    }
  }
  assert_int_equal(pastes, 1);
  assert_int_equal(keys, 1);
  input_fini(&d);
}

static void names_read_back(void **state)
{
  static const char *const names[] = {"a",    "G",    "!",      "Space", "Enter", "Esc",    "Ctrl-F",    "Ctrl-L",
                                      "PgDn", "PgUp", "F1",     "F12",   "Home",  "Delete", "Backspace", "Alt-x",
                                      "\\",   "-",    "Ctrl-X", "+",     "Left",  "[",      "?",         "Shift-Tab"};
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    struct input in;
    char name[INPUT_KEY_NAME_MAX];
    assert_true(input_parse_key(names[i], &in));
    assert_string_equal(input_key_name(&in, name), names[i]);
  }
  struct input in;
  assert_false(input_parse_key("", &in));
  assert_false(input_parse_key("nokey", &in));
  assert_false(input_parse_key("F13", &in));
  assert_true(input_parse_key("ctrl-f", &in));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole),
      cmocka_unit_test(split_at_every_position),
      cmocka_unit_test(byte_by_byte),
      cmocka_unit_test(lone_esc_waits),
      cmocka_unit_test(esc_then_a_key_in_another_piece),
      cmocka_unit_test(stale_sequence_is_given_up),
      cmocka_unit_test(unfinished_paste_is_still_a_paste),
      cmocka_unit_test(huge_paste_is_bounded),
      cmocka_unit_test(names_read_back),
  };
  return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}
