#include "base/text.h"

#include <stdint.h>
#include <string.h>
#include "base/private.h"

/* A length for NUL-terminated text: no letter is longer, and none reaches past a NUL. */
#define TEXT_LETTER_MAX 4

/* The folded code point at s, which is not at its end. Broken bytes are letters of their own, beyond Unicode, so that
 * they equal only themselves. */
static int32_t text_next_folded(const char *s, size_t len, size_t *used)
{
  int32_t c = text_next(s, len, used);
  if (c >= 0)
    return text_fold(c);
  *used = 1;
  return 0x110000 + (unsigned char)s[0];
}

/* Does s begin with needle? */
static bool text_begins_folded(const char *s, size_t len, const char *needle, size_t needle_len)
{
  size_t i = 0;
  size_t j = 0;
  while (j < needle_len) {
    size_t used_s = 0;
    size_t used_needle = 0;
    if (i >= len ||
        text_next_folded(s + i, len - i, &used_s) != text_next_folded(needle + j, needle_len - j, &used_needle))
      return false;
    i += used_s;
    j += used_needle;
  }
  return true;
}

long text_find_fold(const char *haystack, const char *needle)
{
  size_t len = strlen(haystack);
  size_t needle_len = strlen(needle);
  if (needle_len == 0)
    return 0;
  size_t used = 0;
  int32_t first = text_next_folded(needle, needle_len, &used);
  for (size_t i = 0; i < len; i += used) {
    if (text_next_folded(haystack + i, len - i, &used) == first &&
        text_begins_folded(haystack + i, len - i, needle, needle_len))
      return (long)i;
  }
  return -1;
}

static bool text_is_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* Compare the digit runs at *a and *b as numbers of any length and step over them. */
static int text_compare_numbers(const char **a, const char **b)
{
  while (**a == '0')
    (*a)++;
  while (**b == '0')
    (*b)++;
  size_t len_a = strspn(*a, "0123456789");
  size_t len_b = strspn(*b, "0123456789");
  int order = len_a != len_b ? (len_a < len_b ? -1 : 1) : memcmp(*a, *b, len_a);
  *a += len_a;
  *b += len_b;
  return order;
}

int text_compare(const char *a, const char *b)
{
  const char *p = a;
  const char *q = b;
  while (*p != '\0' && *q != '\0') {
    if (text_is_digit(*p) && text_is_digit(*q)) {
      int order = text_compare_numbers(&p, &q);
      if (order != 0)
        return order;
      continue;
    }
    size_t used_p = 0;
    size_t used_q = 0;
    int32_t c = text_next_folded(p, TEXT_LETTER_MAX, &used_p);
    int32_t d = text_next_folded(q, TEXT_LETTER_MAX, &used_q);
    if (c != d)
      return c < d ? -1 : 1;
    p += used_p;
    q += used_q;
  }
  if (*p != '\0' || *q != '\0')
    return *p != '\0' ? 1 : -1;
  /* The same but for case or leading zeros: still an order, so that a sort does not shuffle them. */
  return strcmp(a, b);
}

/* Whole s against pattern; a star that fails is tried one letter later, and only the last star need be. */
static bool text_match_glob(const char *pattern, const char *s)
{
  const char *star = NULL;
  const char *star_s = NULL;
  while (*s != '\0') {
    size_t used_s = 0;
    size_t used_p = 0;
    int32_t c = text_next_folded(s, TEXT_LETTER_MAX, &used_s);
    if (*pattern == '*') {
      star = ++pattern;
      star_s = s;
      continue;
    }
    if (*pattern == '?') {
      pattern++;
      s += used_s;
      continue;
    }
    if (*pattern != '\0' && text_next_folded(pattern, TEXT_LETTER_MAX, &used_p) == c) {
      pattern += used_p;
      s += used_s;
      continue;
    }
    if (star == NULL)
      return false;
    (void)text_next_folded(star_s, TEXT_LETTER_MAX, &used_s);
    star_s += used_s;
    s = star_s;
    pattern = star;
  }
  while (*pattern == '*')
    pattern++;
  return *pattern == '\0';
}

bool text_match(const char *pattern, const char *s)
{
  if (strpbrk(pattern, "*?") != NULL)
    return text_match_glob(pattern, s);
  return text_find_fold(s, pattern) >= 0;
}
