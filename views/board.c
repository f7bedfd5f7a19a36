#include "views/board.h"

#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"
#include "views/desk.h"
#include "views/format.h"
#include "views/rows.h"

void board_init(struct board_view *b, const struct board_part *parts, size_t count)
{
  *b = (struct board_view){.parts = parts, .part_count = count};
  for (size_t i = 0; i < count; i++) {
    list_init(&b->lists[i], parts[i].ops);
  }
}

void board_fini(struct board_view *b)
{
  for (size_t i = 0; i < b->part_count; i++) {
    list_fini(&b->lists[i]);
  }
  free(b->trouble);
}

struct list *board_list(struct board_view *b)
{
  return &b->lists[b->part];
}

const void *board_current(const struct board_view *b)
{
  return list_current(&b->lists[b->part]);
}

/* --- rows ----------------------------------------------------------------------------------------------------------- */

/* Was neither an empty list of jobs read nor the runs of any job? */
static bool nothing_read(const struct scene *scene)
{
  const struct model *m = scene->model;
  bool read = false;
  for (size_t p = 0; p < m->place_count && !read; p++) {
    const struct place *place = &m->places[p];
    if (scene_shows(scene, (int)p)) {
      read = place->job_count == 0 && place->jobs_fresh.fetched_ms != WHEN_NONE;
      for (size_t i = 0; i < place->job_count && !read; i++) {
        read = place->jobs[i].runs_fresh.fetched_ms != WHEN_NONE;
      }
    }
  }
  return !read;
}

void board_draw_unread(const struct pane *p, int y)
{
  pane_field(p, y, 1, p->width - 2, ROLE_DIM, TEXT_LEFT, "nothing was read yet that sums could be made of");
}

bool board_begin(struct board_view *b, const struct scene *scene)
{
  bool whole = desk_whole(scene->desk);
  b->counting = !desk_ready(scene->desk, scene);
  b->unread = nothing_read(scene);
  bool go_on = whole || !b->filled;
  b->filled = b->filled || whole;
  return go_on;
}

void board_begin_rows(struct board_view *b, const struct scene *scene)
{
  list_begin(board_list(b),
             &(struct list_env){.strings = scene->model->strings, .now_ms = scene->now_ms, .zone = scene->zone});
  size_t places = 0;
  for (size_t p = 0; p < scene->model->place_count; p++) {
    places += scene_shows(scene, (int)p);
  }
  list_hide(board_list(b), "account", places < 2);
}

void board_end_rows(struct board_view *b, const struct scene *scene)
{
  struct list *l = board_list(b);
  list_end(l);
  free(b->trouble);
  b->trouble = rows_why_empty(scene, l->row_count, b->parts[b->part].noun);
}

void *board_add(struct board_view *b, const struct scene *scene, int place, strid job, const struct run *run,
                int64_t number)
{
  struct board_row *row = list_add(board_list(b));
  if (run != NULL) {
    row->key = row_key_of_run(place, job, run);
    row->run = *run;
    row->has_run = true;
  } else if (job != 0) {
    row->key = row_key_of_job(place, job);
  } else {
    row->key = row_key_of_number(number);
  }
  if (number != 0) {
    row->key.id_text ^= (strid)number; /* the same run or job may stand in a list for several reasons */
    row->key.attempt_and_form ^= (uint32_t)(number >> 32);
  }
  row->place = place;
  row->job = job;
  row->place_label = place >= 0 && scene->model->place_count > 1 ? rows_place_label(scene->model, place) : NULL;
  return row;
}

void board_draw(struct board_view *b, const struct pane *p)
{
  list_draw(board_list(b), p);
  rows_draw_empty(board_list(b), p, b->trouble, b->parts[b->part].noun);
}

void board_caption(const struct board_view *b, struct buf *out)
{
  if (b->part_count > 1) {
    buf_adds(out, b->parts[b->part].word);
    buf_adds(out, ", ");
  }
  list_write_caption(&b->lists[b->part], b->parts[b->part].noun, out);
  if (b->counting) {
    buf_adds(out, ", counting");
    buf_adds(out, sign(SIGN_ELLIPSIS));
  }
}

/* --- what is under the cursor --------------------------------------------------------------------------------------- */

static bool subject_of(const struct board_view *b, const struct board_row *r, struct subject *out)
{
  const struct strpool *strings = b->lists[b->part].env.strings;
  if (r == NULL || r->job == 0 || r->place < 0) {
    return false;
  }
  *out = (struct subject){.place = r->place, .job = r->job, .job_name = strpool_get(strings, r->job)};
  if (r->has_run) {
    out->has_run = true;
    out->state = (enum run_state)r->run.state;
    run_id_text(&r->run, strings, out->run_id);
  }
  return true;
}

bool board_subject(const struct board_view *b, struct subject *out)
{
  return subject_of(b, board_current(b), out);
}

size_t board_subjects(const struct board_view *b, struct subject **out)
{
  const void **rows = NULL;
  size_t chosen = list_chosen(&b->lists[b->part], &rows), count = 0;
  *out = xcalloc(chosen + 1, sizeof **out);
  for (size_t i = 0; i < chosen; i++) {
    count += subject_of(b, rows[i], &(*out)[count]);
  }
  free(rows);
  return count;
}

void board_open(const struct board_view *b, struct outcome *out)
{
  struct subject subject;
  if (board_subject(b, &subject)) {
    outcome_open(out, subject.has_run ? &run_view : &job_view, &subject, 1);
  }
}

bool board_act(struct board_view *b, enum action a, struct outcome *out)
{
  bool mine = true;
  if (a == ACTION_PART) {
    do {
      b->part = (b->part + 1) % b->part_count;
    } while (b->hidden[b->part]);
    out->stale = true;
  } else {
    mine = list_act(board_list(b), a);
  }
  return mine;
}

/* --- columns -------------------------------------------------------------------------------------------------------- */

void board_text_job(const void *row, const struct list_env *env, struct buf *out)
{
  const struct board_row *r = row;
  const char *name = strpool_get(env->strings, r->job);
  buf_adds(out, name != NULL ? name : "");
}

void board_text_run(const void *row, const struct list_env *env, struct buf *out)
{
  const struct board_row *r = row;
  char id[RUN_ID_MAX];
  if (r->has_run) {
    format_run_short(out, run_id_text(&r->run, env->strings, id));
  } else {
    format_nothing(out);
  }
}

void board_text_place(const void *row, const struct list_env *env, struct buf *out)
{
  const struct board_row *r = row;
  (void)env;
  buf_adds(out, r->place_label != NULL ? r->place_label : "");
}

int board_by_job(const void *a, const void *b, const struct list_env *env)
{
  const struct board_row *x = a, *y = b;
  return compare_pooled(env->strings, x->job, y->job);
}

int board_by_place(const void *a, const void *b, const struct list_env *env)
{
  const struct board_row *x = a, *y = b;
  int result = compare_i64(x->place, y->place);
  return result != 0 ? result : board_by_job(a, b, env);
}
