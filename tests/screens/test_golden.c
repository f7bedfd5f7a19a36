/* Views as they look: text and attributes, compared with tests/screens/golden/NAME.txt. After a change that is meant, write them anew with
 *
 *   UPDATE_GOLDEN=1 make check TESTS=tests/screens/test_golden
 *
 * and look at the difference before committing it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "screens/stage.h"

enum mode { COLOUR, FEW, MONO, ASCII };

static const struct scene_of_test {
  const char *name;
  enum stage_account account;
  int width, height;
  enum mode mode;
  const char *keys; /* names, as stage_keys takes them */
} scenes[] = {
    {"jobs-80x24", STAGE_FULL, 80, 24, COLOUR, ""},
    {"jobs-80x24-mono", STAGE_FULL, 80, 24, MONO, ""},
    {"jobs-80x24-ascii", STAGE_FULL, 80, 24, ASCII, ""},
    {"jobs-80x24-few", STAGE_FULL, 80, 24, FEW, ""},
    {"jobs-140x40", STAGE_FULL, 140, 40, COLOUR, ""},
    {"jobs-250x70", STAGE_FULL, 250, 70, COLOUR, ""},
    {"jobs-24x5", STAGE_FULL, 24, 5, COLOUR, ""},
    {"jobs-empty-80x24", STAGE_EMPTY, 80, 24, COLOUR, ""},
    {"jobs-failing-80x24", STAGE_FAILING, 80, 24, COLOUR, ""},
    {"jobs-stale-80x24", STAGE_STALE, 80, 24, COLOUR, ""},
    {"jobs-hostile-80x24", STAGE_HOSTILE, 80, 24, COLOUR, ""},
    {"jobs-two-140x40", STAGE_TWO, 140, 40, COLOUR, ""},
    {"jobs-marked-80x24", STAGE_FULL, 80, 24, COLOUR, "Space Space"},
    {"runs-80x24", STAGE_FULL, 80, 24, COLOUR, "3"},
    {"runs-80x24-mono", STAGE_FULL, 80, 24, MONO, "3"},
    {"runs-140x40", STAGE_FULL, 140, 40, COLOUR, "3"},
    {"runs-250x70", STAGE_FULL, 250, 70, COLOUR, "3"},
    {"job-runs-80x24", STAGE_FULL, 80, 24, COLOUR, "Enter"},
    {"run-80x24", STAGE_FULL, 80, 24, COLOUR, "Enter Enter"},
    {"run-80x24-ascii", STAGE_FULL, 80, 24, ASCII, "Enter Enter"},
    {"run-140x40", STAGE_FULL, 140, 40, COLOUR, "Enter Enter"},
    {"job-80x24", STAGE_FULL, 80, 24, COLOUR, "d"},
    {"job-140x40", STAGE_FULL, 140, 40, COLOUR, "d"},
    {"help-80x24", STAGE_FULL, 80, 24, COLOUR, "?"},
    {"help-140x40", STAGE_FULL, 140, 40, COLOUR, "3 ?"},
    {"start-80x24", STAGE_FULL, 80, 24, COLOUR, "s"},
    {"start-80x24-mono", STAGE_FULL, 80, 24, MONO, "s"},
    {"stop-80x24", STAGE_FULL, 80, 24, COLOUR, "3 j j X"},
    {"sort-80x24", STAGE_FULL, 80, 24, COLOUR, "o"},
    {"palette-80x24", STAGE_FULL, 80, 24, COLOUR, ": s"},
    {"filter-80x24", STAGE_FULL, 80, 24, COLOUR, "/ o r d"},
    {"home-80x24", STAGE_FULL, 80, 24, COLOUR, "1"},
    {"home-80x24-mono", STAGE_FULL, 80, 24, MONO, "1"},
    {"home-80x24-ascii", STAGE_FULL, 80, 24, ASCII, "1"},
    {"home-140x40", STAGE_FULL, 140, 40, COLOUR, "1"},
    {"home-250x70", STAGE_FULL, 250, 70, COLOUR, "1"},
    {"home-two-140x40", STAGE_TWO, 140, 40, COLOUR, "1"},
    {"home-hostile-80x24", STAGE_HOSTILE, 80, 24, COLOUR, "1"},
    {"timeline-80x24", STAGE_FULL, 80, 24, COLOUR, "4"},
    {"timeline-80x24-mono", STAGE_FULL, 80, 24, MONO, "4"},
    {"timeline-80x24-ascii", STAGE_FULL, 80, 24, ASCII, "4"},
    {"timeline-140x40", STAGE_FULL, 140, 40, COLOUR, "4"},
    {"timeline-250x70", STAGE_FULL, 250, 70, COLOUR, "4"},
    {"timeline-two-140x40", STAGE_TWO, 140, 40, COLOUR, "4"},
    {"timeline-hostile-80x24", STAGE_HOSTILE, 80, 24, COLOUR, "4"},
    {"burn-80x24", STAGE_FULL, 80, 24, COLOUR, "5"},
    {"burn-80x24-mono", STAGE_FULL, 80, 24, MONO, "5"},
    {"burn-80x24-ascii", STAGE_FULL, 80, 24, ASCII, "5"},
    {"burn-140x40", STAGE_FULL, 140, 40, COLOUR, "5"},
    {"burn-250x70", STAGE_FULL, 250, 70, COLOUR, "5"},
    {"burn-two-140x40", STAGE_TWO, 140, 40, COLOUR, "5"},
    {"burn-hostile-80x24", STAGE_HOSTILE, 80, 24, COLOUR, "5"},
    {"collisions-80x24", STAGE_FULL, 80, 24, COLOUR, "6"},
    {"collisions-80x24-mono", STAGE_FULL, 80, 24, MONO, "6"},
    {"collisions-80x24-ascii", STAGE_FULL, 80, 24, ASCII, "6"},
    {"collisions-140x40", STAGE_FULL, 140, 40, COLOUR, "6"},
    {"collisions-250x70", STAGE_FULL, 250, 70, COLOUR, "6"},
    {"collisions-two-140x40", STAGE_TWO, 140, 40, COLOUR, "6"},
    {"collisions-hostile-80x24", STAGE_HOSTILE, 80, 24, COLOUR, "6"},
    {"timeouts-80x24", STAGE_FULL, 80, 24, COLOUR, "7"},
    {"timeouts-80x24-mono", STAGE_FULL, 80, 24, MONO, "7"},
    {"timeouts-80x24-ascii", STAGE_FULL, 80, 24, ASCII, "7"},
    {"timeouts-140x40", STAGE_FULL, 140, 40, COLOUR, "7"},
    {"timeouts-250x70", STAGE_FULL, 250, 70, COLOUR, "7"},
    {"timeouts-two-140x40", STAGE_TWO, 140, 40, COLOUR, "7"},
    {"timeouts-hostile-80x24", STAGE_HOSTILE, 80, 24, COLOUR, "7"},
    {"timeline-hours-140x40", STAGE_FULL, 140, 40, COLOUR, "4 Tab Tab"},
    {"timeline-accounts-140x40", STAGE_FULL, 140, 40, COLOUR, "4 Tab"},
    {"collisions-peaks-140x40", STAGE_FULL, 140, 40, COLOUR, "6 Tab Tab Tab Tab"},
    {"burn-dpu-140x40", STAGE_FULL, 140, 40, COLOUR, "5 $"},
    {"timeline-cursor-140x40", STAGE_FULL, 140, 40, COLOUR, "4 j Left Left"},
    {"burn-days-140x40", STAGE_FULL, 140, 40, COLOUR, "5 Tab"},
    {"burn-classes-140x40", STAGE_FULL, 140, 40, COLOUR, "5 Tab Tab"},
    {"burn-unusual-140x40", STAGE_FULL, 140, 40, COLOUR, "5 Tab Tab Tab"},
    {"prices-140x40", STAGE_FULL, 140, 40, COLOUR, "5 p"},
    {"timeouts-past-140x40", STAGE_FULL, 140, 40, COLOUR, "7 Tab"},
    {"collisions-soon-140x40", STAGE_FULL, 140, 40, COLOUR, "6 Tab Tab"},
    {"messages-80x24", STAGE_FAILING, 80, 24, COLOUR, "M"},
};

/* Those that need more than an account: EVENTS are some that were seen, an absence, and what came in it. */
enum beyond { NOTHING_MORE, EVENTS, HOSTILE_EVENTS, POLLING, RATES };
static const struct told_scene {
  struct scene_of_test scene;
  enum beyond beyond;
} told_scenes[] = {
    {{"events-80x24", STAGE_FULL, 80, 24, COLOUR, ": e v e n t s Enter"}, EVENTS},
    {{"events-80x24-ascii", STAGE_FULL, 80, 24, ASCII, ": e v e n t s Enter"}, EVENTS},
    {{"events-140x40", STAGE_FULL, 140, 40, COLOUR, ": e v e n t s Enter"}, EVENTS},
    {{"events-empty-80x24", STAGE_EMPTY, 80, 24, COLOUR, ": e v e n t s Enter"}, NOTHING_MORE},
    {{"events-hostile-80x24", STAGE_HOSTILE, 80, 24, COLOUR, ": e v e n t s Enter"}, HOSTILE_EVENTS},
    {{"away-80x24", STAGE_FULL, 80, 24, COLOUR, ""}, EVENTS},
    {{"polling-80x24", STAGE_FULL, 80, 24, COLOUR, ": p o l l i n g Enter"}, POLLING},
    {{"polling-80x24-mono", STAGE_FULL, 80, 24, MONO, ": p o l l i n g Enter"}, POLLING},
    {{"polling-two-140x40", STAGE_TWO, 140, 40, COLOUR, ": p o l l i n g Enter"}, POLLING},
    {{"prices-told-80x24", STAGE_FULL, 80, 24, COLOUR, "5 p"}, RATES},
    {{"prices-two-140x60", STAGE_TWO, 140, 60, COLOUR, "6 p"}, RATES},
    {{"collisions-told-140x40", STAGE_TWO, 140, 40, COLOUR, "6"}, RATES},
    {{"polling-never-80x24", STAGE_READING, 80, 24, COLOUR, ": p o l l i n g Enter"}, NOTHING_MORE},
};

static void put_beyond(struct stage *s, enum beyond beyond)
{
  switch (beyond) {
  case NOTHING_MORE:
    break;
  case EVENTS:
    stage_put_events(s->model, 0, false);
    stage_type(s, "\033[O"); /* the focus goes, and much happens until it comes back */
    stage_put_events(s->model, 0, true);
    stage_type(s, "\033[I");
    break;
  case HOSTILE_EVENTS:
    for (size_t i = 0; i < s->model->places[0].job_count; i++) {
      const struct job *j = &s->model->places[0].jobs[i];
      model_add_notice(s->model, &(struct notice){.kind = NOTICE_FAILED,
                                                  .place = 0,
                                                  .context = -1,
                                                  .job = j->name,
                                                  .run_id = j->name,
                                                  .text = j->name,
                                                  .at_ms = STAGE_NOW - WHEN_MINUTE,
                                                  .seen_ms = STAGE_NOW});
    }
    break;
  case POLLING:
    stage_put_polling(s->model);
    break;
  case RATES:
    stage_put_rates(s);
    break;
  }
}

static char *read_file(const char *path)
{
  FILE *f = fopen(path, "r");
  struct buf out;
  char block[8192];
  size_t n = 0;
  if (f == NULL) {
    return NULL;
  }
  buf_init(&out, 16 * 1024 * 1024);
  while ((n = fread(block, 1, sizeof block, f)) > 0) {
    buf_add(&out, block, n);
  }
  fclose(f);
  return buf_take(&out);
}

static void tell_difference(const char *name, const char *want, const char *have)
{
  int line = 1;
  while (*want != '\0' && *have != '\0') {
    size_t a = strcspn(want, "\n"), b = strcspn(have, "\n");
    if (a != b || memcmp(want, have, a) != 0) {
      fprintf(stderr, "%s, line %d\n  want %.*s\n  have %.*s\n", name, line, (int)a, want, (int)b, have);
    }
    want += a + (want[a] == '\n');
    have += b + (have[b] == '\n');
    line++;
  }
}

/* Returns how many screens are wrong. */
static size_t compare(const struct scene_of_test *scene, enum beyond beyond)
{
  const char *folder = getenv("GLUETOP_SRCDIR"), *update = getenv("UPDATE_GOLDEN");
  size_t wrong = 0;
  static const enum colour_depth depths[] = {
      [COLOUR] = COLOURS_256, [FEW] = COLOURS_8, [MONO] = COLOURS_NONE, [ASCII] = COLOURS_NONE};
  struct stage s;
  text_set_ascii(scene->mode == ASCII);
  stage_open(&s, scene->account, scene->width, scene->height, NULL);
  put_beyond(&s, beyond);
  stage_keys(&s, scene->keys);
  char *have = stage_dump(&s, true, depths[scene->mode]);
  char *path = xasprintf("%s/tests/screens/golden/%s.txt", folder != NULL ? folder : ".", scene->name);
  if (update != NULL && update[0] != '\0') {
    FILE *f = fopen(path, "w");
    if (f == NULL || fputs(have, f) == EOF || fclose(f) != 0) {
      fail_msg("%s could not be written: %s", path, strerror(errno));
    }
  } else {
    char *want = read_file(path);
    if (want == NULL || strcmp(want, have) != 0) {
      wrong++;
      fprintf(stderr, "%s %s\n", path, want == NULL ? "is not there" : "differs");
      tell_difference(scene->name, want != NULL ? want : "", have);
    }
    free(want);
  }
  free(path);
  free(have);
  stage_close(&s);
  text_set_ascii(false);
  return wrong;
}

static void golden(void **state)
{
  size_t wrong = 0;
  (void)state;
  for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
    wrong += compare(&scenes[i], NOTHING_MORE);
  }
  for (size_t i = 0; i < sizeof told_scenes / sizeof told_scenes[0]; i++) {
    wrong += compare(&told_scenes[i].scene, told_scenes[i].beyond);
  }
  assert_int_equal(wrong, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(golden)};
  return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
