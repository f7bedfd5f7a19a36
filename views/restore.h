/* Giving the terminal back, whatever happens. Signals are handled here and nowhere else.
 *
 * The bytes that leave and enter the screen are made beforehand, so that a signal handler needs only write(2) and tcsetattr(3).
 * TERM HUP INT QUIT and crashes (SEGV BUS ABRT FPE ILL): the terminal is restored, a message stands on the normal screen, and the
 * program dies by the same signal. TSTP: modes off, stop; after CONT the modes come back and everything is painted anew; in
 * the background the terminal is left alone (the program stops itself until it is in the foreground again). WINCH: a flag. */
#ifndef GLUETOP_VIEWS_RESTORE_H
#define GLUETOP_VIEWS_RESTORE_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

#define RESTORE_BYTES_MAX 512

struct restore_plan {
  int fd;                 /* the terminal */
  struct termios outside; /* as the shell had it */
  struct termios inside;  /* as we need it */
  char leave[RESTORE_BYTES_MAX];
  size_t leave_len;
  char enter[RESTORE_BYTES_MAX];
  size_t enter_len;
};

/* From now on the terminal is ours. The plan is copied. Signal handlers and the atexit hook are set on the first call. */
void restore_arm(const struct restore_plan *plan);
/* Restore now, if it is ours; safe to call often and from a signal handler. */
void restore_now(void);
/* Put the handlers of before back (the terminal must have been restored). */
void restore_end(void);
/* Called from handlers to wake the loop; must be async-signal-safe. NULL: nobody waits. */
void restore_set_wake(void (*wake)(void *), void *arg);

enum restore_event { RESTORE_RESIZED = 1, RESTORE_RESUMED = 2 };
/* What has happened since the last call (bits). */
unsigned restore_take_events(void);

#endif
