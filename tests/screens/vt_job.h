/* The little shell of a pseudo-terminal: it leads the session and runs one program as its foreground job. */
#ifndef GLUETOP_TESTS_VT_JOB_H
#define GLUETOP_TESTS_VT_JOB_H

#include <stdint.h>
#include <sys/types.h>

/* What the shell tells its maker, one record each. */
enum vt_job_word { VT_JOB_STARTED = 1, VT_JOB_STOPPED, VT_JOB_ENDED };
struct vt_job_news {
  int32_t word;
  int32_t value;  /* STARTED: the pid; ENDED: the wait status */
  int64_t cpu_ms; /* ENDED */
};

/* In a freshly forked process: never returns. Reads from `orders` ('f': fg), writes struct vt_job_news to `news`; ends
 * when `orders` does, and the job with it. slave becomes the controlling terminal; it may go away at any moment. */
_Noreturn void vt_job_shell(int slave, int orders, int news, char *const *argv, char *const *envp);

#endif
