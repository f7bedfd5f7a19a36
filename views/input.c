#include "views/input.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/xalloc.h"

enum state { GROUND, AFTER_ESC, IN_CSI, IN_LINUX, IN_SS3, IN_STRING, IN_STRING_ESC, IN_PASTE, IN_MOUSE, IN_LETTER };
enum due { DUE_NOTHING, DUE_ESC, DUE_PASTE };
enum step { STEP_NOTHING, STEP_GIVE, STEP_AGAIN }; /* AGAIN: the byte is to be looked at once more in the new state */

enum { ESC = 0x1b, CAN = 0x18, SUB = 0x1a, BEL = 0x07, CSI_BYTE = 0x9b };

static const char paste_end[] = "\033[201~";
#define PASTE_END_LEN (sizeof paste_end - 1)

void input_init(struct input_decoder *d)
{
  *d = (struct input_decoder){.state = GROUND, .due = DUE_NOTHING};
}

void input_fini(struct input_decoder *d)
{
  free(d->pending);
  free(d->paste);
  input_init(d);
}

static int64_t patience(const struct input_decoder *d)
{
  int64_t ms = INPUT_STALE_MS;
  if (d->state == AFTER_ESC) {
    ms = INPUT_ESC_MS;
  } else if (d->state == IN_PASTE) {
    ms = (int64_t)2 * INPUT_STALE_MS;
  }
  return ms;
}

/* What was held back for more bytes, and for how long: give it out or give it up. */
static void settle(struct input_decoder *d, int64_t mono_ms)
{
  if (d->state == GROUND || d->at < d->pending_len || mono_ms - d->last_ms < patience(d)) {
    return;
  }
  if (d->state == AFTER_ESC) {
    d->due = DUE_ESC;
  } else if (d->state == IN_PASTE) {
    d->due = DUE_PASTE;
  }
  d->state = GROUND;
}

void input_feed(struct input_decoder *d, const void *bytes, size_t len, int64_t mono_ms)
{
  if (len == 0) {
    return;
  }
  settle(d, mono_ms);
  if (d->at > 0) {
    memmove(d->pending, d->pending + d->at, d->pending_len - d->at);
    d->pending_len -= d->at;
    d->at = 0;
  }
  d->pending = xgrow(d->pending, &d->pending_cap, d->pending_len + len, 1);
  memcpy(d->pending + d->pending_len, bytes, len);
  d->pending_len += len;
  d->esc_old = d->state == AFTER_ESC;
  d->last_ms = mono_ms;
}

int64_t input_deadline(const struct input_decoder *d)
{
  int64_t when = INT64_MAX;
  if (d->due != DUE_NOTHING || d->at < d->pending_len) {
    when = d->last_ms;
  } else if (d->state != GROUND) {
    when = d->last_ms + patience(d);
  }
  return when;
}

static void give_key(struct input *out, uint32_t code, unsigned mods)
{
  *out = (struct input){.kind = INPUT_KEY, .code = code, .mods = mods, .text = NULL};
}

/* --- sequences ------------------------------------------------------------------------------------------------------ */

static uint32_t key_of_number(unsigned n)
{
  static const struct {
    unsigned number;
    uint32_t key;
  } table[] = {{1, KEY_NAME_HOME},    {2, KEY_NAME_INSERT},    {3, KEY_NAME_DELETE},   {4, KEY_NAME_END},
               {5, KEY_NAME_PAGE_UP}, {6, KEY_NAME_PAGE_DOWN}, {7, KEY_NAME_HOME},     {8, KEY_NAME_END},
               {11, KEY_NAME_F1},     {12, KEY_NAME_F1 + 1},   {13, KEY_NAME_F1 + 2},  {14, KEY_NAME_F1 + 3},
               {15, KEY_NAME_F1 + 4}, {17, KEY_NAME_F1 + 5},   {18, KEY_NAME_F1 + 6},  {19, KEY_NAME_F1 + 7},
               {20, KEY_NAME_F1 + 8}, {21, KEY_NAME_F1 + 9},   {23, KEY_NAME_F1 + 10}, {24, KEY_NAME_F1 + 11}};
  uint32_t key = KEY_NAME_NONE;
  for (size_t i = 0; i < sizeof table / sizeof table[0] && key == KEY_NAME_NONE; i++) {
    key = table[i].number == n ? table[i].key : KEY_NAME_NONE;
  }
  return key;
}

static uint32_t key_of_final(unsigned char final)
{
  uint32_t key = KEY_NAME_NONE;
  switch (final) {
  case 'A':
  case 'a':
    key = KEY_NAME_UP;
    break;
  case 'B':
  case 'b':
    key = KEY_NAME_DOWN;
    break;
  case 'C':
  case 'c':
    key = KEY_NAME_RIGHT;
    break;
  case 'D':
  case 'd':
    key = KEY_NAME_LEFT;
    break;
  case 'H':
    key = KEY_NAME_HOME;
    break;
  case 'F':
    key = KEY_NAME_END;
    break;
  case 'M':
    key = KEY_NAME_ENTER;
    break;
  case 'P':
  case 'Q':
  case 'R':
  case 'S':
    key = (uint32_t)KEY_NAME_F1 + (final - 'P');
    break;
  default:
    break;
  }
  return key;
}

/* A CSI has come to its end. True when it is an input. */
static bool read_csi(struct input_decoder *d, unsigned char final, struct input *out)
{
  unsigned numbers[2] = {0, 0}, mods = 0;
  size_t count = 0;
  uint32_t key = KEY_NAME_NONE;
  if (d->overlong) {
    return false;
  }
  for (size_t i = 0; i < d->sequence_len; i++) {
    unsigned char b = d->sequence[i];
    if (b >= '0' && b <= '9') {
      if (count < 2 && numbers[count] < 10000) {
        numbers[count] = numbers[count] * 10 + (b - '0');
      }
    } else if (b == ';') {
      count++;
    } else {
      return false; /* private forms, mouse reports, answers to questions: none of them is a key */
    }
  }
  if (numbers[1] > 1 && numbers[1] <= 16) {
    mods = (numbers[1] - 1) & (INPUT_SHIFT | INPUT_ALT | INPUT_CTRL);
  }
  if (final == '~') {
    if (numbers[0] == 200 && count == 0) {
      d->state = IN_PASTE;
      d->paste_len = 0;
      d->sequence_len = 0;
      return false;
    }
    key = count <= 1 ? key_of_number(numbers[0]) : KEY_NAME_NONE;
  } else if (final == 'Z') {
    key = KEY_NAME_TAB;
    mods |= INPUT_SHIFT;
  } else if ((final == 'I' || final == 'O') && d->sequence_len == 0) {
    *out = (struct input){.kind = INPUT_FOCUS, .code = final == 'I', .mods = 0, .text = NULL};
    return true;
  } else if (final != 'M' && count <= 1 && numbers[0] <= 1) {
    key = key_of_final(final);
    if (final >= 'a' && final <= 'd') {
      mods |= INPUT_SHIFT;
    }
  }
  if (key != KEY_NAME_NONE) {
    give_key(out, key, mods);
  }
  return key != KEY_NAME_NONE;
}

static enum step step_csi(struct input_decoder *d, unsigned char b, struct input *out)
{
  enum step step = STEP_NOTHING;
  if (b < 0x20 || b >= 0x7f) {
    d->state = GROUND;
    step = b == CAN || b == SUB || b == 0x7f ? STEP_NOTHING : STEP_AGAIN;
  } else if (b == '[' && d->sequence_len == 0 && !d->overlong) {
    d->state = IN_LINUX;
  } else if (b == 'M' && d->sequence_len == 0 && !d->overlong) {
    d->state = IN_MOUSE;
    d->skip = 3;
  } else if (b >= 0x40 || (b == '$' && d->sequence_len > 0 && d->sequence[0] >= '0' && d->sequence[0] <= '9')) {
    d->state = GROUND;
    step = read_csi(d, b, out) ? STEP_GIVE : STEP_NOTHING;
  } else if (d->sequence_len < sizeof d->sequence) {
    d->sequence[d->sequence_len++] = b;
  } else {
    d->overlong = true;
  }
  return step;
}

static enum step step_ss3(struct input_decoder *d, unsigned char b, struct input *out)
{
  enum step step = STEP_NOTHING;
  if (b >= '0' && b <= '9') {
    return step; /* modifiers, as some terminals write them */
  }
  d->state = GROUND;
  if (b < 0x20 || b >= 0x7f) {
    step = STEP_AGAIN;
  } else {
    uint32_t key = b >= 'a' && b <= 'd' ? KEY_NAME_NONE : key_of_final(b);
    if (key != KEY_NAME_NONE) {
      give_key(out, key, 0);
      step = STEP_GIVE;
    }
  }
  return step;
}

static void paste_add(struct input_decoder *d, const void *bytes, size_t len)
{
  if (d->paste_len + len <= INPUT_PASTE_MAX) {
    d->paste = xgrow(d->paste, &d->paste_cap, d->paste_len + len + 1, 1);
    memcpy(d->paste + d->paste_len, bytes, len);
    d->paste_len += len;
  }
}

static void give_paste(struct input_decoder *d, struct input *out)
{
  d->paste = xgrow(d->paste, &d->paste_cap, d->paste_len + 1, 1);
  d->paste[d->paste_len] = '\0';
  /* a text with NUL inside ends there: no text of ours has any */
  *out = (struct input){.kind = INPUT_PASTE, .code = 0, .mods = 0, .text = d->paste};
  d->state = GROUND;
}

static enum step step_paste(struct input_decoder *d, unsigned char b, struct input *out)
{
  enum step step = STEP_NOTHING;
  if (b == (unsigned char)paste_end[d->sequence_len]) {
    d->sequence_len++;
    if (d->sequence_len == PASTE_END_LEN) {
      give_paste(d, out);
      step = STEP_GIVE;
    }
  } else {
    paste_add(d, paste_end, d->sequence_len);
    d->sequence_len = 0;
    if (b == ESC) {
      d->sequence_len = 1;
    } else {
      paste_add(d, &b, 1);
    }
  }
  return step;
}

/* --- letters -------------------------------------------------------------------------------------------------------- */

static void begin_csi(struct input_decoder *d)
{
  d->state = IN_CSI;
  d->sequence_len = 0;
  d->overlong = false;
}

static enum step give_letter(struct input_decoder *d, struct input *out, unsigned mods)
{
  uint32_t code = (unsigned char)d->letter[0];
  static const unsigned char lead_bits[5] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
  size_t len = d->letter_len;
  code &= lead_bits[len];
  for (size_t i = 1; i < len; i++) {
    code = code << 6 | ((unsigned char)d->letter[i] & 0x3f);
  }
  d->state = GROUND;
  if (code == CSI_BYTE && len == 2) {
    begin_csi(d);
    return STEP_NOTHING;
  }
  if (code < least[len] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) || (code >= 0x80 && code < 0xa0)) {
    return STEP_NOTHING;
  }
  memcpy(d->given, d->letter, len);
  d->given[len] = '\0';
  *out = (struct input){.kind = INPUT_LETTER, .code = code, .mods = mods, .text = d->given};
  return STEP_GIVE;
}

/* One byte that begins something. */
static enum step step_ground(struct input_decoder *d, unsigned char b, struct input *out, unsigned mods)
{
  enum step step = STEP_NOTHING;
  if (b == ESC) {
    d->state = AFTER_ESC;
    d->esc_old = false;
  } else if (b == 0x7f || b == 0x08) {
    give_key(out, KEY_NAME_BACKSPACE, mods);
    step = STEP_GIVE;
  } else if (b == '\t') {
    give_key(out, KEY_NAME_TAB, mods);
    step = STEP_GIVE;
  } else if (b == '\r' || b == '\n') {
    give_key(out, KEY_NAME_ENTER, mods);
    step = STEP_GIVE;
  } else if (b < 0x20) {
    give_key(out, b == 0 ? ' ' : b <= 26 ? (uint32_t)b + 'a' - 1 : (uint32_t)b + 0x40, mods | INPUT_CTRL);
    step = STEP_GIVE;
  } else if (b < 0x80) {
    d->letter[0] = (char)b;
    d->letter_len = 1;
    step = give_letter(d, out, mods);
  } else if (b == CSI_BYTE) {
    begin_csi(d);
  } else if (b >= 0xc2 && b <= 0xf4) {
    d->letter[0] = (char)b;
    d->letter_len = 1;
    d->skip = b >= 0xf0 ? 3 : b >= 0xe0 ? 2 : 1;
    d->state = IN_LETTER;
  }
  return step;
}

static enum step step_letter(struct input_decoder *d, unsigned char b, struct input *out)
{
  enum step step = STEP_NOTHING;
  if ((b & 0xc0) != 0x80) {
    d->state = GROUND;
    step = STEP_AGAIN;
  } else {
    d->letter[d->letter_len++] = (char)b;
    if (--d->skip == 0) {
      step = give_letter(d, out, 0);
    }
  }
  return step;
}

static enum step step_esc(struct input_decoder *d, unsigned char b, struct input *out)
{
  enum step step = STEP_NOTHING;
  if (b == '[') {
    begin_csi(d);
  } else if (b == 'O') {
    d->state = IN_SS3;
  } else if (b == ESC || d->esc_old) {
    give_key(out, KEY_NAME_ESC, 0);
    d->due = DUE_NOTHING;
    d->state = GROUND;
    step = STEP_GIVE;
    d->at--; /* the byte itself is looked at next time */
  } else if (b == ']' || b == 'P' || b == 'X' || b == '^' || b == '_') {
    d->state = IN_STRING;
  } else {
    d->state = GROUND;
    step = step_ground(d, b, out, INPUT_ALT);
  }
  return step;
}

static enum step step_byte(struct input_decoder *d, unsigned char b, struct input *out)
{
  enum step step = STEP_NOTHING;
  switch ((enum state)d->state) {
  case GROUND:
    step = step_ground(d, b, out, 0);
    break;
  case AFTER_ESC:
    step = step_esc(d, b, out);
    break;
  case IN_CSI:
    step = step_csi(d, b, out);
    break;
  case IN_LINUX:
    d->state = GROUND;
    if (b >= 'A' && b <= 'E') {
      give_key(out, (uint32_t)KEY_NAME_F1 + (b - 'A'), 0);
      step = STEP_GIVE;
    }
    break;
  case IN_SS3:
    step = step_ss3(d, b, out);
    break;
  case IN_STRING:
    if (b == BEL || b == CAN || b == SUB) {
      d->state = GROUND;
    } else if (b == ESC) {
      d->state = IN_STRING_ESC;
    }
    break;
  case IN_STRING_ESC:
    d->state = b == '\\' ? GROUND : AFTER_ESC;
    step = b == '\\' ? STEP_NOTHING : STEP_AGAIN;
    break;
  case IN_PASTE:
    step = step_paste(d, b, out);
    break;
  case IN_MOUSE:
    d->state = --d->skip == 0 ? GROUND : IN_MOUSE;
    break;
  case IN_LETTER:
    step = step_letter(d, b, out);
    break;
  }
  return step;
}

bool input_next(struct input_decoder *d, int64_t mono_ms, struct input *out)
{
  bool given = false;
  *out = (struct input){.kind = INPUT_NONE, .code = 0, .mods = 0, .text = NULL};
  settle(d, mono_ms);
  if (d->due == DUE_ESC) {
    give_key(out, KEY_NAME_ESC, 0);
    given = true;
  } else if (d->due == DUE_PASTE) {
    int state = d->state;
    give_paste(d, out);
    d->state = state;
    given = true;
  }
  d->due = DUE_NOTHING;
  while (!given && d->at < d->pending_len) {
    unsigned char b = d->pending[d->at++];
    enum step step = step_byte(d, b, out);
    while (step == STEP_AGAIN) {
      step = step_byte(d, b, out);
    }
    given = step == STEP_GIVE;
  }
  return given;
}

/* --- names of keys -------------------------------------------------------------------------------------------------- */

static const struct {
  const char *name;
  uint32_t code;
} key_names[] = {{"Up", KEY_NAME_UP},         {"Down", KEY_NAME_DOWN},          {"Left", KEY_NAME_LEFT},
                 {"Right", KEY_NAME_RIGHT},   {"Home", KEY_NAME_HOME},          {"End", KEY_NAME_END},
                 {"PgUp", KEY_NAME_PAGE_UP},  {"PgDn", KEY_NAME_PAGE_DOWN},     {"Insert", KEY_NAME_INSERT},
                 {"Delete", KEY_NAME_DELETE}, {"Enter", KEY_NAME_ENTER},        {"Esc", KEY_NAME_ESC},
                 {"Tab", KEY_NAME_TAB},       {"Backspace", KEY_NAME_BACKSPACE}};
#define KEY_NAME_COUNT (sizeof key_names / sizeof key_names[0])

bool input_same_key(const struct input *a, const struct input *b)
{
  return a->kind == b->kind && a->code == b->code && a->mods == b->mods;
}

static bool parse_base(const char *name, struct input *out)
{
  size_t len = strlen(name);
  bool found = false;
  for (size_t i = 0; i < KEY_NAME_COUNT && !found; i++) {
    if (strcasecmp(name, key_names[i].name) == 0) {
      out->kind = INPUT_KEY;
      out->code = key_names[i].code;
      found = true;
    }
  }
  if (!found && strcasecmp(name, "Space") == 0) {
    out->kind = INPUT_LETTER;
    out->code = ' ';
    found = true;
  }
  if (!found && (name[0] == 'F' || name[0] == 'f') && len >= 2 && len <= 3 && name[1] >= '1' && name[1] <= '9') {
    unsigned n = (unsigned)(name[1] - '0');
    if (len == 3 && name[2] >= '0' && name[2] <= '9') {
      n = n * 10 + (unsigned)(name[2] - '0');
    }
    if (n <= 12) {
      out->kind = INPUT_KEY;
      out->code = (uint32_t)KEY_NAME_F1 + n - 1;
      found = true;
    }
  }
  if (!found && len >= 1) {
    struct input_decoder d;
    struct input in;
    input_init(&d);
    input_feed(&d, name, len, 0);
    if (input_next(&d, 0, &in) && in.kind == INPUT_LETTER && d.at == d.pending_len) {
      out->kind = INPUT_LETTER;
      out->code = in.code;
      found = true;
    }
    input_fini(&d);
  }
  return found;
}

bool input_parse_key(const char *name, struct input *out)
{
  static const struct {
    const char *prefix;
    unsigned mod;
  } prefixes[] = {{"Ctrl-", INPUT_CTRL}, {"Alt-", INPUT_ALT}, {"Shift-", INPUT_SHIFT}};
  unsigned mods = 0;
  bool more = true, found;
  *out = (struct input){.kind = INPUT_NONE, .code = 0, .mods = 0, .text = NULL};
  while (more) {
    more = false;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
      size_t len = strlen(prefixes[i].prefix);
      if (strncasecmp(name, prefixes[i].prefix, len) == 0 && name[len] != '\0') {
        mods |= prefixes[i].mod;
        name += len;
        more = true;
      }
    }
  }
  found = parse_base(name, out);
  out->mods = mods;
  if (found && out->kind == INPUT_LETTER && (mods & INPUT_CTRL) != 0) {
    out->kind = INPUT_KEY;
    if (out->code >= 'A' && out->code <= 'Z') {
      out->code += 'a' - 'A';
    }
    found = out->code < 0x80;
  }
  return found;
}

static void append(char out[INPUT_KEY_NAME_MAX], const char *s)
{
  size_t have = strlen(out), len = strlen(s);
  if (have + len < INPUT_KEY_NAME_MAX) {
    memcpy(out + have, s, len + 1);
  }
}

const char *input_key_name(const struct input *in, char out[INPUT_KEY_NAME_MAX])
{
  out[0] = '\0';
  if (in->mods & INPUT_CTRL) {
    append(out, "Ctrl-");
  }
  if (in->mods & INPUT_ALT) {
    append(out, "Alt-");
  }
  if (in->mods & INPUT_SHIFT) {
    append(out, "Shift-");
  }
  if (in->code == ' ') {
    append(out, "Space");
  } else if (in->kind == INPUT_KEY && in->code >= KEY_NAME_F1 && in->code <= KEY_NAME_F12) {
    unsigned n = in->code - KEY_NAME_F1 + 1;
    char digits[4] = {'F', (char)('0' + (n >= 10 ? 1 : n)), (char)(n >= 10 ? '0' + n % 10 : '\0'), '\0'};
    append(out, digits);
  } else if (in->kind == INPUT_KEY && in->code < KEY_NAME_LETTERS) {
    for (size_t i = 0; i < KEY_NAME_COUNT; i++) {
      if (key_names[i].code == in->code) {
        append(out, key_names[i].name);
      }
    }
  } else if (in->code < 0x80) {
    char letter[2] = {(char)in->code, '\0'};
    if (in->kind == INPUT_KEY && letter[0] >= 'a' && letter[0] <= 'z') {
      letter[0] = (char)(letter[0] - 'a' + 'A');
    }
    append(out, letter);
  } else if (in->text != NULL) {
    append(out, in->text);
  }
  return out;
}
