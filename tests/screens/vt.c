#include "screens/vt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <vterm.h>

#include "base/buf.h"
#include "base/xalloc.h"

struct vt {
  VTerm *term;
  VTermScreen *screen;
  int master, slave; /* the slave is kept open so that the line discipline can be looked at after the child's end */
  int test_fd;
  pid_t pid;
  int status;
  bool ended;
  bool alternate, cursor_visible;
  uint64_t bytes;
  uint64_t asked, readies; /* advances sent, "ready" lines seen since */
  struct buf since_mark;
  char line[8192];
  char said[256];
  size_t said_len;
};

static int64_t now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int on_prop(VTermProp prop, VTermValue *value, void *user)
{
  struct vt *vt = user;
  if (prop == VTERM_PROP_ALTSCREEN) {
    vt->alternate = value->boolean;
  } else if (prop == VTERM_PROP_CURSORVISIBLE) {
    vt->cursor_visible = value->boolean;
  }
  return 1;
}

static void on_output(const char *bytes, size_t len, void *user)
{
  struct vt *vt = user;
  vt_send(vt, bytes, len); /* answers to queries of the program */
}

static const VTermScreenCallbacks screen_callbacks = {.settermprop = on_prop};

static char **with_test_fd(char *const *argv, int fd, char *text, size_t size)
{
  size_t n = 0;
  while (argv[n]) {
    n++;
  }
  char **out = xcalloc(n + 3, sizeof *out);
  memcpy(out, argv, n * sizeof *out);
  if (fd >= 0) {
    snprintf(text, size, "--test-fd=%d", fd);
    out[n] = text;
  }
  return out;
}

struct vt *vt_start(const struct vt_options *o)
{
  struct winsize size = {.ws_row = (unsigned short)o->rows, .ws_col = (unsigned short)o->cols};
  struct vt *vt = xcalloc(1, sizeof *vt);
  int pair[2] = {-1, -1};
  char text[32];
  vt->master = vt->slave = vt->test_fd = -1;
  vt->cursor_visible = true;
  buf_init(&vt->since_mark, 64 << 20);
  bool good = openpty(&vt->master, &vt->slave, NULL, NULL, &size) == 0;
  if (good && o->test_fd) {
    good = socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0;
  }
  if (good) {
    char **argv = with_test_fd(o->argv, pair[1], text, sizeof text);
    fcntl(vt->master, F_SETFD, FD_CLOEXEC);
    fcntl(vt->slave, F_SETFD, FD_CLOEXEC);
    if (pair[0] >= 0) {
      fcntl(pair[0], F_SETFD, FD_CLOEXEC);
    }
    vt->pid = fork();
    if (vt->pid == 0) {
      setsid();
      ioctl(vt->slave, TIOCSCTTY, 0);
      dup2(vt->slave, 0);
      dup2(vt->slave, 1);
      dup2(vt->slave, 2);
      execve(argv[0], argv, o->envp);
      _exit(127);
    }
    good = vt->pid > 0;
    free(argv);
  }
  if (good) {
    if (pair[1] >= 0) {
      close(pair[1]);
    }
    vt->test_fd = pair[0];
    fcntl(vt->master, F_SETFL, O_NONBLOCK);
    vt->term = vterm_new(o->rows, o->cols);
    vterm_set_utf8(vt->term, 1);
    vterm_output_set_callback(vt->term, on_output, vt);
    vt->screen = vterm_obtain_screen(vt->term);
    vterm_screen_set_callbacks(vt->screen, &screen_callbacks, vt);
    vterm_screen_enable_altscreen(vt->screen, 1);
    vterm_screen_reset(vt->screen, 1);
  } else {
    free(vt);
    vt = NULL;
  }
  return vt;
}

void vt_free(struct vt *vt)
{
  if (vt) {
    if (!vt->ended) {
      kill(vt->pid, SIGKILL);
      waitpid(vt->pid, NULL, 0);
    }
    if (vt->master >= 0) {
      close(vt->master);
    }
    if (vt->slave >= 0) {
      close(vt->slave);
    }
    if (vt->test_fd >= 0) {
      close(vt->test_fd);
    }
    vterm_free(vt->term);
    buf_fini(&vt->since_mark);
    free(vt);
  }
}

static void reap(struct vt *vt)
{
  int status = 0;
  if (!vt->ended && waitpid(vt->pid, &status, WNOHANG) == vt->pid) {
    vt->ended = true;
    vt->status = status;
  }
}

/* "ready N" lines; other words are ignored. */
static void take_said(struct vt *vt)
{
  char bytes[256];
  ssize_t n = recv(vt->test_fd, bytes, sizeof bytes, MSG_DONTWAIT);
  for (ssize_t i = 0; i < n; i++) {
    if (bytes[i] == '\n') {
      vt->said[vt->said_len] = '\0';
      if (strncmp(vt->said, "ready", 5) == 0) {
        vt->readies++;
      }
      vt->said_len = 0;
    } else if (vt->said_len + 1 < sizeof vt->said) {
      vt->said[vt->said_len++] = bytes[i];
    }
  }
  if (n == 0) {
    close(vt->test_fd);
    vt->test_fd = -1;
  }
}

/* One wait and one read. False when nothing came within the limit. */
static bool pump(struct vt *vt, int limit_ms)
{
  struct pollfd fds[2] = {{.fd = vt->master, .events = POLLIN}, {.fd = vt->test_fd, .events = POLLIN}};
  bool came = false;
  if (poll(fds, 2, limit_ms) > 0) {
    if (fds[0].revents & (POLLIN | POLLHUP | POLLERR)) {
      char bytes[65536];
      ssize_t n = read(vt->master, bytes, sizeof bytes);
      if (n > 0) {
        vterm_input_write(vt->term, bytes, (size_t)n);
        vterm_screen_flush_damage(vt->screen);
        buf_add(&vt->since_mark, bytes, (size_t)n);
        vt->bytes += (uint64_t)n;
        came = true;
      }
    }
    if (vt->test_fd >= 0 && (fds[1].revents & (POLLIN | POLLHUP))) {
      take_said(vt);
      came = true;
    }
  }
  reap(vt);
  return came;
}

bool vt_settle(struct vt *vt, int limit_ms)
{
  int64_t end = now_ms() + limit_ms;
  uint64_t before = vt->readies;
  vt_advance(vt, 0);
  while (vt->readies == before && !vt->ended && now_ms() < end) {
    pump(vt, (int)(end - now_ms()));
  }
  /* The frame was written before "ready" was: what is left of it is in the terminal already. */
  while (pump(vt, 0)) {
  }
  return vt->readies > before;
}

bool vt_until(struct vt *vt, bool (*test)(struct vt *vt, void *user), void *user, int limit_ms)
{
  int64_t end = now_ms() + limit_ms;
  bool good = test(vt, user);
  while (!good && now_ms() < end && !(vt->ended && !pump(vt, 0))) {
    pump(vt, (int)(end - now_ms() > 100 ? 100 : end - now_ms()));
    good = test(vt, user);
  }
  return good;
}

void vt_send(struct vt *vt, const char *bytes, size_t len)
{
  int64_t end = now_ms() + 5000;
  while (len > 0 && now_ms() < end) {
    ssize_t n = write(vt->master, bytes, len);
    if (n > 0) {
      bytes += n;
      len -= (size_t)n;
    } else if (errno == EAGAIN) {
      pump(vt, 50);
    } else {
      len = 0;
    }
  }
}

void vt_advance(struct vt *vt, int64_t ms)
{
  char line[40];
  int n = snprintf(line, sizeof line, "+%lld\n", (long long)ms);
  if (vt->test_fd >= 0) {
    send(vt->test_fd, line, (size_t)n, MSG_NOSIGNAL);
    vt->asked++;
  }
}

void vt_resize(struct vt *vt, int rows, int cols)
{
  struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
  vterm_set_size(vt->term, rows, cols);
  ioctl(vt->master, TIOCSWINSZ, &size);
}

void vt_signal(struct vt *vt, int signal_number)
{
  kill(vt->pid, signal_number);
}

int vt_wait(struct vt *vt, int limit_ms)
{
  int64_t end = now_ms() + limit_ms;
  while (!vt->ended && now_ms() < end) {
    pump(vt, 20);
  }
  while (pump(vt, 0)) {
  }
  return vt->ended ? vt->status : -1;
}

pid_t vt_pid(const struct vt *vt)
{
  return vt->pid;
}

void vt_hang_up(struct vt *vt)
{
  close(vt->slave);
  close(vt->master);
  vt->slave = vt->master = -1;
}

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

bool vt_alternate(const struct vt *vt)
{
  return vt->alternate;
}

bool vt_cursor_visible(const struct vt *vt)
{
  return vt->cursor_visible;
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

bool vt_cooked(const struct vt *vt)
{
  struct termios t;
  return tcgetattr(vt->slave, &t) == 0 && (t.c_lflag & ICANON) && (t.c_lflag & ECHO) && (t.c_lflag & ISIG);
}
