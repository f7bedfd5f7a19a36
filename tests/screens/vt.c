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

#include "base/xalloc.h"
#include "screens/vt_job.h"
#include "screens/vt_private.h"

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
  } else if (prop == VTERM_PROP_MOUSE) {
    vt->mouse = value->number != 0;
  }
  return 1;
}

static void on_output(const char *bytes, size_t len, void *user)
{
  struct vt *vt = user;
  vt_send(vt, bytes, len); /* answers to queries of the program */
}

static const VTermScreenCallbacks screen_callbacks = {.settermprop = on_prop};

static char **with_test_clock(const struct vt_options *o, int fd)
{
  size_t n = 0;
  while (o->argv[n]) {
    n++;
  }
  char **out = xcalloc(n + 3, sizeof *out);
  for (size_t i = 0; i < n; i++) {
    out[i] = xstrdup(o->argv[i]);
  }
  if (o->test_fd) {
    out[n++] = xasprintf("--test-fd=%d", fd);
    if (o->test_now) {
      out[n++] = xasprintf("--test-now=%s", o->test_now);
    }
  }
  return out;
}

static void words_free(char **words)
{
  for (size_t i = 0; words && words[i]; i++) {
    free(words[i]);
  }
  free(words);
}

static void close_fd(int *fd)
{
  if (*fd >= 0) {
    close(*fd);
  }
  *fd = -1;
}

/* A palette that is easy on the eye in pictures; tests see only the colours' numbers. */
static void set_palette(VTerm *term)
{
  static const uint32_t rgb[16] = {0x1b212b, 0xf2616b, 0x7fc469, 0xe0b054, 0x5fa8e8, 0xc585e0, 0x56b8c2, 0xc4cad4,
                                   0x6f7a8a, 0xff7b85, 0x98d982, 0xf2c46d, 0x7dbcf5, 0xd69cf0, 0x70ccd6, 0xf0f3f7};
  for (int i = 0; i < 16; i++) {
    VTermColor c;
    vterm_color_rgb(&c, (uint8_t)(rgb[i] >> 16), (uint8_t)(rgb[i] >> 8), (uint8_t)rgb[i]);
    vterm_state_set_palette_color(vterm_obtain_state(term), i, &c);
  }
}

static void start_terminal(struct vt *vt, int rows, int cols)
{
  vt->term = vterm_new(rows, cols);
  vterm_set_utf8(vt->term, 1);
  vterm_output_set_callback(vt->term, on_output, vt);
  vt->screen = vterm_obtain_screen(vt->term);
  vterm_screen_set_callbacks(vt->screen, &screen_callbacks, vt);
  vterm_screen_enable_altscreen(vt->screen, 1);
  vterm_screen_reset(vt->screen, 1);
  set_palette(vt->term);
}

struct vt *vt_start(const struct vt_options *o)
{
  struct winsize size = {.ws_row = (unsigned short)o->rows, .ws_col = (unsigned short)o->cols};
  struct vt *vt = xcalloc(1, sizeof *vt);
  int clock_pair[2] = {-1, -1}, job_pair[2] = {-1, -1};
  vt->master = vt->slave = vt->test_fd = vt->job = -1;
  vt->cursor_visible = true;
  buf_init(&vt->since_mark, 64 << 20);
  bool good = openpty(&vt->master, &vt->slave, NULL, NULL, &size) == 0 &&
              socketpair(AF_UNIX, SOCK_STREAM, 0, clock_pair) == 0 &&
              socketpair(AF_UNIX, SOCK_STREAM, 0, job_pair) == 0;
  if (good) {
    char **argv = with_test_clock(o, clock_pair[1]);
    fcntl(vt->master, F_SETFD, FD_CLOEXEC);
    fcntl(vt->slave, F_SETFD, FD_CLOEXEC);
    fcntl(clock_pair[0], F_SETFD, FD_CLOEXEC);
    fcntl(job_pair[0], F_SETFD, FD_CLOEXEC);
    vt->shell = fork();
    if (vt->shell == 0) {
      close(vt->master);
      close(clock_pair[0]);
      close(job_pair[0]);
      if (o->folder && chdir(o->folder) != 0) {
        _exit(126);
      }
      vt_job_shell(vt->slave, job_pair[1], job_pair[1], argv, o->envp);
    }
    good = vt->shell > 0;
    words_free(argv);
  }
  close_fd(&clock_pair[1]);
  close_fd(&job_pair[1]);
  vt->test_fd = clock_pair[0];
  vt->job = job_pair[0];
  if (good) {
    fcntl(vt->master, F_SETFL, O_NONBLOCK);
    start_terminal(vt, o->rows, o->cols);
    if (!o->test_fd) {
      close_fd(&vt->test_fd);
    }
  } else {
    close_fd(&vt->master);
    close_fd(&vt->slave);
    close_fd(&vt->test_fd);
    close_fd(&vt->job);
    free(vt);
    vt = NULL;
  }
  return vt;
}

void vt_free(struct vt *vt)
{
  if (vt) {
    close_fd(&vt->job); /* the little shell kills its job */
    waitpid(vt->shell, NULL, 0);
    close_fd(&vt->master);
    close_fd(&vt->slave);
    close_fd(&vt->test_fd);
    vterm_free(vt->term);
    buf_fini(&vt->since_mark);
    free(vt);
  }
}

static void take_news(struct vt *vt)
{
  struct vt_job_news n;
  ssize_t len = recv(vt->job, &n, sizeof n, MSG_DONTWAIT);
  if (len == (ssize_t)sizeof n) {
    vt->pid = n.word == VT_JOB_STARTED ? n.value : vt->pid;
    vt->stopped = n.word == VT_JOB_STOPPED;
    if (n.word == VT_JOB_ENDED) {
      vt->ended = true;
      vt->status = n.value;
      vt->cpu_ms = n.cpu_ms;
    }
  } else if (len == 0) {
    close_fd(&vt->job);
    vt->ended = true;
  }
}

/* "ready GENERATION LINES"; other words are ignored. */
static void take_said(struct vt *vt)
{
  char bytes[256];
  ssize_t n = recv(vt->test_fd, bytes, sizeof bytes, MSG_DONTWAIT);
  for (ssize_t i = 0; i < n; i++) {
    if (bytes[i] == '\n') {
      vt->said[vt->said_len] = '\0';
      unsigned long long generation = 0, heard = 0;
      if (sscanf(vt->said, "ready %llu %llu", &generation, &heard) == 2) {
        vt->heard = heard;
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

/* Bracketed paste is the one mode that libvterm keeps to itself: its switches are looked for here, across reads. */
static void watch_paste(struct vt *vt, const char *bytes, size_t len)
{
  static const char on[] = "\x1b[?2004h", off[] = "\x1b[?2004l";
  enum { WORD = sizeof on - 1 };
  for (size_t i = 0; i < len; i++) {
    if (vt->tail_len == WORD) {
      memmove(vt->tail, vt->tail + 1, WORD - 1);
      vt->tail_len--;
    }
    vt->tail[vt->tail_len++] = bytes[i];
    if (vt->tail_len == WORD && memcmp(vt->tail, on, WORD) == 0) {
      vt->paste = true;
    } else if (vt->tail_len == WORD && memcmp(vt->tail, off, WORD) == 0) {
      vt->paste = false;
    }
  }
}

static bool take_output(struct vt *vt)
{
  char bytes[65536];
  ssize_t n = read(vt->master, bytes, sizeof bytes);
  if (n > 0) {
    vterm_input_write(vt->term, bytes, (size_t)n);
    vterm_screen_flush_damage(vt->screen);
    watch_paste(vt, bytes, (size_t)n);
    buf_add(&vt->since_mark, bytes, (size_t)n);
    vt->bytes += (uint64_t)n;
  }
  return n > 0;
}

/* One wait and one round of reading. False when nothing came within the limit. */
static bool pump(struct vt *vt, int limit_ms)
{
  struct pollfd fds[3] = {
      {.fd = vt->master, .events = POLLIN}, {.fd = vt->test_fd, .events = POLLIN}, {.fd = vt->job, .events = POLLIN}};
  bool came = false;
  if (poll(fds, 3, limit_ms) > 0) {
    if (fds[0].revents) {
      came = take_output(vt);
    }
    if (vt->test_fd >= 0 && fds[1].revents) {
      take_said(vt);
      came = true;
    }
    if (vt->job >= 0 && fds[2].revents) {
      take_news(vt);
      came = true;
    }
  }
  return came;
}

bool vt_settle(struct vt *vt, int limit_ms)
{
  int64_t end = now_ms() + limit_ms;
  vt_advance(vt, 0);
  while (vt->heard < vt->asked && !vt->ended && now_ms() < end) {
    pump(vt, (int)(end - now_ms()));
  }
  /* The frame was written before "ready" was: what is left of it is in the terminal already. */
  while (pump(vt, 0)) {
  }
  return vt->heard == vt->asked;
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

static void say_time(struct vt *vt, char how, int64_t ms)
{
  char line[40];
  int n = snprintf(line, sizeof line, "%c%lld\n", how, (long long)ms);
  if (vt->test_fd >= 0) {
    send(vt->test_fd, line, (size_t)n, MSG_NOSIGNAL);
    vt->asked++;
  }
}

void vt_advance(struct vt *vt, int64_t ms)
{
  say_time(vt, '+', ms);
}

void vt_suspend(struct vt *vt, int64_t ms)
{
  say_time(vt, '~', ms);
}

void vt_resize(struct vt *vt, int rows, int cols)
{
  struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
  vterm_set_size(vt->term, rows, cols);
  ioctl(vt->master, TIOCSWINSZ, &size);
}

static bool is_started(struct vt *vt, void *user)
{
  (void)user;
  return vt->pid > 0;
}

static bool is_stopped(struct vt *vt, void *user)
{
  (void)user;
  return vt->stopped;
}

void vt_signal(struct vt *vt, int signal_number)
{
  if (vt_until(vt, is_started, NULL, 5000) && !vt->ended) {
    kill(vt->pid, signal_number);
  }
}

bool vt_wait_stopped(struct vt *vt, int limit_ms)
{
  bool good = vt_until(vt, is_stopped, NULL, limit_ms);
  while (pump(vt, 0)) {
  }
  return good;
}

void vt_foreground(struct vt *vt)
{
  if (vt->job >= 0) {
    vt->stopped = false;
    send(vt->job, "f", 1, MSG_NOSIGNAL);
  }
}

int vt_wait(struct vt *vt, int limit_ms)
{
  int64_t end = now_ms() + limit_ms;
  while (!vt->ended && now_ms() < end) {
    pump(vt, (int)(end - now_ms()));
  }
  /* what it wrote last may still be on its way through the line discipline */
  while (pump(vt, 100)) {
  }
  return vt->ended ? vt->status : -1;
}

pid_t vt_pid(const struct vt *vt)
{
  return vt->pid;
}

pid_t vt_shell_pid(const struct vt *vt)
{
  return vt ? vt->shell : 0;
}

int64_t vt_cpu_ms(const struct vt *vt)
{
  int64_t ms = vt->cpu_ms;
  if (!vt->ended) {
    char *path = xasprintf("/proc/%d/stat", (int)vt->pid);
    char text[1024] = "";
    FILE *f = fopen(path, "r");
    if (f) {
      size_t n = fread(text, 1, sizeof text - 1, f);
      text[n] = '\0';
      fclose(f);
    }
    unsigned long user = 0, kernel = 0;
    const char *after = strrchr(text, ')');
    if (after && sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &kernel) == 2) {
      ms = (int64_t)(user + kernel) * 1000 / sysconf(_SC_CLK_TCK);
    }
    free(path);
  }
  return ms;
}

void vt_hang_up(struct vt *vt)
{
  close(vt->slave);
  close(vt->master);
  vt->slave = vt->master = -1;
}
