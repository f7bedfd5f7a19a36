/* Bytes of a terminal to keys. Pure: bytes and a monotonic time come in, struct input comes out; nothing blocks and nothing is read.
 *
 * A sequence may arrive in any number of pieces. A lone Esc is held back for INPUT_ESC_MS, since `[` or `O` after it begins a
 * sequence: half an arrow key must not act as Esc and a letter. A sequence begun is swallowed to its end, known or not; only after
 * INPUT_STALE_MS without a byte it is given up. Pasted text (bracketed paste) is one input, whatever it holds. Mouse reports and
 * unknown sequences give nothing; broken UTF-8 gives nothing. */
#ifndef GLUETOP_VIEWS_INPUT_H
#define GLUETOP_VIEWS_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INPUT_ESC_MS    500
#define INPUT_STALE_MS  2000
#define INPUT_PASTE_MAX 65536 /* bytes kept of one paste; the rest is swallowed */

enum input_kind {
  INPUT_NONE,
  INPUT_LETTER, /* code: the code point; text: its UTF-8 */
  INPUT_KEY,    /* code: enum input_key, or a lower case letter with INPUT_CTRL */
  INPUT_PASTE,  /* text: everything between the brackets, as it came */
  INPUT_FOCUS   /* code: 1 gained, 0 lost */
};

enum input_key {
  KEY_NAME_NONE = 0,
  KEY_NAME_UP,
  KEY_NAME_DOWN,
  KEY_NAME_LEFT,
  KEY_NAME_RIGHT,
  KEY_NAME_HOME,
  KEY_NAME_END,
  KEY_NAME_PAGE_UP,
  KEY_NAME_PAGE_DOWN,
  KEY_NAME_INSERT,
  KEY_NAME_DELETE,
  KEY_NAME_ENTER,
  KEY_NAME_ESC,
  KEY_NAME_TAB,
  KEY_NAME_BACKSPACE,
  KEY_NAME_F1, /* F1 to F12 follow each other */
  KEY_NAME_F12 = KEY_NAME_F1 + 11,
  KEY_NAME_LETTERS = 32 /* codes from here on are letters with INPUT_CTRL */
};

enum input_mods { INPUT_SHIFT = 1, INPUT_ALT = 2, INPUT_CTRL = 4 };

struct input {
  enum input_kind kind;
  uint32_t code;
  unsigned mods;    /* enum input_mods */
  const char *text; /* LETTER, PASTE; valid until the next call of the decoder */
};

struct input_decoder {
  unsigned char *pending; /* bytes fed and not yet decoded */
  size_t pending_len, pending_cap;
  size_t at;                  /* bytes of pending already decoded */
  int state;                  /* enum of input.c */
  int due;                    /* something held back whose time is over; enum of input.c */
  bool esc_old;               /* the Esc being held back came with an earlier piece: it is a key, not Alt */
  bool overlong;              /* the sequence being read is longer than any that we know */
  unsigned char sequence[64]; /* parameters of a CSI being read */
  size_t sequence_len;
  int skip; /* bytes of an old mouse report, or of a letter, still to come */
  char *paste;
  size_t paste_len, paste_cap;
  int64_t last_ms; /* when the last byte came */
  char letter[8];  /* UTF-8 being read */
  size_t letter_len;
  char given[8]; /* text of the letter given out last */
};

void input_init(struct input_decoder *d);
void input_fini(struct input_decoder *d);
void input_feed(struct input_decoder *d, const void *bytes, size_t len, int64_t mono_ms);
/* The next input, false when there is none (yet). Call until false after each feed, and when the deadline has passed. */
bool input_next(struct input_decoder *d, int64_t mono_ms, struct input *out);
/* When input_next must be called though no byte came; INT64_MAX: never. */
int64_t input_deadline(const struct input_decoder *d);

/* "Ctrl-F", "PgDn", "Space", "x", "!" … to kind, code and mods and back. Parsing knows no order of case in names. */
bool input_parse_key(const char *name, struct input *out);
#define INPUT_KEY_NAME_MAX 32
const char *input_key_name(const struct input *in, char out[INPUT_KEY_NAME_MAX]);
bool input_same_key(const struct input *a, const struct input *b);

#endif
