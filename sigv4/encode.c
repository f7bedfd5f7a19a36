#include "sigv4/private.h"

#include <string.h>

/* Classes of bytes, so that each test is one look-up and no locale has a say. */
enum { UNRESERVED = 1, TOKEN = 2, VISIBLE = 4, SCOPE = 8 };

#define V  VISIBLE
#define S  (VISIBLE | SCOPE)
#define T  (VISIBLE | SCOPE | TOKEN)
#define U  (VISIBLE | SCOPE | TOKEN | UNRESERVED)
#define U8 U, U, U, U, U, U, U, U
#define Z8 0, 0, 0, 0, 0, 0, 0, 0

static const unsigned char classes[256] = {Z8, Z8, Z8, Z8,                    /* control characters */
                                           0,  T,  S,  T,  T, T, T, T,        /* space ! " # $ % & ' */
                                           S,  S,  T,  T,  V, U, U, V,        /* ( ) * + , - . / */
                                           U8, U,  U,  S,  V, S, S, S, S,     /* 0-9 : ; < = > ? */
                                           S,  U,  U,  U,  U, U, U, U,        /* @ A-G */
                                           U8, U8, U,  U,  U, S, S, S, T, U,  /* H-Z [ \ ] ^ _ */
                                           T,  U,  U,  U,  U, U, U, U,        /* ` a-g */
                                           U8, U8, U,  U,  U, S, T, S, U, 0}; /* h-z { | } ~ DEL */

#undef V
#undef S
#undef T
#undef U
#undef U8
#undef Z8

static const char upper_digits[] = "0123456789ABCDEF";
static const char lower_digits[] = "0123456789abcdef";

static bool has_class(char c, unsigned class)
{
  return (classes[(unsigned char)c] & class) != 0;
}

static bool all_of_class(const char *text, size_t len, unsigned class)
{
  for (size_t i = 0; i < len; i++) {
    if (!has_class(text[i], class))
      return false;
  }
  return len > 0;
}

bool sigv4_is_token(const char *text, size_t len)
{
  return all_of_class(text, len, TOKEN);
}

bool sigv4_is_scope_part(const char *text)
{
  return all_of_class(text, strlen(text), SCOPE);
}

bool sigv4_is_visible(const char *text)
{
  return all_of_class(text, strlen(text), VISIBLE);
}

/* ASCII alone, whatever the locale says. */
static char lower(char c)
{
  return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

bool sigv4_put_name(struct sigv4_out *out, const char *name, size_t len)
{
  if ((size_t)(out->end - out->at) < len) {
    out->overflow = true;
    return false;
  }
  unsigned shared = TOKEN;
  for (size_t i = 0; i < len; i++) {
    shared &= classes[(unsigned char)name[i]];
    out->at[i] = lower(name[i]);
  }
  out->at += len;
  return shared != 0 && len > 0;
}

void sigv4_hex(const unsigned char *digest, size_t len, char *out)
{
  for (size_t i = 0; i < len; i++) {
    out[2 * i] = lower_digits[digest[i] >> 4];
    out[2 * i + 1] = lower_digits[digest[i] & 15];
  }
}

static void put_decimal(char *out, unsigned digits, unsigned value)
{
  for (unsigned i = digits; i > 0; i--) {
    out[i - 1] = (char)('0' + value % 10);
    value /= 10;
  }
}

/* Days to a date of the Gregorian calendar, counting years from March so that the leap day is the last of its year: the
 * signer neither reads a time zone nor depends on the C library's time functions. */
bool sigv4_format_time(int64_t ms_utc, char out[SIGV4_TIME_SIZE])
{
  const int64_t last_second = 253402300799; /* 9999-12-31T23:59:59Z */
  if (ms_utc < 0 || ms_utc / 1000 > last_second)
    return false;
  int64_t seconds = ms_utc / 1000;
  unsigned second_of_day = (unsigned)(seconds % 86400);
  unsigned day = (unsigned)(seconds / 86400) + 719468; /* days since 0000-03-01 */
  unsigned era = day / 146097;
  unsigned day_of_era = day % 146097;
  unsigned year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  unsigned day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  unsigned month_from_march = (5 * day_of_year + 2) / 153;
  unsigned month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  unsigned year = era * 400 + year_of_era + (month <= 2 ? 1 : 0);

  put_decimal(out, 4, year);
  put_decimal(out + 4, 2, month);
  put_decimal(out + 6, 2, day_of_year - (153 * month_from_march + 2) / 5 + 1);
  out[8] = 'T';
  put_decimal(out + 9, 2, second_of_day / 3600);
  put_decimal(out + 11, 2, second_of_day / 60 % 60);
  put_decimal(out + 13, 2, second_of_day % 60);
  out[15] = 'Z';
  return true;
}

static void put_byte_encoded(struct sigv4_out *out, char c)
{
  if (has_class(c, UNRESERVED)) {
    sigv4_out_char(out, c);
    return;
  }
  unsigned char byte = (unsigned char)c;
  const char escape[3] = {'%', upper_digits[byte >> 4], upper_digits[byte & 15]};
  sigv4_out_put(out, escape, sizeof escape);
}

void sigv4_put_encoded(struct sigv4_out *out, struct sigv4_span in, bool keep_slash)
{
  for (size_t i = 0; i < in.len; i++) {
    if (keep_slash && in.at[i] == '/')
      sigv4_out_char(out, '/');
    else
      put_byte_encoded(out, in.at[i]);
  }
}

static int digit_value(char c)
{
  if (c >= '0' && c <= '9')
    return c - '0';
  c = lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The byte that the escape at the head of in stands for, -1 where there is none. */
static int escaped_byte(struct sigv4_span in)
{
  if (in.len < 3 || in.at[0] != '%')
    return -1;
  int high = digit_value(in.at[1]);
  int low = digit_value(in.at[2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

void sigv4_put_reencoded(struct sigv4_out *out, struct sigv4_span in)
{
  while (in.len > 0) {
    int byte = escaped_byte(in);
    size_t taken = byte >= 0 ? 3 : 1;
    put_byte_encoded(out, byte >= 0 ? (char)byte : in.at[0]);
    in.at += taken;
    in.len -= taken;
  }
}

void sigv4_put_encoded_once(struct sigv4_out *out, struct sigv4_span in)
{
  while (in.len > 0) {
    size_t taken = 1;
    if (escaped_byte(in) >= 0) {
      taken = 3;
      sigv4_out_put(out, in.at, taken);
    } else if (in.at[0] == '/') {
      sigv4_out_char(out, '/');
    } else {
      put_byte_encoded(out, in.at[0]);
    }
    in.at += taken;
    in.len -= taken;
  }
}

/* Characters that a query string may hold on the wire (RFC 3986), '%' apart. */
static bool goes_in_query(char c)
{
  return has_class(c, UNRESERVED) || (c != '\0' && strchr("!$&'()*+,;=:@/?[]", c) != NULL);
}

void sigv4_put_wire_query(struct sigv4_out *out, struct sigv4_span query)
{
  while (query.len > 0) {
    size_t taken = 1;
    if (escaped_byte(query) >= 0) {
      taken = 3;
      sigv4_out_put(out, query.at, taken);
    } else if (goes_in_query(query.at[0])) {
      sigv4_out_char(out, query.at[0]);
    } else {
      put_byte_encoded(out, query.at[0]);
    }
    query.at += taken;
    query.len -= taken;
  }
}

size_t sigv4_uri_encode(const char *in, size_t len, bool keep_slash, char *out)
{
  struct sigv4_out writer = {.at = out, .end = out + 3 * len};
  sigv4_put_encoded(&writer, (struct sigv4_span){in, len}, keep_slash);
  *writer.at = '\0';
  return (size_t)(writer.at - out);
}
