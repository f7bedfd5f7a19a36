#include "screens/picture.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/xalloc.h"

/* Cells are whole pixels, so that backgrounds and block letters meet without seams. */
enum { CELL_W = 9, CELL_H = 20, FONT = 15, BASE = 15, PAD = 14, BAR = 30 };
enum { PAPER = 0x11151c, INK = 0xd6dbe3 };

extern char **environ;

struct look {
  int32_t fg, bg;
  bool bold, underline, italic;
};

static struct look look_of(const struct vt_cell *cell)
{
  struct look l = {.fg = cell->fg < 0 ? INK : cell->fg,
                   .bg = cell->bg < 0 ? PAPER : cell->bg,
                   .bold = cell->bold,
                   .underline = cell->underline,
                   .italic = cell->italic};
  if (cell->reverse) {
    int32_t swap = l.fg;
    l.fg = l.bg;
    l.bg = swap;
  }
  return l;
}

static bool same_look(const struct look *a, const struct look *b)
{
  return a->fg == b->fg && a->bg == b->bg && a->bold == b->bold && a->underline == b->underline &&
         a->italic == b->italic;
}

static void add_escaped(struct buf *out, const char *text)
{
  for (const char *p = text; *p; p++) {
    switch (*p) {
    case '<':
      buf_adds(out, "&lt;");
      break;
    case '>':
      buf_adds(out, "&gt;");
      break;
    case '&':
      buf_adds(out, "&amp;");
      break;
    default:
      buf_addc(out, *p);
      break;
    }
  }
}

/* Block elements drawn as rectangles: fonts leave gaps between them. True when the letter was one. */
static bool draw_block(struct buf *out, const char *text, int x, int y, int32_t ink)
{
  const unsigned char *p = (const unsigned char *)text;
  bool block = p[0] == 0xE2 && p[1] == 0x96 && p[2] >= 0x80 && p[2] <= 0x8F && p[3] == 0;
  double left = 0, top = 0, w = CELL_W, h = CELL_H;
  if (block) {
    int which = p[2] - 0x80; /* U+2580 + which */
    if (which == 0) {
      h = CELL_H / 2.0;
    } else if (which <= 8) { /* lower eighths */
      h = CELL_H * which / 8.0;
      top = CELL_H - h;
    } else { /* left eighths, seven to one */
      w = CELL_W * (16 - which) / 8.0;
    }
    buf_addf(out, "<rect x=\"%.3f\" y=\"%.3f\" width=\"%.3f\" height=\"%.3f\" fill=\"#%06x\"/>\n", x + left, y + top, w,
             h, (unsigned)ink);
  }
  return block;
}

static void draw_background(const struct vt *vt, struct buf *out, int row)
{
  int cols = vt_cols(vt);
  for (int col = 0, from = 0; col < cols; col++) {
    struct vt_cell cell, next;
    vt_cell_at(vt, row, col, &cell);
    struct look l = look_of(&cell), n = l;
    if (col + 1 < cols) {
      vt_cell_at(vt, row, col + 1, &next);
      n = look_of(&next);
    }
    if (col + 1 == cols || (n.bg != l.bg && next.width > 0)) {
      if (l.bg != PAPER) {
        buf_addf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n", PAD + from * CELL_W,
                 BAR + row * CELL_H, (col + 1 - from) * CELL_W, CELL_H, (unsigned)l.bg);
      }
      from = col + 1;
    }
  }
}

/* One <text> for letters of one look; each letter has its own x, so that the grid holds whatever the font. */
static void flush_text(struct buf *out, const struct look *l, struct buf *xs, struct buf *letters, int row)
{
  if (letters->len > 0) {
    buf_addf(out, "<text y=\"%d\" fill=\"#%06x\"%s%s%s x=\"%s\">%s</text>\n", BAR + row * CELL_H + BASE,
             (unsigned)l->fg, l->bold ? " font-weight=\"bold\"" : "", l->italic ? " font-style=\"italic\"" : "",
             l->underline ? " text-decoration=\"underline\"" : "", xs->data, letters->data);
  }
  buf_reset(xs);
  buf_reset(letters);
}

static void draw_text(const struct vt *vt, struct buf *out, int row)
{
  struct buf xs, letters;
  struct look last = {0};
  buf_init(&xs, 1 << 20);
  buf_init(&letters, 1 << 20);
  for (int col = 0; col < vt_cols(vt); col++) {
    struct vt_cell cell;
    vt_cell_at(vt, row, col, &cell);
    struct look l = look_of(&cell);
    bool blank = cell.text[0] == '\0' || (strcmp(cell.text, " ") == 0 && !l.underline);
    if (letters.len > 0 && (!same_look(&l, &last) || blank)) {
      flush_text(out, &last, &xs, &letters, row);
    }
    if (!blank && !draw_block(out, cell.text, PAD + col * CELL_W, BAR + row * CELL_H, l.fg)) {
      /* a letter and its combining marks share one place: the marks get none of their own */
      buf_addf(&xs, "%s%d", xs.len ? " " : "", PAD + col * CELL_W);
      add_escaped(&letters, cell.text);
      last = l;
    }
  }
  flush_text(out, &last, &xs, &letters, row);
  buf_fini(&xs);
  buf_fini(&letters);
}

static void draw(const struct vt *vt, struct buf *out)
{
  int width = vt_cols(vt) * CELL_W + 2 * PAD, height = vt_rows(vt) * CELL_H + BAR + PAD;
  buf_addf(out,
           "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
           "font-family=\"'DejaVu Sans Mono',Menlo,Consolas,monospace\" font-size=\"%d\" xml:space=\"preserve\">\n",
           width, height, width, height, FONT);
  buf_addf(out, "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#%06x\"/>\n", width, height, PAPER);
  buf_adds(
      out,
      "<circle cx=\"20\" cy=\"15\" r=\"5\" fill=\"#ff5f57\"/><circle cx=\"38\" cy=\"15\" r=\"5\" fill=\"#febc2e\"/>"
      "<circle cx=\"56\" cy=\"15\" r=\"5\" fill=\"#28c840\"/>\n");
  for (int row = 0; row < vt_rows(vt); row++) {
    draw_background(vt, out, row);
    draw_text(vt, out, row);
  }
  buf_adds(out, "</svg>\n");
}

static bool is_same(const char *path, const struct buf *wanted)
{
  struct buf is;
  char bytes[65536];
  FILE *f = fopen(path, "rb");
  buf_init(&is, 16 << 20);
  for (size_t n; f && (n = fread(bytes, 1, sizeof bytes, f)) > 0;) {
    buf_add(&is, bytes, n);
  }
  bool same = f && is.len == wanted->len && memcmp(is.data, wanted->data, is.len) == 0;
  if (f) {
    fclose(f);
  }
  buf_fini(&is);
  return same;
}

/* Where there is no rsvg-convert, there is no PNG; that is not an error. */
static void write_png(const char *svg, const char *png)
{
  char name[] = "rsvg-convert", option[] = "-o";
  char *from = xstrdup(svg), *to = xstrdup(png);
  char *const argv[] = {name, option, to, from, NULL};
  pid_t pid = 0;
  if (posix_spawnp(&pid, name, NULL, NULL, argv, environ) == 0) {
    waitpid(pid, NULL, 0);
  }
  free(from);
  free(to);
}

bool picture_write(const struct vt *vt, const char *path)
{
  char *svg = xasprintf("%s.svg", path), *png = xasprintf("%s.png", path);
  struct buf out;
  bool good = true;
  buf_init(&out, 16 << 20);
  draw(vt, &out);
  if (!is_same(svg, &out) || access(png, F_OK) != 0) {
    FILE *f = fopen(svg, "wb");
    good = f != NULL && fwrite(out.data, 1, out.len, f) == out.len;
    good = f != NULL && fclose(f) == 0 && good;
    if (good) {
      write_png(svg, png);
    }
  }
  buf_fini(&out);
  free(png);
  free(svg);
  return good;
}
