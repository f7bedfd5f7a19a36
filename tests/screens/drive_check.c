#include "screens/drive.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/xalloc.h"

size_t hex_bytes(const char *text, char *out, size_t size)
{
  size_t n = 0;
  unsigned byte = 0;
  int used = 0;
  while (n < size && sscanf(text, " %2x%n", &byte, &used) == 1) {
    out[n++] = (char)byte;
    text += used;
  }
  return n;
}

bool check_golden(struct drive *d, const char *name, bool look)
{
  char *path = xasprintf("%s/tests/screens/golden/%s.txt", world_source_dir(), name);
  char *is = vt_dump(d->vt, look);
  bool good = true;
  FILE *f = fopen(path, d->update ? "w" : "r");
  if (!f) {
    good = failed(d, "cannot open %s: %s", path, strerror(errno));
  } else if (d->update) {
    good = fputs(is, f) >= 0 || failed(d, "cannot write %s", path);
  } else {
    struct buf must;
    char chunk[4096];
    buf_init(&must, 4 << 20);
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) > 0;) {
      buf_add(&must, chunk, n);
    }
    good = strcmp(is, must.data) == 0;
    if (!good) {
      fprintf(stderr, "--- expected (%s)\n%s--- is\n%s", name, must.data, is);
      failed(d, "the screen is not the golden one (--update writes it anew)");
    }
    buf_fini(&must);
  }
  if (f) {
    fclose(f);
  }
  free(is);
  free(path);
  return good;
}

bool sets_colour(const char *bytes, size_t len)
{
  bool found = false;
  for (size_t i = 0; i + 2 < len && !found; i++) {
    if (bytes[i] != '\x1b' || bytes[i + 1] != '[') {
      continue;
    }
    size_t end = i + 2;
    while (end < len && (isdigit((unsigned char)bytes[end]) || bytes[end] == ';')) {
      end++;
    }
    for (size_t at = i + 2; end < len && bytes[end] == 'm' && at < end;) {
      unsigned number = 0;
      while (at < end && bytes[at] != ';') {
        number = number * 10 + (unsigned)(bytes[at++] - '0');
      }
      at++;
      /* 39 and 49 only take a colour back */
      found = found || (number >= 30 && number <= 48 && number != 39) || (number >= 90 && number <= 107);
    }
  }
  return found;
}

/* The number behind "name" in the object of an operation of gluesim's stats; 0 when it is not there. */
static long stat_of(const char *json, const char *operation, const char *name)
{
  char *key = xasprintf("\"%s\":", operation), *member = xasprintf("\"%s\":", name);
  const char *at = strstr(json, key);
  const char *end = at ? strchr(at, '}') : NULL;
  const char *value = at ? strstr(at, member) : NULL;
  long n = value && value < end ? strtol(value + strlen(member), NULL, 10) : 0;
  free(key);
  free(member);
  return n;
}

bool check_count(struct drive *d, const char *text, const char *name)
{
  char operation[64] = "";
  long wanted = -1;
  char *json = world_ask_sim(d, "GET", "/_sim/stats", "");
  bool good = sscanf(text, "%63s %ld", operation, &wanted) == 2;
  if (!json) {
    good = failed(d, "gluesim gives no stats (has it --control?)");
  } else if (!good) {
    failed(d, "an operation and a number are needed: %s", text);
  } else {
    long is = stat_of(json, operation, name);
    good = is == wanted || failed(d, "%s %s: %ld, not %ld", operation, name, is, wanted);
  }
  free(json);
  return good;
}
