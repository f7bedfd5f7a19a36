/* A program in a pseudo-terminal, its screen kept by libvterm. For tests that drive the whole of gluetop. */
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
  char *const *envp; /* the whole environment of the child */
  bool test_fd;      /* give the child --test-fd N (appended to argv) */
};
struct vt *vt_start(const struct vt_options *options); /* NULL: errno says why */
void vt_free(struct vt *vt);                           /* kills the child if it lives */

/* Read what the child has written, until it says "ready" after our last `vt_advance` and the terminal is drained, or the limit passes.
 * Returns false when the limit passed or the child ended. */
bool vt_settle(struct vt *vt, int limit_ms);
/* Read until test(user) is true, or the limit passes, or the child ends. */
bool vt_until(struct vt *vt, bool (*test)(struct vt *vt, void *user), void *user, int limit_ms);
void vt_send(struct vt *vt, const char *bytes, size_t len);
void vt_advance(struct vt *vt, int64_t ms); /* +MS on the test descriptor */
void vt_resize(struct vt *vt, int rows, int cols);
void vt_signal(struct vt *vt, int signal_number);
/* Waits for the end of the child; its wait status, or -1 when the limit passed. */
int vt_wait(struct vt *vt, int limit_ms);
pid_t vt_pid(const struct vt *vt);
void vt_hang_up(struct vt *vt); /* close the master: the terminal goes away */

int vt_rows(const struct vt *vt);
int vt_cols(const struct vt *vt);
/* One line as UTF-8 without trailing blanks; valid until the next call. */
const char *vt_line(const struct vt *vt, int row);
/* The whole screen: text lines; with attributes, each line that has any is followed by "  | 0-5 bold reverse fg=red" runs. malloced. */
char *vt_dump(const struct vt *vt, bool attributes);
bool vt_contains(const struct vt *vt, const char *text);
uint64_t vt_bytes(const struct vt *vt); /* bytes the child has written so far */
bool vt_alternate(const struct vt *vt); /* is the alternate screen shown? */
bool vt_cursor_visible(const struct vt *vt);
/* The raw bytes since the last vt_mark, for tests that look for what must not be there. */
void vt_mark(struct vt *vt);
const char *vt_since_mark(const struct vt *vt, size_t *len);
/* Is the terminal's line discipline as a shell wants it (ICANON, ECHO, ISIG)? */
bool vt_cooked(const struct vt *vt);

#endif
