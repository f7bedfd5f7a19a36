#include "screens/vt_job.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int child_pipe[2];

static void on_child(int number)
{
  int saved = errno;
  char byte = (char)number;
  ssize_t n = write(child_pipe[1], &byte, 1);
  (void)n;
  errno = saved;
}

static void tell(int news, enum vt_job_word word, int32_t value, int64_t cpu_ms)
{
  struct vt_job_news n = {.word = word, .value = value, .cpu_ms = cpu_ms};
  ssize_t written = write(news, &n, sizeof n);
  (void)written;
}

static void become_job(int slave, char *const *argv, char *const *envp)
{
  static const int plain[] = {SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGCHLD, SIGHUP, SIGPIPE};
  setpgid(0, 0);
  tcsetpgrp(slave, getpid());
  for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
    signal(plain[i], SIG_DFL);
  }
  dup2(slave, 0);
  dup2(slave, 1);
  dup2(slave, 2);
  execve(argv[0], argv, envp);
  _exit(127);
}

/* Every change of the job since we looked last. True: it has ended. */
static bool look_at_job(pid_t job, int slave, int news)
{
  struct rusage used;
  int status = 0;
  bool ended = false;
  while (!ended && wait4(job, &status, WNOHANG | WUNTRACED, &used) == job) {
    if (WIFSTOPPED(status)) {
      tcsetpgrp(slave, getpgrp());
      tell(news, VT_JOB_STOPPED, WSTOPSIG(status), 0);
    } else {
      int64_t us = ((int64_t)used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 + used.ru_utime.tv_usec +
                   used.ru_stime.tv_usec;
      tcsetpgrp(slave, getpgrp());
      tell(news, VT_JOB_ENDED, status, us / 1000);
      ended = true;
    }
  }
  return ended;
}

void vt_job_shell(int slave, int orders, int news, char *const *argv, char *const *envp)
{
  static const int ignored[] = {SIGTTOU, SIGTTIN, SIGTSTP, SIGINT, SIGQUIT, SIGHUP, SIGPIPE};
  struct sigaction action = {.sa_handler = on_child};
  sigset_t none;
  bool ended = false;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  setsid();
  ioctl(slave, TIOCSCTTY, 0);
  for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++) {
    signal(ignored[i], SIG_IGN);
  }
  if (pipe(child_pipe) != 0) {
    _exit(126);
  }
  for (int i = 0; i < 2; i++) {
    fcntl(child_pipe[i], F_SETFD, FD_CLOEXEC);
    fcntl(child_pipe[i], F_SETFL, O_NONBLOCK);
  }
  fcntl(orders, F_SETFD, FD_CLOEXEC);
  fcntl(news, F_SETFD, FD_CLOEXEC);
  sigemptyset(&action.sa_mask);
  sigaction(SIGCHLD, &action, NULL);

  pid_t job = fork();
  if (job == 0) {
    become_job(slave, argv, envp);
  }
  setpgid(job, job);
  tcsetpgrp(slave, job);
  tell(news, VT_JOB_STARTED, job, 0);
  while (!ended) {
    struct pollfd fds[2] = {{.fd = orders, .events = POLLIN}, {.fd = child_pipe[0], .events = POLLIN}};
    char byte = 0;
    if (poll(fds, 2, -1) < 0 && errno != EINTR) {
      _exit(126);
    }
    while (read(child_pipe[0], &byte, 1) == 1) {
    }
    ended = look_at_job(job, slave, news);
    if (!ended && (fds[0].revents & (POLLIN | POLLHUP))) {
      if (read(orders, &byte, 1) <= 0) { /* our maker is gone or done */
        kill(job, SIGKILL);
        waitpid(job, NULL, 0);
        ended = true;
      } else if (byte == 'f') {
        tcsetpgrp(slave, job);
        kill(-job, SIGCONT);
      }
    }
  }
  _exit(0);
}
