#include "views/restore.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

static struct restore_plan plan;
static volatile sig_atomic_t ours; /* the terminal is in our modes */
static volatile sig_atomic_t resized, resumed;
static void (*wake_loop)(void *);
static void *wake_arg;
static bool installed;

static const int deadly[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
#define DEADLY_COUNT (sizeof deadly / sizeof deadly[0])
static struct sigaction before_deadly[DEADLY_COUNT], before_tstp, before_cont, before_winch;

/* A crash by a full stack needs another stack to tell of it. */
static char crash_stack[65536];

static void put(const char *bytes, size_t len)
{
  while (len > 0) {
    ssize_t n = write(plan.fd, bytes, len);
    if (n <= 0) {
      if (n < 0 && errno == EINTR) {
        continue;
      }
      break;
    }
    bytes += n;
    len -= (size_t)n;
  }
}

static bool in_foreground(void)
{
  return tcgetpgrp(plan.fd) == getpgrp();
}

void restore_now(void)
{
  int saved = errno;
  if (ours && in_foreground()) {
    ours = 0;
    tcflow(plan.fd, TCOON); /* output held by Ctrl-S must not hold us */
    put(plan.leave, plan.leave_len);
    tcsetattr(plan.fd, TCSANOW, &plan.outside);
  }
  errno = saved;
}

static void enter_again(void)
{
  tcsetattr(plan.fd, TCSANOW, &plan.inside);
  put(plan.enter, plan.enter_len);
  ours = 1;
}

static void wake(void)
{
  if (wake_loop != NULL) {
    wake_loop(wake_arg);
  }
}

static const char *signal_word(int number)
{
  const char *word = "a signal";
  switch (number) {
  case SIGTERM:
    word = "SIGTERM";
    break;
  case SIGHUP:
    word = "SIGHUP";
    break;
  case SIGQUIT:
    word = "SIGQUIT";
    break;
  case SIGSEGV:
    word = "SIGSEGV (a fault of this program; please report it)";
    break;
  case SIGBUS:
    word = "SIGBUS (a fault of this program; please report it)";
    break;
  case SIGABRT:
    word = "SIGABRT (a fault of this program; please report it)";
    break;
  case SIGFPE:
    word = "SIGFPE (a fault of this program; please report it)";
    break;
  case SIGILL:
    word = "SIGILL (a fault of this program; please report it)";
    break;
  default:
    break;
  }
  return word;
}

static void on_deadly(int number)
{
  static const char head[] = "gluetop: ended by ";
  bool was_ours = ours != 0;
  restore_now();
  if (was_ours && number != SIGINT) {
    const char *word = signal_word(number);
    char line[128];
    size_t len = 0;
    for (const char *s = head; *s != '\0'; s++) {
      line[len++] = *s;
    }
    for (; *word != '\0' && len < sizeof line - 1; word++) {
      line[len++] = *word;
    }
    line[len++] = '\n';
    ssize_t written = write(STDERR_FILENO, line, len);
    (void)written; /* nobody is left to be told */
  }
  for (size_t i = 0; i < DEADLY_COUNT; i++) {
    if (deadly[i] == number) {
      struct sigaction next = before_deadly[i];
      bool crash = number != SIGTERM && number != SIGHUP && number != SIGINT && number != SIGQUIT;
      if (!crash || (next.sa_handler == SIG_IGN && (next.sa_flags & SA_SIGINFO) == 0)) {
        /* A parent that ignores hang-ups must not keep us alive without a terminal, and curses' own handlers of SIGTERM
         * and SIGINT would turn the signal into an exit. What a sanitizer has to say of a crash is worth hearing. */
        memset(&next, 0, sizeof next);
        next.sa_handler = SIG_DFL;
        sigemptyset(&next.sa_mask);
      }
      sigaction(number, &next, NULL);
    }
  }
  raise(number); /* delivered when this handler returns */
}

static void on_stop(int number)
{
  int saved = errno;
  struct sigaction normal, mine;
  sigset_t open_set, old_set;
  bool was_ours = ours != 0;
  restore_now();
  memset(&normal, 0, sizeof normal);
  normal.sa_handler = SIG_DFL;
  sigemptyset(&normal.sa_mask);
  sigaction(number, &normal, &mine);
  sigemptyset(&open_set);
  sigaddset(&open_set, number);
  sigprocmask(SIG_UNBLOCK, &open_set, &old_set);
  raise(number);
  /* stopped here, and continued; in the background go on sleeping, as anybody who touches the terminal there does */
  for (int tries = 0; was_ours && !in_foreground() && tries < 1000; tries++) {
    raise(SIGTTOU);
  }
  sigprocmask(SIG_SETMASK, &old_set, NULL);
  sigaction(number, &mine, NULL);
  if (was_ours && in_foreground()) {
    enter_again();
  }
  resumed = 1;
  wake();
  errno = saved;
}

static void on_continue(int number)
{
  int saved = errno;
  (void)number;
  /* After SIGSTOP nobody took the modes off, but the shell may have set its own. */
  if (ours && in_foreground()) {
    enter_again();
  }
  resumed = 1;
  wake();
  errno = saved;
}

static void on_resize(int number)
{
  int saved = errno;
  (void)number;
  resized = 1;
  wake();
  errno = saved;
}

static void install(int number, void (*handler)(int), int flags, struct sigaction *before)
{
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, before);
}

void restore_arm(const struct restore_plan *new_plan)
{
  static bool hooked;
  plan = *new_plan;
  if (!hooked) {
    hooked = true;
    (void)atexit(restore_now);
  }
  if (!installed) {
    stack_t stack;
    memset(&stack, 0, sizeof stack);
    stack.ss_sp = crash_stack;
    stack.ss_size = sizeof crash_stack;
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < DEADLY_COUNT; i++) {
      install(deadly[i], on_deadly, SA_ONSTACK, &before_deadly[i]);
    }
    install(SIGTSTP, on_stop, SA_RESTART, &before_tstp);
    install(SIGCONT, on_continue, SA_RESTART, &before_cont);
    install(SIGWINCH, on_resize, SA_RESTART, &before_winch);
    installed = true;
  }
  ours = 1;
}

void restore_end(void)
{
  if (installed) {
    installed = false;
    for (size_t i = 0; i < DEADLY_COUNT; i++) {
      sigaction(deadly[i], &before_deadly[i], NULL);
    }
    sigaction(SIGTSTP, &before_tstp, NULL);
    sigaction(SIGCONT, &before_cont, NULL);
    sigaction(SIGWINCH, &before_winch, NULL);
  }
  restore_set_wake(NULL, NULL);
}

void restore_set_wake(void (*waker)(void *), void *arg)
{
  sigset_t all, old;
  /* the pair must never be seen half changed by a handler */
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &old);
  wake_loop = waker;
  wake_arg = arg;
  sigprocmask(SIG_SETMASK, &old, NULL);
}

unsigned restore_take_events(void)
{
  unsigned events = 0;
  if (resized) {
    resized = 0;
    events |= RESTORE_RESIZED;
  }
  if (resumed) {
    resumed = 0;
    events |= RESTORE_RESUMED;
  }
  return events;
}
