/* A program in a pseudo-terminal, its screen kept by libvterm. For tests that drive the whole of gluetop.
 *
 * The child runs as a job of a little shell (a process of ours that leads the session), so that Ctrl-Z, fg and a
 * hang-up are what they are for people. */
#ifndef GLUETOP_TESTS_VT_H
#define GLUETOP_TESTS_VT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct vt;

struct vt_options {
  int rows, cols;
  char *const *argv;
  char *const *envp;    /* the whole environment of the child */
  const char *folder;   /* where the child stands; NULL: here */
  bool test_fd;         /* give the child --test-fd=N (appended to argv) */
  const char *test_now; /* ISO 8601: and --test-now=… with it; NULL: none */
};
struct vt *vt_start(const struct vt_options *options); /* NULL: errno says why */
void vt_free(struct vt *vt);                           /* kills the child if it lives */

/* Read what the child has written, until it says "ready" after our last `vt_advance` and the terminal is drained, or the
 * limit passes. Returns false when the limit passed or the child ended. */
bool vt_settle(struct vt *vt, int limit_ms);
/* Read until test(user) is true, or the limit passes, or the child ends. */
bool vt_until(struct vt *vt, bool (*test)(struct vt *vt, void *user), void *user, int limit_ms);
void vt_send(struct vt *vt, const char *bytes, size_t len);
void vt_advance(struct vt *vt, int64_t ms); /* +MS on the test descriptor */
void vt_suspend(struct vt *vt, int64_t ms); /* ~MS: the wall clock alone, as after a suspend */
void vt_resize(struct vt *vt, int rows, int cols);
void vt_signal(struct vt *vt, int signal_number);
/* Waits for the end of the child; its wait status, or -1 when the limit passed. */
int vt_wait(struct vt *vt, int limit_ms);
bool vt_wait_stopped(struct vt *vt, int limit_ms);
void vt_foreground(struct vt *vt); /* what fg does; a running job is left alone */
pid_t vt_pid(const struct vt *vt);
pid_t vt_shell_pid(const struct vt *vt); /* 0 for NULL */
void vt_hang_up(struct vt *vt);          /* close the master: the terminal goes away */
int64_t vt_cpu_ms(const struct vt *vt);  /* processor time the child has used; after its end, in all */

int vt_rows(const struct vt *vt);
int vt_cols(const struct vt *vt);
/* One line as UTF-8 without trailing blanks; valid until the next call. */
const char *vt_line(const struct vt *vt, int row);
/* The whole screen: text lines; with attributes, each line that has any is followed by "    | 0-5 bold reverse fg=1" runs. malloced. */
char *vt_dump(const struct vt *vt, bool attributes);
bool vt_contains(const struct vt *vt, const char *text);
uint64_t vt_bytes(const struct vt *vt); /* bytes the child has written so far */
/* As a shell wants the terminal: main screen, cursor shown, no mouse or paste mode, plain pen, ICANON ECHO ISIG. NULL when it
 * is so, else what is not. */
const char *vt_unrestored(const struct vt *vt);
/* The raw bytes since the last vt_mark, for tests that look for what must not be there. */
void vt_mark(struct vt *vt);
const char *vt_since_mark(const struct vt *vt, size_t *len);

/* One cell, for pictures. Colours are 0xRRGGBB, -1 for the terminal's own. */
struct vt_cell {
  char text[40]; /* UTF-8; "" for a blank, or the second half of a wide letter (width 0) */
  int width;
  bool bold, underline, italic, reverse;
  int32_t fg, bg;
};
void vt_cell_at(const struct vt *vt, int row, int col, struct vt_cell *out);

#endif
