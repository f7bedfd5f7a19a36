/* The whole program in a pseudo-terminal, on an account of 2,000 jobs and 400,000 runs that gluesim serves: when the first rows are there, how
 * much it holds, what it takes while nobody does anything, how soon a key shows while everything is being read. The floor is a program that
 * does the least with the same store and the same terminal (bare.c). */
#include "tests/bench/bench.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/xalloc.h"
#include "screens/drive.h"
#include "sync/store.h"

enum {
  COLS = 140,
  ROWS = 40,
  FIRST_LIMIT_MS = 20000,
  SETTLE_MS = 12000,
  IDLE_MS = 30000,
  KEYS = 400,
  BETWEEN_KEYS_MS = 35
};

/* One world serves all rows, since filling its store takes half a minute; it lives as long as the program. */
static struct drive world;
static bool world_made, world_good;

bool failed(struct drive *d, const char *format, ...)
{
  va_list args;
  (void)d;
  va_start(args, format);
  vfprintf(stderr, format, args);
  va_end(args);
  fputc('\n', stderr);
  return false;
}

static double now_ms(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static const char *build_dir(void)
{
  const char *dir = getenv("GLUETOP_BUILDDIR");
  return dir != NULL ? dir : ".";
}

static char *store_folder(void)
{
  return xasprintf("%s/state/gluetop", world.home);
}

static char *store_file(void)
{
  char *folder = store_folder();
  struct store_place_key key = {
      .partition = "aws", .account = "441290129012", .region = "eu-west-1", .endpoint = world.url};
  char *file = store_place_path(folder, &key);
  free(folder);
  return file;
}

static void close_world(void)
{
  vt_free(world.vt);
  world.vt = NULL;
  world_open(&world);
}

/* A command reads everything into the store. */
static bool fill_store(void)
{
  char *program = xasprintf("%s/gluetop", build_dir());
  char *folder = store_folder();
  char *command = xasprintf("exec %s --endpoint-url %s --cache %s jobs --since all >/dev/null 2>&1 </dev/null", program,
                            world.url, folder);
  pid_t child = fork();
  int status = -1;
  if (child == 0) {
    execle("/bin/sh", "sh", "-c", command, (char *)NULL, world.env);
    _exit(127);
  }
  bool good = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) < 2;
  free(command);
  free(folder);
  free(program);
  return good;
}

static void *set_up(void)
{
  if (!world_made) {
    world_made = true;
    world.cols = COLS;
    world.rows = ROWS;
    world_good = world_seal(&world) && world_start_sim(&world, "--account large --control", false) && fill_store();
    atexit(close_world);
  }
  return world_good ? &world : NULL;
}

static void tear_down(void *state)
{
  struct drive *d = state;
  vt_free(d->vt);
  d->vt = NULL;
}

/* --- what is on the screen ------------------------------------------------------------------------------------------- */

/* Jobs with their runs: names as gluesim makes them, and how the last run ended. */
static bool shows_rows(struct vt *vt, void *user)
{
  int rows = 0;
  (void)user;
  for (int y = 0; y < vt_rows(vt); y++) {
    const char *line = vt_line(vt, y);
    bool job =
        strstr(line, "-bronze-") || strstr(line, "-silver-") || strstr(line, "-gold-") || strstr(line, "-export-");
    rows +=
        job && (strstr(line, "ok ") || strstr(line, "failed ") || strstr(line, "running ") || strstr(line, "timeout "));
  }
  return rows > vt_rows(vt) / 2;
}

static bool shows_bare(struct vt *vt, void *user)
{
  (void)user;
  return strstr(vt_line(vt, vt_rows(vt) - 2), "bare row") != NULL;
}

static bool never(struct vt *vt, void *user)
{
  (void)vt;
  (void)user;
  return false;
}

static bool has_more(struct vt *vt, void *user)
{
  const uint64_t *before = user;
  return vt_bytes(vt) > *before;
}

static bool start_bare(struct drive *d, const char *mode)
{
  char *program = xasprintf("%s/tests/bench/bare", build_dir());
  char *file = store_file();
  char mode_word[8];
  snprintf(mode_word, sizeof mode_word, "%s", mode);
  char *argv[] = {program, mode_word, file, NULL};
  struct vt_options o = {.rows = d->rows, .cols = d->cols, .argv = argv, .envp = d->env, .folder = d->home};
  vt_free(d->vt);
  d->vt = vt_start(&o);
  free(file);
  free(program);
  return d->vt != NULL;
}

/* Until `test` holds, from before the start of the program on. */
static double first_frame(struct drive *d, bool bare)
{
  double began = now_ms();
  bool good = bare ? start_bare(d, "rows") : world_start_program(d, "--endpoint-url @URL@ --view jobs", false);
  good = good && vt_until(d->vt, bare ? shows_bare : shows_rows, NULL, FIRST_LIMIT_MS);
  double ms = now_ms() - began;
  vt_free(d->vt);
  d->vt = NULL;
  return good ? ms : -1;
}

static double measure_first(void *state)
{
  return first_frame(state, false);
}

static double floor_first(void *state)
{
  return first_frame(state, true);
}

/* --- memory ---------------------------------------------------------------------------------------------------------- */

static double resident_mb(const struct vt *vt)
{
  char name[64], line[256];
  long kb = -1;
  snprintf(name, sizeof name, "/proc/%ld/status", (long)vt_pid(vt));
  FILE *f = fopen(name, "r");
  while (f != NULL && kb < 0 && fgets(line, sizeof line, f) != NULL)
    if (strncmp(line, "VmRSS:", 6) == 0)
      kb = strtol(line + 6, NULL, 10);
  if (f != NULL)
    fclose(f);
  return kb < 0 ? -1 : (double)kb * 1024 / 1e6;
}

static bool start_loaded(struct drive *d)
{
  bool good = world_start_program(d, "--endpoint-url @URL@ --view jobs", false) &&
              vt_until(d->vt, shows_rows, NULL, FIRST_LIMIT_MS);
  if (good)
    vt_until(d->vt, never, NULL, SETTLE_MS); /* the rest of history, the boards, the first refreshes */
  return good;
}

static double measure_resident(void *state)
{
  struct drive *d = state;
  return start_loaded(d) ? resident_mb(d->vt) : -1;
}

static double floor_resident(void *state)
{
  struct drive *d = state;
  if (!start_bare(d, "hold") || !vt_until(d->vt, shows_bare, NULL, FIRST_LIMIT_MS))
    return -1;
  return resident_mb(d->vt);
}

/* Every view once, each long enough to be complete, and back to the jobs. */
static double measure_toured(void *state)
{
  struct drive *d = state;
  if (!start_loaded(d))
    return -1;
  for (const char *key = "134567892"; *key != '\0'; key++) {
    vt_send(d->vt, key, 1);
    vt_until(d->vt, never, NULL, 2000);
  }
  return resident_mb(d->vt);
}

/* --- processor time -------------------------------------------------------------------------------------------------- */

static double cpu_ms(const struct vt *vt)
{
  char name[64];
  unsigned long long ns = 0;
  snprintf(name, sizeof name, "/proc/%ld/schedstat", (long)vt_pid(vt));
  FILE *f = fopen(name, "r");
  bool good = f != NULL && fscanf(f, "%llu", &ns) == 1;
  if (f != NULL)
    fclose(f);
  return good ? (double)ns / 1e6 : -1;
}

static double measure_idle(void *state)
{
  struct drive *d = state;
  if (!start_loaded(d))
    return -1;
  double cpu = cpu_ms(d->vt), began = now_ms();
  vt_until(d->vt, never, NULL, IDLE_MS);
  double share = (cpu_ms(d->vt) - cpu) / (now_ms() - began) * 100;
  return cpu < 0 ? -1 : share;
}

/* --- keys ------------------------------------------------------------------------------------------------------------ */

static int compare_numbers(const void *left, const void *right)
{
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* From the key's byte into the terminal to the first bytes of the frame out of it: the slowest but one in a hundred. */
static double key_p99(struct drive *d)
{
  double times[KEYS];
  for (int i = 0; i < KEYS; i++) {
    vt_until(d->vt, never, NULL, BETWEEN_KEYS_MS);
    uint64_t before = vt_bytes(d->vt);
    double began = now_ms();
    vt_send(d->vt, i / 15 % 2 == 0 ? "j" : "k", 1);
    if (!vt_until(d->vt, has_more, &before, 2000))
      return -1;
    times[i] = now_ms() - began;
  }
  qsort(times, KEYS, sizeof times[0], compare_numbers);
  return times[KEYS * 99 / 100];
}

static double measure_keys(void *state)
{
  struct drive *d = state;
  bool good = world_start_program(d, "--endpoint-url @URL@ --view jobs --no-cache", false) &&
              vt_until(d->vt, shows_rows, NULL, FIRST_LIMIT_MS);
  return good ? key_p99(d) : -1;
}

static double floor_keys(void *state)
{
  struct drive *d = state;
  return start_bare(d, "rows") && vt_until(d->vt, shows_bare, NULL, FIRST_LIMIT_MS) ? key_p99(d) : -1;
}

const struct bench_row bench_row_program_first = {.name = "program, exec to rows of a warm store on the screen",
                                                  .unit = "ms",
                                                  .target = 6,
                                                  .most = 60,
                                                  .set_up = set_up,
                                                  .measure = measure_first,
                                                  .floor = floor_first,
                                                  .tear_down = tear_down};
const struct bench_row bench_row_program_idle = {.name = "program, share of a core while nobody does anything",
                                                 .unit = "%",
                                                 .target = 0.5,
                                                 .set_up = set_up,
                                                 .measure = measure_idle,
                                                 .tear_down = tear_down};
const struct bench_row bench_row_program_keys = {.name = "program, key to frame during a cold sync, p99",
                                                 .unit = "ms",
                                                 .target = 30,
                                                 .most = 5,
                                                 .set_up = set_up,
                                                 .measure = measure_keys,
                                                 .floor = floor_keys,
                                                 .tear_down = tear_down};
const struct bench_row bench_row_program_resident = {.name = "program, resident with everything loaded",
                                                     .unit = "MB",
                                                     .target = 3,
                                                     .most = 96,
                                                     .set_up = set_up,
                                                     .measure = measure_resident,
                                                     .floor = floor_resident,
                                                     .tear_down = tear_down};
const struct bench_row bench_row_program_toured = {.name = "program, resident after every view was looked at",
                                                   .unit = "MB",
                                                   .target = 3,
                                                   .most = 96,
                                                   .set_up = set_up,
                                                   .measure = measure_toured,
                                                   .floor = floor_resident,
                                                   .tear_down = tear_down};
