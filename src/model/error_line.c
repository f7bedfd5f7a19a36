#include "model/error_line.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char *skip_blanks(const char *s)
{
  return s + strspn(s, " \t\r\n:");
}

/* "An error occurred while calling o97.write. " and what it is followed by on the same line, else the text itself. */
static const char *behind_wrapper(const char *s)
{
  static const char wrapper[] = "An error occurred while calling o";
  const char *at = strncmp(s, "Py4JJavaError: ", 15) == 0 ? s + 15 : s;
  const char *inner = s;
  if (strncmp(at, wrapper, sizeof wrapper - 1) == 0) {
    at += sizeof wrapper - 1;
    at += strspn(at, "0123456789");
    const char *dot = *at == '.' ? strchr(at + 1, '.') : NULL;
    const char *rest = dot ? skip_blanks(dot + 1) : NULL;
    inner = rest && *rest != '\0' ? rest : s;
  }
  return inner;
}

static const char *last_cause(const char *s)
{
  static const char mark[] = "Caused by:";
  const char *found = NULL;
  for (const char *p = strstr(s, mark); p; p = strstr(p + 1, mark)) {
    const char *text = skip_blanks(p + sizeof mark - 1);
    found = *text != '\0' ? text : found;
  }
  return found;
}

void error_line(struct buf *out, const char *error)
{
  if (error) {
    const char *cause = last_cause(error);
    const char *text = cause ? cause : behind_wrapper(skip_blanks(error));
    size_t len = strcspn(text, "\r\n");
    const char *rest = skip_blanks(text + len);
    buf_add(out, text, len);
    /* "…" is left to the cutting of a cell: this mark says that the text has more lines, however wide the cell is */
    buf_adds(out, *rest != '\0' || (cause && cause != error) ? " ..." : "");
  }
}
