#include "views/doc.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"

#define LABEL_MAX 26
#define LABEL_GAP 2
#define LEFT      1

void doc_init(struct doc_text *d)
{
  memset(d, 0, sizeof *d);
  d->search = xstrdup("");
  d->match = -1;
}

static void empty(struct doc_text *d)
{
  for (size_t i = 0; i < d->count; i++) {
    free(d->lines[i].label);
    free(d->lines[i].text);
  }
  d->count = 0;
  d->label_width = 0;
}

void doc_fini(struct doc_text *d)
{
  empty(d);
  free(d->lines);
  free(d->search);
  memset(d, 0, sizeof *d);
}

void doc_begin(struct doc_text *d)
{
  empty(d);
}

static struct doc_line *add(struct doc_text *d)
{
  d->lines = xgrow(d->lines, &d->cap, d->count + 1, sizeof *d->lines);
  struct doc_line *line = &d->lines[d->count++];
  memset(line, 0, sizeof *line);
  return line;
}

/* Add text as one line of the document for each of its lines; the label stands at the first. */
static void add_text(struct doc_text *d, const char *label, unsigned label_style, int indent, unsigned style,
                     const char *text)
{
  char *clean = text_clean_dup(text, TEXT_BLOCK);
  const char *at = clean;
  bool more = true;
  while (more) {
    const char *end = strchr(at, '\n');
    struct doc_line *line = add(d);
    line->indent = indent;
    line->style = style;
    line->label_style = label_style;
    line->text = end != NULL ? xstrndup(at, (size_t)(end - at)) : xstrdup(at);
    if (label != NULL) {
      line->label = at == clean ? text_clean_dup(label, TEXT_LINE) : xstrdup("");
    }
    more = end != NULL;
    at = more ? end + 1 : at;
  }
  free(clean);
}

void doc_blank(struct doc_text *d)
{
  if (d->count > 0) {
    add(d)->text = xstrdup("");
  }
}

void doc_heading(struct doc_text *d, const char *text)
{
  doc_blank(d);
  add_text(d, NULL, 0, 0, ROLE_HEADING, text);
}

void doc_field(struct doc_text *d, const char *label, unsigned style, const char *text)
{
  if (text == NULL) {
    return;
  }
  int width = text_width(label);
  if (width > d->label_width) {
    d->label_width = width < LABEL_MAX ? width : LABEL_MAX;
  }
  add_text(d, label, ROLE_DIM, 2, style, text);
}

void doc_fieldf(struct doc_text *d, const char *label, unsigned style, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  char *text = xvasprintf(format, args);
  va_end(args);
  doc_field(d, label, style, text);
  free(text);
}

void doc_text(struct doc_text *d, int indent, unsigned style, const char *text)
{
  add_text(d, NULL, 0, indent, style, text);
}

/* --- drawing -------------------------------------------------------------------------------------------------------- */

/* Bytes of the next screen line of text in that many cells, broken at a blank where there is one in its later half. */
static size_t break_line(const char *text, int cells)
{
  int used = 0;
  size_t fit = text_fit(text, cells > 0 ? cells : 1, &used);
  if (text[fit] != '\0') {
    size_t at = fit;
    while (at > fit / 2 && text[at] != ' ') {
      at--;
    }
    if (text[at] == ' ' && at > 0) {
      fit = at;
    }
    if (fit == 0) { /* a letter wider than the window: go on, it is cut off */
      fit = 1;
      while ((text[fit] & 0xc0) == 0x80) {
        fit++;
      }
    }
  }
  return fit;
}

static int text_column(const struct doc_text *d, const struct doc_line *line)
{
  int x = LEFT + line->indent;
  if (line->label != NULL) {
    x += d->label_width + LABEL_GAP;
  }
  return x;
}

static void mark_matches(const struct doc_text *d, const struct pane *p, int y, int x, const char *text)
{
  const char *at = text;
  long found = d->search[0] != '\0' ? text_find_fold(at, d->search) : -1;
  while (found >= 0) {
    int before = text_width_n(text, (size_t)(at + found - text));
    pane_restyle(p, y, x + before, text_width(d->search), ROLE_MATCH | STYLE_REVERSE);
    at += found + 1;
    found = text_find_fold(at, d->search);
  }
}

/* Go through all lines of the screen; draw those in the window when p is given. Returns their count; *line_at gets the first screen line
 * of document line `of`. */
static size_t walk(const struct doc_text *d, const struct pane *p, int width, long of, size_t *line_at)
{
  size_t screen = 0;
  for (size_t i = 0; i < d->count; i++) {
    const struct doc_line *line = &d->lines[i];
    const char *rest = line->text;
    int x = text_column(d, line);
    bool first = true, more = true;
    if ((long)i == of && line_at != NULL) {
      *line_at = screen;
    }
    while (more) {
      size_t bytes = d->wide ? strlen(rest) : break_line(rest, width - x);
      if (p != NULL && screen >= d->top && screen < d->top + (size_t)p->height) {
        int y = (int)(screen - d->top);
        char *part = xstrndup(rest, bytes);
        if (first && line->label != NULL) {
          pane_field(p, y, LEFT + line->indent, d->label_width, line->label_style, TEXT_LEFT, line->label);
        }
        struct pane room = pane_part(p, y, x, 1, p->width - x);
        pane_put(&room, 0, -d->skip, line->style, part);
        mark_matches(d, &room, 0, -d->skip, part);
        free(part);
      }
      screen++;
      rest += bytes;
      while (*rest == ' ' && bytes > 0) {
        rest++;
      }
      more = *rest != '\0';
      first = false;
    }
  }
  return screen;
}

size_t doc_measure(const struct doc_text *d, int width)
{
  return walk(d, NULL, width, -1, NULL);
}

void doc_draw(struct doc_text *d, const struct pane *p)
{
  size_t match_at = 0;
  d->width = p->width;
  d->height = p->height;
  if (p->width < 1 || p->height < 1) {
    return;
  }
  d->screen_lines = walk(d, NULL, p->width, d->match, &match_at);
  if (d->match >= 0) {
    if (match_at < d->top || match_at >= d->top + (size_t)p->height) {
      d->top = match_at > (size_t)p->height / 3 ? match_at - (size_t)p->height / 3 : 0;
    }
    d->match = -1;
  }
  size_t last_top = d->screen_lines > (size_t)p->height ? d->screen_lines - (size_t)p->height : 0;
  d->top = d->top < last_top ? d->top : last_top;
  walk(d, p, p->width, -1, NULL);
}

/* --- keys ----------------------------------------------------------------------------------------------------------- */

static void scroll(struct doc_text *d, long by)
{
  long to = (long)d->top + by;
  d->top = to < 0 ? 0 : (size_t)to; /* the end is seen to when drawing */
}

static bool line_matches(const struct doc_text *d, size_t i)
{
  const struct doc_line *line = &d->lines[i];
  return text_find_fold(line->text, d->search) >= 0 ||
         (line->label != NULL && text_find_fold(line->label, d->search) >= 0);
}

/* First lines on the screen of all lines, in one go; caller frees. */
static size_t *line_starts(const struct doc_text *d)
{
  size_t *starts = xcalloc(d->count + 1, sizeof *starts);
  struct doc_text one = *d;
  size_t at = 0;
  for (size_t i = 0; i < d->count; i++) {
    starts[i] = at;
    one.lines = d->lines + i;
    one.count = 1;
    at += walk(&one, NULL, d->width, -1, NULL);
  }
  return starts;
}

/* Bring the next match to view, from the place that a match is brought to. */
static void find(struct doc_text *d, bool back, bool from_here)
{
  size_t third = (size_t)d->height / 3, start = 0;
  if (d->search[0] == '\0' || d->count == 0) {
    return;
  }
  size_t *starts = line_starts(d);
  for (size_t i = 0; i < d->count && starts[i] <= d->top + (d->top > 0 ? third : 0); i++) {
    start = i;
  }
  for (size_t step = from_here ? 0 : 1; step <= d->count && d->match < 0; step++) {
    size_t i = back ? (start + d->count - step % d->count) % d->count : (start + step) % d->count;
    if (line_matches(d, i)) {
      d->match = (long)i;
      d->top = starts[i] > third ? starts[i] - third : 0;
    }
  }
  free(starts);
}

void doc_set_search(struct doc_text *d, const char *text)
{
  free(d->search);
  d->search = text_clean_dup(text, TEXT_LINE);
  d->matches = 0;
  for (size_t i = 0; i < d->count && d->search[0] != '\0'; i++) {
    d->matches += line_matches(d, i);
  }
  find(d, false, true);
}

bool doc_act(struct doc_text *d, enum action a)
{
  long page = d->height > 1 ? d->height - 1 : 1;
  bool mine = true;
  if (a == ACTION_DOWN) {
    scroll(d, 1);
  } else if (a == ACTION_UP) {
    scroll(d, -1);
  } else if (a == ACTION_PAGE_DOWN) {
    scroll(d, page);
  } else if (a == ACTION_PAGE_UP) {
    scroll(d, -page);
  } else if (a == ACTION_FIRST) {
    d->top = 0;
  } else if (a == ACTION_LAST) {
    d->top = d->screen_lines;
  } else if (a == ACTION_LEFT) {
    d->skip = d->skip > 8 ? d->skip - 8 : 0;
  } else if (a == ACTION_RIGHT) {
    d->skip += d->wide ? 8 : 0;
  } else if (a == ACTION_WRAP) {
    d->wide = !d->wide;
    d->skip = 0;
  } else if (a == ACTION_NEXT_MATCH || a == ACTION_PREV_MATCH) {
    find(d, a == ACTION_PREV_MATCH, false);
  } else {
    mine = false;
  }
  return mine;
}

void doc_write_text(const struct doc_text *d, struct buf *out)
{
  for (size_t i = 0; i < d->count; i++) {
    const struct doc_line *line = &d->lines[i];
    for (int k = 0; k < line->indent; k++) {
      buf_addc(out, ' ');
    }
    if (line->label != NULL) {
      text_put(out, line->label, d->label_width + LABEL_GAP, TEXT_LEFT, true);
    }
    buf_adds(out, line->text);
    buf_addc(out, '\n');
  }
}

void doc_write_caption(const struct doc_text *d, struct buf *out)
{
  if (d->search[0] != '\0') {
    buf_addf(out, "/%s: %zu lines  ", d->search, d->matches);
  }
  if (d->height > 0 && d->screen_lines > (size_t)d->height) {
    size_t below = d->screen_lines - (size_t)d->height;
    buf_addf(out, "%zu%%", below > 0 ? (d->top > below ? below : d->top) * 100 / below : 100);
  }
}
