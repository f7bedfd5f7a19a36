#include "screens/vt.h"

#include <string.h>
#include <termios.h>

#include "base/buf.h"
#include "screens/vt_private.h"

int vt_rows(const struct vt *vt)
{
  int rows = 0, cols = 0;
  vterm_get_size(vt->term, &rows, &cols);
  return rows;
}

int vt_cols(const struct vt *vt)
{
  int rows = 0, cols = 0;
  vterm_get_size(vt->term, &rows, &cols);
  return cols;
}

static size_t put_utf8(uint32_t c, char *out)
{
  size_t n = 0;
  if (c < 0x80) {
    out[n++] = (char)c;
  } else if (c < 0x800) {
    out[n++] = (char)(0xC0 | (c >> 6));
    out[n++] = (char)(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out[n++] = (char)(0xE0 | (c >> 12));
    out[n++] = (char)(0x80 | ((c >> 6) & 0x3F));
    out[n++] = (char)(0x80 | (c & 0x3F));
  } else {
    out[n++] = (char)(0xF0 | (c >> 18));
    out[n++] = (char)(0x80 | ((c >> 12) & 0x3F));
    out[n++] = (char)(0x80 | ((c >> 6) & 0x3F));
    out[n++] = (char)(0x80 | (c & 0x3F));
  }
  return n;
}

static void cell_at(const struct vt *vt, int row, int col, VTermScreenCell *cell)
{
  memset(cell, 0, sizeof *cell);
  vterm_screen_get_cell(vt->screen, (VTermPos){.row = row, .col = col}, cell);
}

const char *vt_line(const struct vt *vt, int row)
{
  char *line = ((struct vt *)(uintptr_t)vt)->line;
  size_t len = 0, solid = 0;
  int cols = vt_cols(vt);
  for (int col = 0; col < cols && len + 40 < sizeof vt->line;) {
    VTermScreenCell cell;
    cell_at(vt, row, col, &cell);
    if (cell.chars[0] == 0) {
      line[len++] = ' ';
    }
    for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i] != 0 && cell.chars[i] != UINT32_MAX; i++) {
      len += put_utf8(cell.chars[i], line + len);
      solid = cell.chars[i] == ' ' ? solid : len;
    }
    col += cell.width > 0 ? cell.width : 1;
  }
  line[solid] = '\0';
  return line;
}

static void name_colour(struct buf *b, const char *what, const VTermColor *c)
{
  if (VTERM_COLOR_IS_INDEXED(c)) {
    buf_addf(b, " %s=%d", what, c->indexed.idx);
  } else if (VTERM_COLOR_IS_RGB(c)) {
    buf_addf(b, " %s=#%02x%02x%02x", what, c->rgb.red, c->rgb.green, c->rgb.blue);
  }
}

/* The look of a cell in words; "" for a plain one. */
static void name_look(const VTermScreenCell *cell, struct buf *b)
{
  buf_adds(b, cell->attrs.bold ? " bold" : "");
  buf_adds(b, cell->attrs.underline ? " underline" : "");
  buf_adds(b, cell->attrs.italic ? " italic" : "");
  buf_adds(b, cell->attrs.reverse ? " reverse" : "");
  if (!VTERM_COLOR_IS_DEFAULT_FG(&cell->fg)) {
    name_colour(b, "fg", &cell->fg);
  }
  if (!VTERM_COLOR_IS_DEFAULT_BG(&cell->bg)) {
    name_colour(b, "bg", &cell->bg);
  }
}

char *vt_dump(const struct vt *vt, bool attributes)
{
  struct buf out, look, last;
  buf_init(&out, 4 << 20);
  buf_init(&look, 256);
  buf_init(&last, 256);
  for (int row = 0; row < vt_rows(vt); row++) {
    buf_addf(&out, "%s\n", vt_line(vt, row));
    int from = 0;
    buf_reset(&last);
    for (int col = 0; attributes && col <= vt_cols(vt); col++) {
      buf_reset(&look);
      if (col < vt_cols(vt)) {
        VTermScreenCell cell;
        cell_at(vt, row, col, &cell);
        name_look(&cell, &look);
      }
      if (strcmp(look.data, last.data) != 0 || col == vt_cols(vt)) {
        if (last.len > 0) {
          buf_addf(&out, "    | %d-%d%s\n", from, col - 1, last.data);
        }
        from = col;
        buf_reset(&last);
        buf_add(&last, look.data, look.len);
      }
    }
  }
  buf_fini(&look);
  buf_fini(&last);
  return buf_take(&out);
}

bool vt_contains(const struct vt *vt, const char *text)
{
  bool found = false;
  for (int row = 0; row < vt_rows(vt) && !found; row++) {
    found = strstr(vt_line(vt, row), text) != NULL;
  }
  return found;
}

uint64_t vt_bytes(const struct vt *vt)
{
  return vt->bytes;
}

const char *vt_unrestored(const struct vt *vt)
{
  static const struct {
    VTermAttr attr;
    const char *what;
  } pen[] = {{VTERM_ATTR_BOLD, "bold is on"},
             {VTERM_ATTR_UNDERLINE, "underline is on"},
             {VTERM_ATTR_REVERSE, "reverse is on"},
             {VTERM_ATTR_FOREGROUND, "a colour is on"},
             {VTERM_ATTR_BACKGROUND, "a background is on"}};
  struct termios t = {.c_lflag = 0};
  const char *what = NULL;
  if (vt->alternate) {
    what = "the alternate screen is shown";
  } else if (!vt->cursor_visible) {
    what = "the cursor is hidden";
  } else if (vt->mouse) {
    what = "the mouse mode is on";
  } else if (vt->paste) {
    what = "the paste mode is on";
  } else if (tcgetattr(vt->slave, &t) != 0 || !(t.c_lflag & ICANON)) {
    what = "the line discipline is not icanon";
  } else if (!(t.c_lflag & ECHO)) {
    what = "the line discipline does not echo";
  } else if (!(t.c_lflag & ISIG)) {
    what = "the line discipline makes no signals";
  } else if (!(t.c_oflag & OPOST) || !(t.c_iflag & ICRNL)) {
    what = "the line discipline does not translate newlines";
  }
  for (size_t i = 0; i < sizeof pen / sizeof pen[0] && !what; i++) {
    VTermValue value = {.number = 0};
    if (!vterm_state_get_penattr(vterm_obtain_state(vt->term), pen[i].attr, &value)) {
      continue;
    }
    bool on = false;
    if (pen[i].attr == VTERM_ATTR_FOREGROUND) {
      on = !VTERM_COLOR_IS_DEFAULT_FG(&value.color);
    } else if (pen[i].attr == VTERM_ATTR_BACKGROUND) {
      on = !VTERM_COLOR_IS_DEFAULT_BG(&value.color);
    } else {
      on = pen[i].attr == VTERM_ATTR_UNDERLINE ? value.number != 0 : value.boolean != 0;
    }
    what = on ? pen[i].what : NULL;
  }
  return what;
}

void vt_mark(struct vt *vt)
{
  buf_reset(&vt->since_mark);
}

const char *vt_since_mark(const struct vt *vt, size_t *len)
{
  *len = vt->since_mark.len;
  return vt->since_mark.data;
}

static int32_t colour_of(const struct vt *vt, VTermColor c, bool background)
{
  int32_t rgb = -1;
  if (background ? !VTERM_COLOR_IS_DEFAULT_BG(&c) : !VTERM_COLOR_IS_DEFAULT_FG(&c)) {
    vterm_screen_convert_color_to_rgb(vt->screen, &c);
    rgb = c.rgb.red << 16 | c.rgb.green << 8 | c.rgb.blue;
  }
  return rgb;
}

void vt_cell_at(const struct vt *vt, int row, int col, struct vt_cell *out)
{
  VTermScreenCell cell;
  size_t len = 0;
  cell_at(vt, row, col, &cell);
  *out = (struct vt_cell){.width = cell.width > 0 ? cell.width : 1,
                          .bold = cell.attrs.bold,
                          .underline = cell.attrs.underline != 0,
                          .italic = cell.attrs.italic,
                          .reverse = cell.attrs.reverse,
                          .fg = colour_of(vt, cell.fg, false),
                          .bg = colour_of(vt, cell.bg, true)};
  if (cell.chars[0] == UINT32_MAX) {
    out->width = 0;
  }
  for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i] != 0 && cell.chars[i] != UINT32_MAX; i++) {
    len += put_utf8(cell.chars[i], out->text + len);
  }
}
