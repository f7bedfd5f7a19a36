/* What drive.c (the steps) and drive_world.c (the sealed world around the program) share. */
#ifndef GLUETOP_TESTS_DRIVE_H
#define GLUETOP_TESTS_DRIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "screens/vt.h"

enum { LIMIT_MS = 20000, ENV_MAX = 64, ARGS_MAX = 64, END_LIMIT_MS = 5000 };

struct drive {
  const char *script;
  int line;
  bool update;
  const char *pictures; /* where they go; NULL: none are drawn */
  struct vt *vt;
  char *env[ENV_MAX];
  size_t env_count;
  int cols, rows;
  char now[40]; /* where both clocks stand */
  pid_t sim;
  int sim_keep;  /* gluesim ends when this is closed */
  int sim_clock; /* its test clock; -1: it lives in real time */
  int port;
  char url[128];
  char home[64];
  unsigned keys;
  int status;
  bool ended;
  unsigned checks; /* steps that could have failed on what they saw */
};

/* Says where and why, with the screen; false, for `return failed(…)`. */
bool failed(struct drive *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The screen against golden/NAME.txt, with the look of its cells or without; writes the file instead when that was asked for. */
bool check_golden(struct drive *d, const char *name, bool look);
/* "OPERATION NUMBER" against gluesim's stats; name: arrived, done … */
bool check_count(struct drive *d, const char *text, const char *name);
/* Is there an SGR that sets a colour (30-48 but for 39, 90-107)? */
bool sets_colour(const char *bytes, size_t len);
size_t hex_bytes(const char *text, char *out, size_t size);

bool world_seal(struct drive *d);
void world_open(struct drive *d); /* ends what was started, removes the folder */
void world_set_env(struct drive *d, const char *name_and_value);
void world_unset_env(struct drive *d, const char *name);
/* The text with @URL@ and @HOME@ (the first of each) replaced; malloced. */
char *world_expand(const struct drive *d, const char *text);
bool world_start_sim(struct drive *d, const char *args, bool test_clock);
bool world_start_program(struct drive *d, const char *args, bool test_clock);
bool world_no_orphans(struct drive *d, int limit_ms); /* nothing is left of what the program started */
void world_advance_sim(struct drive *d, long long ms);
const char *world_source_dir(void);
/* gluesim's unsigned door (--control). The answer is malloced; NULL when there was none. */
char *world_ask_sim(struct drive *d, const char *method, const char *path, const char *body);

#endif
