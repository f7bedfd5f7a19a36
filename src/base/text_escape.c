/* Where escape sequences end. ECMA-48 with the habits of xterm: control strings also end with BEL, and ESC k (the
 * title of screen and tmux) is one of them.
 *
 * A control string that never ends would take the rest of a message with it, and a log line is worth more than a
 * terminal's manners: it also ends before a line break. C1 controls as single bytes (0x80..0x9F) are no UTF-8, and
 * texts in other encodings use them as letters: they count only when the whole sequence is there. */
#include "base/private.h"

enum { BYTE_BEL = 0x07, BYTE_LF = 0x0a, BYTE_CR = 0x0d, BYTE_CAN = 0x18, BYTE_SUB = 0x1a, BYTE_ESC = 0x1b };

/* Length of what follows the introducer of a CSI; *whole tells whether the final byte is there. */
static size_t text_csi_length(const char *s, size_t len, bool *whole)
{
  size_t i = 0;
  while (i < len && s[i] >= 0x20 && s[i] <= 0x3f)
    i++;
  *whole = i < len && s[i] >= 0x40 && s[i] <= 0x7e;
  return *whole ? i + 1 : i;
}

/* Length of what follows the introducer of a control string, terminator included; *whole tells whether it is there. */
static size_t text_string_length(const char *s, size_t len, bool *whole)
{
  *whole = false;
  size_t i = 0;
  while (i < len) {
    size_t used = 0;
    int32_t c = text_next(s + i, len - i, &used);
    if (c == BYTE_BEL || c == 0x9c || (c < 0 && (unsigned char)s[i] == 0x9c)) {
      *whole = true;
      return i + used;
    }
    if (c == BYTE_ESC) {
      *whole = i + 1 < len && s[i + 1] == '\\';
      return *whole ? i + 2 : i;
    }
    if (c == BYTE_LF || c == BYTE_CR)
      return i;
    if (c == BYTE_CAN || c == BYTE_SUB)
      return i + used;
    i += used;
  }
  return len;
}

static size_t text_esc_length(const char *s, size_t len)
{
  bool whole = false;
  if (len < 2)
    return 1;
  switch (s[1]) {
  case '[':
    return 2 + text_csi_length(s + 2, len - 2, &whole);
  case ']':
  case 'P':
  case 'X':
  case '^':
  case '_':
  case 'k':
    return 2 + text_string_length(s + 2, len - 2, &whole);
  case 'N':
  case 'O': /* a single shift takes the next character with it */
    return len > 2 && s[2] >= 0x20 && s[2] <= 0x7e ? 3 : 2;
  default:
    break;
  }
  size_t i = 1;
  while (i < len && s[i] >= 0x20 && s[i] <= 0x2f)
    i++;
  return i < len && s[i] >= 0x30 && s[i] <= 0x7e ? i + 1 : i;
}

static bool text_opens_string(int32_t c1)
{
  return c1 == 0x90 || c1 == 0x98 || c1 == 0x9d || c1 == 0x9e || c1 == 0x9f;
}

size_t text_escape_length(const char *s, size_t len, const char **dead)
{
  unsigned char first = (unsigned char)s[0];
  bool whole = false;
  if (first == BYTE_ESC)
    return text_esc_length(s, len);
  if (first == 0xc2 && len > 1) { /* C1 as UTF-8 */
    int32_t c1 = (unsigned char)s[1];
    if (c1 == 0x9b)
      return 2 + text_csi_length(s + 2, len - 2, &whole);
    if (text_opens_string(c1))
      return 2 + text_string_length(s + 2, len - 2, &whole);
    return 0;
  }
  size_t rest = 0;
  if (first == 0x9b) {
    rest = text_csi_length(s + 1, len - 1, &whole);
  } else if (text_opens_string(first) && (*dead == NULL || s >= *dead)) {
    rest = text_string_length(s + 1, len - 1, &whole);
    if (!whole)
      *dead = s + 1 + rest;
  }
  return whole ? 1 + rest : 0;
}
