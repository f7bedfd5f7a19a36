/* What looks secret.
 *
 * A name is judged by its words: "--db_password", "dbPassword" and "DB-PASSWORD" are the words db, password. The same judgement serves the
 * argument's key and every name that stands before '=' or ':' inside a value (JDBC properties, URL queries, Spark settings, JSON), so that
 * only the secret part of a value is hidden and the rest stays useful. Beside names there are shapes: keys and tokens that are
 * recognisable by themselves. Hiding too much is cheap (it can be revealed), showing too much is not: in doubt it is masked. */
#include "model/mask.h"

#include <stdint.h>
#include <string.h>

#define NAME_MAX_BYTES 200
#define NAME_MAX_WORDS 24
/* Longer values are hidden whole: looking for parts takes longer than their length says, and nobody reads that much of one. */
#define PARTS_MAX_BYTES ((size_t)64 * 1024)

static bool is_lower(char c)
{
  return c >= 'a' && c <= 'z';
}
static bool is_upper(char c)
{
  return c >= 'A' && c <= 'Z';
}
static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}
static bool is_alnum(char c)
{
  return is_lower(c) || is_upper(c) || is_digit(c);
}
static bool is_name(char c)
{
  return is_alnum(c) || c == '_' || c == '-' || c == '.';
}
static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
static char to_lower(char c)
{
  return is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

/* --- names ---------------------------------------------------------------------------------------------------------- */

struct words {
  char joined[NAME_MAX_BYTES + 1];            /* all letters and digits, lower case, no separators */
  char text[NAME_MAX_BYTES + NAME_MAX_WORDS]; /* the words, each NUL-terminated */
  const char *word[NAME_MAX_WORDS];
  size_t count;
};

static void words_split(struct words *w, const char *name, size_t len)
{
  size_t text = 0, joined = 0;
  char before = 0;
  bool inside = false;
  w->count = 0;
  if (len > NAME_MAX_BYTES) { /* what a thing is stands at the end of its name */
    name += len - NAME_MAX_BYTES;
    len = NAME_MAX_BYTES;
  }
  for (size_t i = 0; i < len; i++) {
    char c = name[i];
    if (!is_alnum(c)) {
      if (inside)
        w->text[text++] = '\0';
      inside = false;
      before = c;
      continue;
    }
    /* dbPassword, APIKey: a new word begins at a capital behind a small letter, or before a small letter behind capitals */
    bool hump = is_upper(c) && (is_lower(before) || (is_upper(before) && i + 1 < len && is_lower(name[i + 1])));
    if (inside && hump && w->count < NAME_MAX_WORDS) {
      w->text[text++] = '\0';
      inside = false;
    }
    if (!inside) {
      if (w->count == NAME_MAX_WORDS)
        break;
      w->word[w->count++] = &w->text[text];
      inside = true;
    }
    w->text[text++] = to_lower(c);
    w->joined[joined++] = to_lower(c);
    before = c;
  }
  if (text < sizeof w->text)
    w->text[text] = '\0';
  w->joined[joined] = '\0';
}

static bool one_of(const char *word, const char *const *list)
{
  for (size_t i = 0; list[i] != NULL; i++)
    if (strcmp(word, list[i]) == 0)
      return true;
  return false;
}

/* "key" is the one word that is more often harmless than not: primary keys, partition keys, keys of S3 objects, ids of KMS keys. */
static bool key_word_is_harmless(const struct words *w, size_t at)
{
  static const char *const before[] = {
      "primary",   "partition",    "sort",     "foreign", "join",   "business", "natural",   "surrogate", "merge",
      "dedup",     "dedupe",       "record",   "range",   "hash",   "s3",       "object",    "bucket",    "public",
      "cluster",   "group",        "grouping", "index",   "upsert", "unique",   "order",     "lookup",    "bookmark",
      "composite", "distribution", "dist",     "kms",     "row",    "id",       "recordkey", NULL};
  static const char *const behind[] = {"arn",   "alias",  "name",   "column", "columns",   "col",    "cols",
                                       "field", "fields", "prefix", "path",   "type",      "format", "schema",
                                       "space", "order",  "class",  "count",  "fieldname", NULL};
  if (at > 0 && one_of(w->word[at - 1], before))
    return true;
  return at + 1 < w->count && one_of(w->word[at + 1], behind);
}

static bool name_is_secret(const char *name, size_t len)
{
  /* anywhere in the name, separators or not */
  static const char *const parts[] = {"password",      "passwd",           "passwort",       "passphrase", "secret",
                                      "credential",    "apikey",           "accesskey",      "secretkey",  "privatekey",
                                      "authkey",       "signingkey",       "sshkey",         "masterkey",  "accountkey",
                                      "sharedkey",     "licensekey",       "encryptionkey",  "sessionkey", "storagekey",
                                      "clientkey",     "connectionstring", "connectstring",  "bearer",     "webhook",
                                      "authorization", "xamzsignature",    "xamzcredential", NULL};
  /* as words of their own */
  static const char *const words[] = {"pwd",       "pass", "pw",  "jwt", "pat",      "otp", "totp", "cookie",    "sig",
                                      "signature", "dsn",  "sas", "psk", "passcode", "pin", "auth", "authtoken", NULL};
  struct words w;
  const char *token = NULL;
  words_split(&w, name, len);
  for (size_t i = 0; parts[i] != NULL; i++)
    if (strstr(w.joined, parts[i]) != NULL)
      return true;
  for (token = strstr(w.joined, "token"); token != NULL; token = strstr(token + 1, "token")) {
    /* tokenizer, max_tokens and token_count speak of text, not of logins */
    const char *rest = token + 5;
    if (strncmp(rest, "iz", 2) != 0 && strncmp(rest, "is", 2) != 0 && strncmp(rest, "count", 5) != 0 &&
        strncmp(rest, "limit", 5) != 0 && !(token - w.joined >= 3 && strncmp(token - 3, "max", 3) == 0))
      return true;
  }
  for (size_t i = 0; i < w.count; i++) {
    if (one_of(w.word[i], words))
      return true;
    if (strcmp(w.word[i], "key") == 0 && !key_word_is_harmless(&w, i))
      return true;
  }
  return false;
}

/* --- shapes --------------------------------------------------------------------------------------------------------- */

static bool is_token_char(char c)
{
  return is_alnum(c) || c == '_' || c == '-' || c == '.' || c == '=' || c == '+' || c == '/' || c == '~';
}

static size_t token_length(const char *s)
{
  size_t n = 0;
  while (is_token_char(s[n]))
    n++;
  return n;
}

/* AWS access key ids: a four-letter kind and 16 capitals and digits. */
static size_t access_key_length(const char *s)
{
  static const char *const kinds[] = {"AKIA", "ASIA", "AROA", "AIDA", "ABIA", "ACCA", NULL};
  for (size_t k = 0; kinds[k] != NULL; k++) {
    size_t n = 4;
    if (*s != 'A' || strncmp(s, kinds[k], 4) != 0)
      continue;
    while (is_upper(s[n]) || is_digit(s[n]))
      n++;
    if (n >= 16 && n <= 32 && !is_alnum(s[n]))
      return n;
  }
  return 0;
}

/* Three parts of base64url with dots between, the first of them an encoded JSON object. */
static size_t jwt_length(const char *s)
{
  size_t n = 0, dots = 0;
  if (strncmp(s, "eyJ", 3) != 0)
    return 0;
  while (is_alnum(s[n]) || s[n] == '-' || s[n] == '_' || s[n] == '=' || s[n] == '.') {
    if (s[n] == '.')
      dots++;
    n++;
  }
  return dots >= 2 && n >= 20 ? n : 0;
}

/* Tokens whose issuers gave them a prefix so that they can be recognised. */
static size_t prefixed_token_length(const char *s)
{
  static const struct {
    const char *prefix;
    size_t least; /* of the whole */
  } kinds[] = {{"ghp_", 20},        {"gho_", 20},       {"ghu_", 20},         {"ghs_", 20},         {"ghr_", 20},
               {"github_pat_", 20}, {"glpat-", 16},     {"xoxb-", 16},        {"xoxp-", 16},        {"xoxa-", 16},
               {"xoxr-", 16},       {"xoxs-", 16},      {"xapp-", 16},        {"sk_live_", 16},     {"sk_test_", 16},
               {"rk_live_", 16},    {"sk-", 24},        {"AIza", 30},         {"ya29.", 20},        {"SG.", 30},
               {"hvs.", 20},        {"dapi", 36},       {"npm_", 30},         {"pypi-", 30},        {"dop_v1_", 30},
               {"shpat_", 20},      {"eyJhbGciOi", 30}, {"FwoGZXIvYXdz", 40}, {"IQoJb3JpZ2lu", 40}, {"Atza|", 20}};
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    size_t prefix = strlen(kinds[k].prefix);
    if (*s == kinds[k].prefix[0] && strncmp(s, kinds[k].prefix, prefix) == 0) {
      size_t n = prefix + token_length(s + prefix);
      return n >= kinds[k].least ? n : 0;
    }
  }
  return 0;
}

/* AWS secret access keys: 40 characters of base64 with capitals, small letters and digits, and nothing around them. */
static size_t secret_key_length(const char *s)
{
  size_t n = 0, slashes = 0;
  bool upper = false, lower = false, digit = false;
  while (is_alnum(s[n]) || s[n] == '/' || s[n] == '+') {
    upper = upper || is_upper(s[n]);
    lower = lower || is_lower(s[n]);
    digit = digit || is_digit(s[n]);
    if (s[n] == '/')
      slashes++;
    n++;
  }
  return n == 40 && s[n] != '=' && upper && lower && digit && slashes <= 4 ? n : 0;
}

static size_t private_key_length(const char *s)
{
  const char *line = NULL, *end = NULL;
  if (strncmp(s, "-----BEGIN ", 11) != 0)
    return 0;
  line = strstr(s + 11, "-----");
  if (line == NULL || strstr(s, "PRIVATE KEY") == NULL || strstr(s, "PRIVATE KEY") > line)
    return 0;
  end = strstr(line + 5, "-----END ");
  if (end == NULL)
    return strlen(s);
  line = strstr(end + 9, "-----");
  return line == NULL ? strlen(s) : (size_t)(line + 5 - s);
}

static size_t shape_length(const char *value, size_t at)
{
  const char *s = value + at;
  size_t n = 0;
  bool edge = at == 0 || !is_alnum(value[at - 1]);
  if (!edge)
    return 0;
  if (n == 0 && *s == '-')
    n = private_key_length(s);
  if (n == 0)
    n = access_key_length(s);
  if (n == 0)
    n = jwt_length(s);
  if (n == 0)
    n = prefixed_token_length(s);
  if (n == 0 && (at == 0 || !is_token_char(value[at - 1]) || value[at - 1] == '='))
    n = secret_key_length(s);
  return n;
}

/* --- parts of a value ----------------------------------------------------------------------------------------------- */

struct span_out {
  size_t skip; /* shown bytes before the secret part, from where the search stood */
  size_t hide; /* bytes to hide */
};

static bool starts_fold(const char *s, const char *word)
{
  size_t i = 0;
  for (; word[i] != '\0'; i++)
    if (to_lower(s[i]) != word[i])
      return false;
  return true;
}

/* How far a bare value goes behind its '='. */
static size_t bare_length(const char *s)
{
  size_t n = 0;
  while (s[n] != '\0' && !is_blank(s[n]) && strchr("&;,'\"`<>)]}", s[n]) == NULL && !starts_fold(s + n, "%26") &&
         !starts_fold(s + n, "%3b"))
    n++;
  return n;
}

static size_t quoted_length(const char *s, char quote)
{
  size_t n = 0;
  while (s[n] != '\0' && s[n] != quote)
    n += s[n] == '\\' && s[n + 1] != '\0' ? 2 : 1;
  return n;
}

/* From a bracket to the one that closes it, both counted; to the end where none does. */
static size_t bracket_length(const char *s)
{
  size_t n = 0, depth = 0;
  do {
    if (s[n] == '"' || s[n] == '\'') {
      char quote = s[n];
      n += 1 + quoted_length(s + n + 1, quote);
      if (s[n] != quote)
        break;
    } else if (s[n] == '[' || s[n] == '{') {
      depth++;
    } else if (s[n] == ']' || s[n] == '}') {
      depth--;
    }
    n++;
  } while (depth > 0 && s[n] != '\0');
  return n;
}

/* Behind a name: past what closes it and a ':' or '=', to its value; NULL where none follows. */
static const char *past_sign(const char *s)
{
  while (*s == '\\')
    s++;
  if (*s == '"' || *s == '\'')
    s++;
  while (is_blank(*s))
    s++;
  if (*s != ':' && *s != '=')
    return NULL;
  s++;
  while (is_blank(*s) || *s == '\\')
    s++;
  return *s == '"' || *s == '\'' ? s + 1 : s;
}

/* {"Key": "password", "Value": "secret"}, as tags, environment variables and options are often written: at the name "Key" or "Name", or at
 * "Value" where that stands first. True: it is such a pair; nothing to hide: its name is harmless. */
static bool pair_part(const char *s, size_t name_len, struct span_out *out)
{
  static const char *const names[] = {"key", "name", "option", "parameter", "parameterkey", "parametername", NULL};
  static const char *const values[] = {"value", "parametervalue", NULL};
  char word[16];
  if (name_len >= sizeof word)
    return false;
  for (size_t i = 0; i <= name_len; i++)
    word[i] = i < name_len ? to_lower(s[i]) : '\0';
  bool value_first = one_of(word, values);
  const char *first = past_sign(s + name_len);
  if (first == NULL || (!value_first && !one_of(word, names)))
    return false;
  size_t first_len = 0;
  while (first[first_len] != '\0' && strchr("\"'\\,}", first[first_len]) == NULL)
    first_len++;
  const char *next = first + first_len;
  while (*next == '\\' || *next == '"' || *next == '\'' || is_blank(*next))
    next++;
  if (*next != ',')
    return false;
  next++;
  while (is_blank(*next) || *next == '\\' || *next == '"' || *next == '\'')
    next++;
  size_t next_len = 0;
  while (next_len < sizeof word - 1 && is_name(next[next_len])) {
    word[next_len] = to_lower(next[next_len]);
    next_len++;
  }
  word[next_len] = '\0';
  const char *second = past_sign(next + next_len);
  if (second == NULL || !one_of(word, value_first ? names : values))
    return false;
  size_t second_len = 0;
  while (second[second_len] != '\0' && strchr("\"'\\,}", second[second_len]) == NULL)
    second_len++;
  const char *secret = value_first ? first : second, *name = value_first ? second : first;
  size_t len = value_first ? first_len : second_len;
  *out = (struct span_out){.hide = 0};
  if (!name_is_secret(name, value_first ? second_len : first_len) || len == 0)
    return true;
  if (secret[-1] == '"' || secret[-1] == '\'') { /* it may hold what would end a bare one */
    char quote = secret[-1];
    size_t whole = quoted_length(secret, quote);
    len = whole > len && secret[len] != '\\' ? whole : len;
  }
  *out = (struct span_out){.skip = (size_t)(secret - s), .hide = len};
  return true;
}

/* ARNs name secrets and tell none: their parts are no names of values. */
static size_t arn_length(const char *s)
{
  size_t n = 0;
  if (strncmp(s, "arn:aws", 7) != 0)
    return 0;
  while (is_name(s[n]) || s[n] == ':' || s[n] == '/' || s[n] == '*')
    n++;
  return n;
}

/* At the begin of a name: name=secret, name: secret, "name": "secret", --name secret, Bearer secret. */
static bool named_part(const char *s, struct span_out *out)
{
  size_t n = 0, name_at = 0, name_len = 0, close = 0;
  while (is_name(s[n]))
    n++;
  name_len = n;
  while (name_at < name_len && !is_alnum(s[name_at]))
    name_at++;
  if (name_at == name_len)
    return false;
  if ((starts_fold(s, "bearer") && name_len == 6) || (starts_fold(s, "basic") && name_len == 5)) {
    if (s[n] == ' ' && token_length(s + n + 1) >= 6) {
      *out = (struct span_out){.skip = n + 1, .hide = token_length(s + n + 1)};
      return true;
    }
  }
  if (pair_part(s, name_len, out))
    return out->hide > 0;
  while (s[n] == '\\' && (s[n + 1] == '"' || s[n + 1] == '\'')) /* JSON inside JSON */
    n++;
  if (s[n] == '"' || s[n] == '\'') {
    n++;
    close = 1;
  }
  size_t blanks = 0;
  while (is_blank(s[n + blanks]))
    blanks++;
  if (s[n + blanks] == '=' || s[n + blanks] == ':') {
    if (s[n + blanks] == ':' && s[n + blanks + 1] == '/' && s[n + blanks + 2] == '/')
      return false; /* a URL's scheme */
    if (s[n] == ':' && name_len == 14 && starts_fold(s, "secretsmanager") && is_alnum(s[n + 1]))
      return false; /* an action: secretsmanager:GetSecretValue */
    n += blanks + 1;
    while (is_blank(s[n]))
      n++;
  } else if (starts_fold(s + n, "%3d")) {
    n += 3;
  } else if (blanks > 0 && close == 0 && s[0] == '-' && s[1] == '-' && s[n + blanks] != '-') {
    n += blanks;
  } else {
    return false;
  }
  if (!name_is_secret(s + name_at, name_len - name_at))
    return false;
  while (s[n] == '\\' && (s[n + 1] == '"' || s[n + 1] == '\''))
    n++;
  if (s[n] == '"' || s[n] == '\'') {
    size_t inner = quoted_length(s + n + 1, s[n]);
    *out = (struct span_out){.skip = n + 1, .hide = inner};
    return inner > 0;
  }
  if (s[n] == '[' || s[n] == '{') {
    *out = (struct span_out){.skip = n, .hide = bracket_length(s + n)};
    return true;
  }
  if (starts_fold(s + n, "bearer ") || starts_fold(s + n, "basic "))
    n += starts_fold(s + n, "basic ") ? 6 : 7;
  *out = (struct span_out){.skip = n, .hide = bare_length(s + n)};
  return out->hide > 0;
}

/* At "://": user:secret@host. At "thin:": Oracle's user/secret@host. The last '@' before the path counts: passwords may hold one. */
static bool url_part(const char *s, struct span_out *out)
{
  size_t skip = 0, at = 0, sep = 0;
  bool oracle = false;
  if (strncmp(s, "://", 3) == 0)
    skip = 3;
  else if (starts_fold(s, "thin:"))
    skip = 5, oracle = true;
  else if (starts_fold(s, "hooks.slack.com/services/")) {
    *out = (struct span_out){.skip = 25, .hide = token_length(s + 25)};
    return out->hide > 0;
  } else
    return false;
  for (size_t i = skip; s[i] != '\0' && !is_blank(s[i]) && s[i] != '"' && s[i] != '\'' && s[i] != '?' && s[i] != '#';
       i++) {
    if (s[i] == '/' && !oracle)
      break;
    if (s[i] == '@')
      at = i;
    if (sep == 0 && at == 0 && s[i] == (oracle ? '/' : ':'))
      sep = i;
  }
  if (at == 0 || sep == 0 || sep + 1 >= at)
    return false;
  *out = (struct span_out){.skip = sep + 1, .hide = at - sep - 1};
  return true;
}

/* "… for bucket: b, key: path/script.py": where an object lies, and the most telling part of a failed launch. */
static bool is_object_key(const char *value, size_t at)
{
  static const char bucket[] = "bucket";
  if (at < sizeof bucket || strncmp(value + at, "key:", 4) != 0 || value[at - 1] != ' ' || value[at - 2] != ',')
    return false;
  const char *found = strstr(value, bucket);
  return found != NULL && found < value + at;
}

/* The next secret part at or behind `from`; false: none. */
static bool next_part(const char *value, size_t from, struct span_out *out)
{
  for (size_t i = from; value[i] != '\0'; i++) {
    struct span_out part = {0, 0};
    size_t shape = shape_length(value, i);
    bool name_begins = is_name(value[i]) && (i == 0 || !is_name(value[i - 1]));
    size_t arn = name_begins && shape == 0 ? arn_length(value + i) : 0;
    if (arn > 0) {
      i += arn - 1;
      continue;
    }
    if (shape > 0)
      part = (struct span_out){.skip = 0, .hide = shape};
    else if (!(name_begins && !is_object_key(value, i) && named_part(value + i, &part)) && !url_part(value + i, &part))
      continue;
    *out = (struct span_out){.skip = i - from + part.skip, .hide = part.hide};
    return true;
  }
  return false;
}

bool mask_is_secret(const char *key, const char *value)
{
  struct span_out part;
  if (value == NULL || value[0] == '\0')
    return false;
  if (key != NULL && name_is_secret(key, strlen(key)))
    return true;
  return strlen(value) > PARTS_MAX_BYTES || next_part(value, 0, &part);
}

void mask_append(struct buf *out, const char *key, const char *value)
{
  size_t at = 0;
  struct span_out part;
  if (value == NULL || value[0] == '\0')
    return;
  if ((key != NULL && name_is_secret(key, strlen(key))) || strlen(value) > PARTS_MAX_BYTES) {
    buf_adds(out, MASK_TEXT);
    return;
  }
  while (next_part(value, at, &part)) {
    buf_add(out, value + at, part.skip);
    buf_adds(out, MASK_TEXT);
    at += part.skip + part.hide;
  }
  buf_adds(out, value + at);
}
