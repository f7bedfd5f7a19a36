#include "views/term.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>
#include "base/buf.h"
#include "base/xalloc.h"
#include "views/restore.h"

/* curses.h and term.h define hundreds of short names: they are included last, and only here */
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

#define READ_MAX     65536 /* bytes a turn: a huge paste must not keep the frame waiting */
#define COPY_MAX     65536
#define NOTIFY_CELLS 200
#define STYLE_ALL    256
#define OUR_COLOUR   (-1)

struct terminal {
  SCREEN *screen;
  int in, out;
  enum colour_depth depth;
  bool own_colours;  /* the terminal's own colours can be asked for */
  short pair_fg[64]; /* pair number to foreground */
  short pair_count;
  attr_t attrs[STYLE_ALL];
  short pairs[STYLE_ALL];
  struct canvas shown; /* what stands on the screen */
  bool repaint;
  bool hung_up;
  bool cursor_on;
  int width, height;
};

/* ncurses hands its strings to a function without argument; they are gathered here. */
static struct restore_plan *gathering;
static bool gathering_leave;

static int gather(int c)
{
  char *bytes = gathering_leave ? gathering->leave : gathering->enter;
  size_t *len = gathering_leave ? &gathering->leave_len : &gathering->enter_len;
  if (*len < RESTORE_BYTES_MAX) {
    bytes[(*len)++] = (char)c;
  }
  return c;
}

static void gather_text(const char *s)
{
  for (; *s != '\0'; s++) {
    gather((unsigned char)*s);
  }
}

static void gather_capability(const char *capability)
{
  if (capability != NULL && (intptr_t)capability != -1) {
    tputs(capability, 1, gather);
  }
}

/* Whether it tells of its focus: terminfo says so, or the name is of a family that does. Others could print the question. */
static bool has_focus_reports(void)
{
  static const char *const families[] = {"xterm", "tmux", "foot", "alacritty", "kitty", "wezterm", "rxvt-unicode"};
  const char *type = getenv("TERM"), *enable = tigetstr("fe");
  bool has = enable != NULL && (intptr_t)enable != -1;
  for (size_t i = 0; i < sizeof families / sizeof families[0] && !has && type != NULL; i++) {
    has = strncmp(type, families[i], strlen(families[i])) == 0;
  }
  return has;
}

/* The ways in and out of the screen, as bytes. Mouse reports are never switched on by us, but are switched off all the same: a program
 * before us may have left them on. */
static void make_plan(struct restore_plan *plan, int fd, const struct termios *outside)
{
  plan->fd = fd;
  plan->outside = *outside;
  if (tcgetattr(fd, &plan->inside) != 0) {
    plan->inside = *outside;
  }
  plan->enter_len = plan->leave_len = 0;
  gathering = plan;
  gathering_leave = true;
  gather_text("\033[?2004l\033[?1004l\033[?1006l\033[?1003l\033[?1002l\033[?1000l\033[0m");
  gather_capability(exit_attribute_mode);
  gather_capability(orig_pair);
  gather_capability(cursor_normal);
  gather_text("\033[?25h");
  if (exit_ca_mode != NULL) {
    gather_capability(exit_ca_mode);
  } else {
    gather_text("\r\n"); /* no second screen: at least do not write over the last line */
  }
  /* Once more: some terminals keep the cursor's visibility with each screen, and give it back with the first one. */
  gather_capability(cursor_normal);
  gather_text("\033[?25h");
  gathering_leave = false;
  gather_capability(enter_ca_mode);
  gather_capability(cursor_invisible);
  gather_text("\033[?2004h");
  if (has_focus_reports()) {
    gather_text("\033[?1004h");
  }
  gathering = NULL;
}

static void write_all(int fd, const char *bytes, size_t len)
{
  while (len > 0) {
    ssize_t n = write(fd, bytes, len);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      break; /* a terminal that has gone is noticed by the next read */
    }
    bytes += n;
    len -= (size_t)n;
  }
}

static short pair_for(struct terminal *t, short fg)
{
  short pair = 0;
  if (fg == OUR_COLOUR) {
    return 0;
  }
  for (short i = 1; i < t->pair_count && pair == 0; i++) {
    if (t->pair_fg[i] == fg) {
      pair = i;
    }
  }
  if (pair == 0 && t->pair_count < (short)(sizeof t->pair_fg / sizeof t->pair_fg[0]) && t->pair_count < COLOR_PAIRS) {
    if (init_pair(t->pair_count, fg, t->own_colours ? OUR_COLOUR : COLOR_BLACK) == OK) {
      pair = t->pair_count++;
      t->pair_fg[pair] = fg;
    }
  }
  return pair;
}

static void make_styles(struct terminal *t)
{
  for (unsigned style = 0; style < STYLE_ALL; style++) {
    struct look look = theme_look(style, t->depth);
    attr_t attrs = A_NORMAL;
    attrs |= look.bold ? A_BOLD : A_NORMAL;
    attrs |= look.dim ? A_DIM : A_NORMAL;
    attrs |= look.reverse ? A_REVERSE : A_NORMAL;
    attrs |= look.underline ? A_UNDERLINE : A_NORMAL;
    t->attrs[style] = attrs;
    t->pairs[style] = t->depth == COLOURS_NONE ? 0 : pair_for(t, look.fg);
  }
}

static void start_colours(struct terminal *t, bool colour)
{
  const char *no_color = getenv("NO_COLOR");
  t->depth = COLOURS_NONE;
  t->pair_count = 1;
  if (colour && (no_color == NULL || no_color[0] == '\0') && has_colors() && start_color() == OK) {
    t->own_colours = use_default_colors() == OK;
    t->depth = COLORS >= 256 ? COLOURS_256 : COLORS >= 16 ? COLOURS_16 : COLORS >= 8 ? COLOURS_8 : COLOURS_NONE;
  }
  make_styles(t);
}

static void read_size(struct terminal *t)
{
  struct winsize size;
  memset(&size, 0, sizeof size);
  if (ioctl(t->out, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    t->width = size.ws_col;
    t->height = size.ws_row;
  } else {
    t->width = COLS > 0 ? COLS : 80;
    t->height = LINES > 0 ? LINES : 24;
  }
  if (t->width != COLS || t->height != LINES) {
    resizeterm(t->height, t->width);
  }
}

static struct err check_type(void)
{
  const char *type = getenv("TERM");
  int status = 0;
  struct err e = err_ok();
  if (type == NULL || type[0] == '\0') {
    e = err_new(ERR_USAGE, "TERM is not set, so it is not known how to draw on this terminal");
    err_set_hint(&e, "set it (for example TERM=xterm-256color), or use a command: gluetop --help");
  } else if (setupterm(type, STDOUT_FILENO, &status) != OK) {
    e = err_new(ERR_USAGE, "the terminal type TERM=%s is not known on this machine", type);
    err_set_hint(&e, "use one that is (for example TERM=xterm-256color), or use a command: gluetop --help");
  } else if (cursor_address == NULL || clear_screen == NULL) {
    e = err_new(ERR_USAGE, "a terminal of type TERM=%s cannot place its cursor, which a screen needs", type);
    err_set_hint(&e, "use another terminal, or use a command: gluetop --help");
  }
  if (cur_term != NULL) {
    del_curterm(cur_term); /* newterm reads the description again, into a place of its own */
  }
  return e;
}

struct err term_open(bool colour, struct terminal **out)
{
  struct err e = err_ok();
  struct terminal *t = NULL;
  struct termios outside;
  struct restore_plan plan;
  *out = NULL;
  if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &outside) != 0) {
    e = err_new(ERR_USAGE, "the screen needs a terminal, and standard input or output is none");
    err_set_hint(&e, "for scripts there are commands: gluetop --help");
    return e;
  }
  e = check_type();
  if (err_is(&e)) {
    return e;
  }
  t = xcalloc(1, sizeof *t);
  t->in = STDIN_FILENO;
  t->out = STDOUT_FILENO;
  canvas_init(&t->shown);
  t->screen = newterm(NULL, stdout, stdin);
  if (t->screen == NULL) {
    free(t);
    return err_new(ERR_USAGE, "the terminal could not be opened");
  }
  cbreak();
  noecho();
  nonl();
  keypad(stdscr, FALSE);
  meta(stdscr, TRUE);
  scrollok(stdscr, FALSE);
  idlok(stdscr, FALSE);
  leaveok(stdscr, TRUE);
  curs_set(0);
  start_colours(t, colour);
  def_prog_mode();
  make_plan(&plan, t->in, &outside);
  restore_arm(&plan);
  write_all(t->out, "\033[?2004h", 8);
  if (has_focus_reports()) {
    write_all(t->out, "\033[?1004h", 8);
  }
  read_size(t);
  t->repaint = true;
  *out = t;
  return e;
}

void term_close(struct terminal *t)
{
  if (t == NULL) {
    return;
  }
  if (!t->hung_up) {
    endwin();      /* ncurses' own idea of the end, and its buffers flushed */
    restore_now(); /* ours, which leaves nothing behind */
  }
  restore_end();
  delscreen(t->screen);
  canvas_fini(&t->shown);
  free(t);
}

int term_fd(const struct terminal *t)
{
  return t->in;
}

enum colour_depth term_depth(const struct terminal *t)
{
  return t->depth;
}

void term_size(const struct terminal *t, int *width, int *height)
{
  *width = t->width;
  *height = t->height;
}

unsigned term_drain(struct terminal *t, struct input_decoder *decoder, int64_t mono_ms)
{
  unsigned happened = 0, events = restore_take_events();
  size_t total = 0;
  bool more = true;
  if (events & (RESTORE_RESIZED | RESTORE_RESUMED)) {
    read_size(t);
    /* several sizes may have passed since we looked, and each cut away what did not fit: what the terminal shows is not known */
    t->repaint = true;
    happened |= TERM_RESIZED;
  }
  if (events & RESTORE_RESUMED) {
    happened |= TERM_RESUMED;
  }
  while (more && total < READ_MAX && !t->hung_up) {
    struct pollfd p = {.fd = t->in, .events = POLLIN, .revents = 0};
    char bytes[4096];
    more = false;
    if (poll(&p, 1, 0) > 0) {
      if (p.revents & POLLIN) {
        ssize_t n = read(t->in, bytes, sizeof bytes);
        if (n > 0) {
          input_feed(decoder, bytes, (size_t)n, mono_ms);
          total += (size_t)n;
          more = true;
        } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
          t->hung_up = true;
        }
      } else if (p.revents & (POLLHUP | POLLERR | POLLNVAL)) {
        t->hung_up = true;
      }
    }
  }
  if (t->hung_up) {
    happened |= TERM_HUNG_UP;
  }
  return happened;
}

static void put_cell(const struct terminal *t, int y, int x, const struct cell *cell)
{
  unsigned style = (unsigned)cell->role | (unsigned)cell->marks << 5;
  wchar_t letters[CELL_LETTERS + 1];
  cchar_t c;
  for (int i = 0; i < CELL_LETTERS; i++) {
    letters[i] = (wchar_t)cell->letters[i];
  }
  letters[CELL_LETTERS] = L'\0';
  if (setcchar(&c, letters, t->attrs[style], t->pairs[style], NULL) == OK) {
    mvadd_wch(y, x,
              &c); /* ERR in the last cell of the screen, where the cursor cannot go on; the letter stands there */
  }
}

void term_show(struct terminal *t, const struct canvas *canvas)
{
  bool all = t->repaint || t->shown.width != canvas->width || t->shown.height != canvas->height;
  bool changed = all, cursor = canvas->cursor_y >= 0;
  if (all) {
    canvas_resize(&t->shown, canvas->width, canvas->height);
    erase();
  }
  for (int y = 0; y < canvas->height; y++) {
    const struct cell *want = &canvas->cells[(size_t)y * (size_t)canvas->width];
    struct cell *have = &t->shown.cells[(size_t)y * (size_t)canvas->width];
    for (int x = 0; x < canvas->width; x++) {
      if (all || !canvas_cell_equal(&want[x], &have[x])) {
        have[x] = want[x];
        if (want[x].width > 0) {
          put_cell(t, y, x, &want[x]);
          /* the second half of a wide letter that was there may have been blanked by ncurses: write what follows as well */
          if (want[x].width == 1 && x + 1 < canvas->width && want[x + 1].width > 0 && !all) {
            put_cell(t, y, x + 1, &want[x + 1]);
          }
        }
        changed = true;
      }
    }
  }
  if (cursor != t->cursor_on || canvas->cursor_y != t->shown.cursor_y || canvas->cursor_x != t->shown.cursor_x) {
    changed = true;
  }
  if (!changed) {
    return;
  }
  if (cursor != t->cursor_on) {
    curs_set(cursor ? 1 : 0);
    leaveok(stdscr, !cursor);
    t->cursor_on = cursor;
  }
  t->shown.cursor_y = canvas->cursor_y;
  t->shown.cursor_x = canvas->cursor_x;
  if (cursor) {
    move(canvas->cursor_y, canvas->cursor_x);
  }
  if (t->repaint) {
    clearok(curscr, TRUE);
    t->repaint = false;
  }
  wnoutrefresh(stdscr);
  doupdate();
}

void term_repaint(struct terminal *t)
{
  t->repaint = true;
}

bool term_copy(struct terminal *t, const char *text)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  size_t len = strlen(text);
  bool screen = getenv("STY") != NULL; /* GNU screen passes on only what is wrapped for it */
  struct buf out;
  if (len > COPY_MAX) {
    return false;
  }
  buf_init(&out, (size_t)2 * COPY_MAX);
  buf_adds(&out, screen ? "\033P\033]52;c;" : "\033]52;c;");
  for (size_t i = 0; i < len; i += 3) {
    unsigned a = (unsigned char)text[i], b = i + 1 < len ? (unsigned char)text[i + 1] : 0,
             c = i + 2 < len ? (unsigned char)text[i + 2] : 0;
    unsigned bits = a << 16 | b << 8 | c;
    buf_addc(&out, digits[bits >> 18 & 63]);
    buf_addc(&out, digits[bits >> 12 & 63]);
    buf_addc(&out, i + 1 < len ? digits[bits >> 6 & 63] : '=');
    buf_addc(&out, i + 2 < len ? digits[bits & 63] : '=');
  }
  buf_adds(&out, screen ? "\007\033\\" : "\007");
  write_all(t->out, out.data, out.len);
  buf_fini(&out);
  return true;
}

/* A control string for the person's own terminal: tmux (with allow-passthrough on) and GNU screen pass on only what is wrapped for them. */
static void add_passed_on(struct buf *out, const char *sequence)
{
  const char *tmux = getenv("TMUX"), *screen = getenv("STY");
  if (tmux != NULL && tmux[0] != '\0') {
    buf_adds(out, "\033Ptmux;");
    for (const char *c = sequence; *c != '\0'; c++) {
      buf_adds(out, *c == '\033' ? "\033\033" : "");
      if (*c != '\033') {
        buf_addc(out, *c);
      }
    }
    buf_adds(out, "\033\\");
  } else if (screen != NULL && screen[0] != '\0') {
    buf_addf(out, "\033P%s\033\\", sequence);
  } else {
    buf_adds(out, sequence);
  }
}

void term_notify(struct terminal *t, bool ring, int osc, const char *text)
{
  char *clean = text_clean_dup(text, TEXT_LINE);
  int used = 0;
  int len = (int)text_fit(clean, NOTIFY_CELLS, &used);
  struct buf out, sequence;
  buf_init(&out, 8192);
  buf_init(&sequence, 4096);
  if (osc == 9) {
    /* words first: some terminals take a number there for another command */
    buf_addf(&sequence, "\033]9;gluetop: %.*s\007", len, clean);
  } else if (osc == 777) {
    buf_addf(&sequence, "\033]777;notify;gluetop;%.*s\007", len, clean);
  }
  if (sequence.len > 0 && !sequence.overflow) {
    add_passed_on(&out, sequence.data);
  }
  if (ring) {
    buf_addc(&out, '\007');
  }
  if (out.len > 0 && !out.overflow) {
    write_all(t->out, out.data, out.len);
  }
  buf_fini(&sequence);
  buf_fini(&out);
  free(clean);
}

void term_set_wake(void (*wake)(void *), void *arg)
{
  restore_set_wake(wake, arg);
}
