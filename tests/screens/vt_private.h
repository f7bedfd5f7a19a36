/* What vt.c (the process and its bytes) and vt_screen.c (the screen) share. */
#ifndef GLUETOP_TESTS_VT_PRIVATE_H
#define GLUETOP_TESTS_VT_PRIVATE_H

#include <vterm.h>

#include "base/buf.h"
#include "screens/vt.h"

struct vt {
  VTerm *term;
  VTermScreen *screen;
  int master, slave; /* the slave is kept open so that the line discipline can be looked at after the child's end */
  int test_fd;
  int job; /* orders to the little shell, and its news */
  pid_t shell, pid;
  int status;
  int64_t cpu_ms;
  bool ended, stopped;
  bool alternate, cursor_visible, mouse, paste;
  char tail[16]; /* the last bytes of the output, for what libvterm does not tell */
  size_t tail_len;
  uint64_t bytes;
  uint64_t asked, heard; /* lines sent; how many the child had taken when it last said "ready" */
  struct buf since_mark;
  char line[8192];
  char said[256];
  size_t said_len;
};

#endif
