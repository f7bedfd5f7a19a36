#include "aws/secret_text.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/xalloc.h"
#include "sigv4/sigv4.h"

void secret_text_add(struct secret_text *t, const char *bytes, size_t len)
{
  if (t->len + len + 1 > t->cap) {
    size_t cap = t->cap > 0 ? t->cap : 256;
    while (cap < t->len + len + 1)
      cap *= 2;
    char *larger = xmalloc(cap);
    if (t->len > 0)
      memcpy(larger, t->data, t->len);
    secret_wipe(t->data, t->len);
    free(t->data);
    t->data = larger;
    t->cap = cap;
  }
  if (len > 0)
    memcpy(t->data + t->len, bytes, len);
  t->len += len;
  t->data[t->len] = '\0';
}

void secret_text_adds(struct secret_text *t, const char *s)
{
  secret_text_add(t, s, strlen(s));
}

void secret_text_form(struct secret_text *t, const char *name, const char *value)
{
  if (value == NULL)
    return;
  size_t len = strlen(value);
  size_t room = 3 * len + 1;
  char *encoded = xmalloc(room);
  size_t used = sigv4_uri_encode(value, len, false, encoded);
  if (t->len > 0)
    secret_text_add(t, "&", 1);
  secret_text_adds(t, name);
  secret_text_add(t, "=", 1);
  secret_text_add(t, encoded, used);
  secret_wipe(encoded, room);
  free(encoded);
}

void secret_text_json(struct secret_text *t, const char *value)
{
  secret_text_add(t, "\"", 1);
  for (const char *p = value; *p != '\0'; p++) {
    unsigned char c = (unsigned char)*p;
    char escape[8];
    if (c == '"' || c == '\\') {
      secret_text_add(t, "\\", 1);
      secret_text_add(t, p, 1);
    } else if (c < 0x20 || c == 0x7f) {
      int len = snprintf(escape, sizeof escape, "\\u%04x", c);
      secret_text_add(t, escape, (size_t)len);
    } else {
      secret_text_add(t, p, 1);
    }
  }
  secret_text_add(t, "\"", 1);
}

void secret_text_member(struct secret_text *t, const char *name, const char *value)
{
  if (value == NULL)
    return;
  if (t->len > 0 && t->data[t->len - 1] != '{')
    secret_text_add(t, ",", 1);
  secret_text_json(t, name);
  secret_text_add(t, ":", 1);
  secret_text_json(t, value);
}

void secret_text_fini(struct secret_text *t)
{
  secret_wipe(t->data, t->len);
  free(t->data);
  *t = (struct secret_text){0};
}

struct cJSON *secret_json_parse(const char *text, size_t len)
{
  const char *end = NULL;
  if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
    text += 3;
    len -= 3;
  }
  cJSON *tree = len > 0 ? cJSON_ParseWithLengthOpts(text, len, &end, 0) : NULL;
  bool trailing = false;
  for (const char *p = end; tree != NULL && p < text + len; p++)
    trailing = trailing || (*p != '\0' && strchr(" \t\r\n", *p) == NULL);
  if (trailing) {
    secret_json_free(tree);
    tree = NULL;
  }
  return tree;
}

static void json_wipe(cJSON *node)
{
  for (; node != NULL; node = node->next) {
    if (node->valuestring != NULL)
      secret_wipe(node->valuestring, strlen(node->valuestring));
    json_wipe(node->child);
  }
}

void secret_json_free(struct cJSON *tree)
{
  json_wipe(tree);
  cJSON_Delete(tree);
}

struct err secret_file_read(const char *path, size_t max, struct secret *out)
{
  struct err e = err_ok();
  struct secret_text text = {0};
  char chunk[4096];
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    bool missing = errno == ENOENT || errno == ENOTDIR;
    return missing ? err_new(ERR_NOT_FOUND, "there is no %s", path) : err_errno(ERR_IO, "cannot read %s", path);
  }
  for (;;) {
    ssize_t n = read(fd, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      e = err_errno(ERR_IO, "cannot read %s", path);
    else if (text.len + (size_t)n > max)
      e = err_new(ERR_IO, "%s is larger than %zu bytes", path, max);
    if (n <= 0 || err_is(&e))
      break;
    secret_text_add(&text, chunk, (size_t)n);
  }
  close(fd);
  if (!err_is(&e))
    secret_set(out, text.data, text.len);
  secret_text_fini(&text);
  secret_wipe(chunk, sizeof chunk);
  return e;
}

static void make_folders_above(const char *path)
{
  char *folder = xstrdup(path);
  for (char *p = folder + 1; *p != '\0'; p++) {
    if (*p != '/')
      continue;
    *p = '\0';
    /* One that is there already, or cannot be made, shows when the file is opened. */
    (void)mkdir(folder, 0700);
    *p = '/';
  }
  free(folder);
}

struct err secret_file_write(const char *path, const char *bytes, size_t len, bool make_folders)
{
  if (make_folders)
    make_folders_above(path);
  struct err e = err_ok();
  char *beside = xasprintf("%s.XXXXXX", path);
  /* mkstemp opens for us alone: mode 0600, and never through somebody's link. */
  int fd = mkstemp(beside);
  if (fd < 0) {
    e = err_errno(ERR_IO, "cannot write beside %s", path);
    free(beside);
    return e;
  }
  size_t done = 0;
  while (done < len) {
    ssize_t n = write(fd, bytes + done, len - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      break;
    done += (size_t)n;
  }
  bool good = done == len && fchmod(fd, 0600) == 0 && fsync(fd) == 0;
  if (!good)
    e = err_errno(ERR_IO, "cannot write %s", beside);
  if (close(fd) != 0 && good)
    e = err_errno(ERR_IO, "cannot write %s", beside);
  if (!err_is(&e) && rename(beside, path) != 0)
    e = err_errno(ERR_IO, "cannot put the new %s in its place", path);
  if (err_is(&e))
    unlink(beside);
  free(beside);
  return e;
}
