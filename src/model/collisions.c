#include "model/collisions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "base/xalloc.h"
#include "model/collisions_private.h"
#include "model/cost.h"
#include "model/parts.h"
#include "model/sweep.h"

struct job_part {
  struct collision *items;
  size_t count, cap;
  size_t peak;
  int64_t peak_at_ms;
};

/* What predictions rest on: while it stands they stand. */
struct foresight {
  uint64_t generation;
  int64_t plan_from_ms, plan_until_ms, minute;
  size_t plan_count;
  int only;
  bool known;
};

/* Past items are big: their order is found with these. */
struct key {
  int64_t at_ms;
  const struct collision *item;
};

struct collisions {
  int only;
  struct sweep sweep;
  struct parts parts; /* of struct job_part */
  struct collision_judge judge;
  struct predictions predictions;
  struct foresight foresight;
  bool past_stale; /* a job's items changed: past is to be put together again */
  size_t changes_seen;
  struct key *keys;
  size_t key_count, key_cap;
  struct collisions_result result;
  size_t past_cap, now_cap, warning_cap, account_cap, job_cap;
  int64_t *waits;
  size_t wait_count, wait_cap;
};

static void part_empty(void *part)
{
  struct job_part *p = part;
  p->count = p->peak = 0;
}

static void part_free(void *part)
{
  struct job_part *p = part;
  free(p->items);
}

struct collisions *collisions_new(void)
{
  struct collisions *c = xcalloc(1, sizeof *c);
  sweep_init(&c->sweep);
  parts_init(&c->parts, sizeof(struct job_part), part_empty, part_free);
  collision_judge_init(&c->judge);
  c->only = -1;
  return c;
}

void collisions_free(struct collisions *c)
{
  if (c == NULL)
    return;
  parts_fini(&c->parts);
  collision_judge_fini(&c->judge);
  free(c->predictions.items);
  free(c->result.past);
  free(c->result.now);
  free(c->result.warnings);
  free(c->result.accounts);
  free(c->result.jobs);
  free(c->waits);
  free(c->keys);
  sweep_fini(&c->sweep);
  free(c);
}

void collisions_begin(struct collisions *c, int64_t since_ms, int64_t until_ms, int place)
{
  bool other_place = place != c->only;
  enum sweep_window window = sweep_set_window(&c->sweep, since_ms, until_ms);
  if (window == SWEEP_WINDOW_SAME && !other_place)
    return;
  c->only = place;
  c->past_stale = true; /* starts that were refused may have left the window */
  if (window == SWEEP_WINDOW_OTHER || other_place) {
    c->foresight.known = false;
    sweep_again(&c->sweep);
    parts_empty(&c->parts);
  }
}

bool collisions_step(struct collisions *c, const struct model *m, int64_t now_ms, size_t budget)
{
  struct sweep_part s;
  for (;;) {
    switch (sweep_next(&c->sweep, m, c->only, &budget, &s)) {
    case SWEEP_DONE:
      return true;
    case SWEEP_PAUSE:
      return false;
    case SWEEP_CLEARED:
      c->past_stale = true;
      parts_clear_place(&c->parts, s.place);
      at_work_forget(&c->judge.at_work);
      break;
    case SWEEP_RUNS: {
      const struct job *j = &m->places[s.place].jobs[s.job];
      struct job_part *part = parts_get(&c->parts, m, s.place, s.job);
      collision_judge_job(&c->judge, m, j);
      if (s.first) {
        c->past_stale = c->past_stale || part->count > 0;
        part->count = part->peak = 0;
      }
      for (size_t i = s.from; i < s.to; i++) {
        struct collision item;
        if (!sweep_meets(&c->sweep, &j->runs[i], now_ms) || !collision_judge_run(&c->judge, m, i, now_ms, &item))
          continue;
        part->items = xgrow(part->items, &part->cap, part->count + 1, sizeof *part->items);
        part->items[part->count++] = item;
        c->past_stale = true;
      }
      if (s.last)
        part->peak = j->run_count == 0 ? 0
                                       : at_work_peak(&c->judge.at_work, AT_WORK, c->sweep.since_ms, c->sweep.until_ms,
                                                      &part->peak_at_ms);
      break;
    }
    }
  }
}

/* --- result --------------------------------------------------------------------------------------------------------- */

static void add_past(struct collisions *c, const struct collision *item)
{
  struct collisions_result *r = &c->result;
  r->past = xgrow(r->past, &c->past_cap, r->past_count + 1, sizeof *r->past);
  r->past[r->past_count++] = *item;
  r->rejected += item->kind == COLLISION_REJECTED;
  r->failed += item->kind == COLLISION_FAILED;
  r->queued += item->kind == COLLISION_QUEUED;
  r->by_account += item->kind == COLLISION_ACCOUNT;
  if (item->kind == COLLISION_QUEUED && item->waited_seconds >= 0) {
    c->waits = xgrow(c->waits, &c->wait_cap, c->wait_count + 1, sizeof *c->waits);
    c->waits[c->wait_count++] = item->waited_seconds;
  }
}

static void add_key(struct collisions *c, const struct collision *item)
{
  c->keys = xgrow(c->keys, &c->key_cap, c->key_count + 1, sizeof *c->keys);
  c->keys[c->key_count++] = (struct key){item->at_ms, item};
}

/* Starts made here that the service refused for concurrency or a quota. */
static void add_rejected(struct collisions *c, const struct model *m, struct collision *items)
{
  for (size_t i = 0; i < m->change_count; i++) {
    const struct change *change = &m->changes[i];
    bool refused = change->result == CHANGE_REFUSED && (change->kind == ERR_CONFLICT || change->kind == ERR_LIMIT);
    if (!refused || change->run_id != 0 || change->context < 0 || (size_t)change->context >= m->context_count ||
        change->at_ms < c->sweep.since_ms || change->at_ms > c->sweep.until_ms)
      continue;
    int place = m->contexts[change->context].place;
    const struct job *j = place < 0 ? NULL : model_job(m, place, change->job);
    if (j == NULL || (c->only >= 0 && place != c->only))
      continue;
    struct collision item = {
        .place = place, .job = change->job, .at_ms = change->at_ms, .kind = COLLISION_REJECTED, .waited_seconds = -1};
    collision_judge_job(&c->judge, m, j);
    collisions_blockers(&c->judge.at_work, &item, SIZE_MAX);
    items[i] = item;
    add_key(c, &items[i]);
  }
}

static int64_t began_or_now(const struct run *r, int64_t now_ms)
{
  int64_t began = cost_began(r, NULL);
  return began == WHEN_NONE ? now_ms : began;
}

static void add_peak(struct collisions *c, const struct job *j, size_t index, const struct collision_now *now)
{
  struct collisions_result *r = &c->result;
  bool known = (size_t)j->place < c->parts.place_count && index < c->parts.places[j->place].count;
  const struct job_part *part = known ? parts_at(&c->parts, (size_t)j->place, index) : NULL;
  if (part == NULL || (part->peak == 0 && part->count == 0 && now->waiting == 0))
    return;
  r->jobs = xgrow(r->jobs, &c->job_cap, r->job_count + 1, sizeof *r->jobs);
  r->jobs[r->job_count++] = (struct collision_job){.place = j->place,
                                                   .job = j->name,
                                                   .limit = now->limit,
                                                   .queues = j->queuing == TRI_TRUE,
                                                   .peak = part->peak,
                                                   .peak_at_ms = part->peak > 0 ? part->peak_at_ms : WHEN_NONE,
                                                   .active = now->active,
                                                   .waiting = now->waiting,
                                                   .collisions = part->count};
}

static int compare_jobs(const void *a, const void *b)
{
  const struct collision_job *x = a, *y = b;
  double near_x = (double)x->peak / (double)x->limit, near_y = (double)y->peak / (double)y->limit;
  if (near_x != near_y)
    return near_x > near_y ? -1 : 1;
  if (x->collisions != y->collisions)
    return x->collisions > y->collisions ? -1 : 1;
  if (x->place != y->place)
    return x->place < y->place ? -1 : 1;
  return x->job < y->job ? -1 : x->job > y->job;
}

static void look_at_job(struct collisions *c, const struct model *m, struct stats_cache *stats,
                        struct collision_account *account, size_t index, int64_t now_ms)
{
  struct collisions_result *res = &c->result;
  const struct job *j = &m->places[account->place].jobs[index];
  struct collision_now now = {.place = account->place,
                              .job = j->name,
                              .limit = collisions_limit(j),
                              .holder_end_ms = WHEN_NONE,
                              .waiting_since_ms = WHEN_NONE};
  size_t left = j->run_live;
  for (size_t i = 0; i < j->run_count && left > 0; i++) {
    const struct run *r = &j->runs[i];
    if (run_finished(r))
      continue;
    left--;
    if (r->state == RUN_WAITING) {
      now.waiting++;
      if (r->started_ms != WHEN_NONE && (now.waiting_since_ms == WHEN_NONE || r->started_ms < now.waiting_since_ms)) {
        now.waiting_since_ms = r->started_ms;
        now.reason = r->state_detail;
      }
      continue;
    }
    if (r->state != RUN_STARTING && r->state != RUN_RUNNING && r->state != RUN_STOPPING)
      continue;
    int64_t size = cost_size_micros(model_run_dpu(m, r));
    if (size >= 0)
      sum_add(&account->dpu_micros, size);
    if (now.active == 0 || began_or_now(r, now_ms) < began_or_now(&now.holder, now_ms))
      now.holder = *r;
    now.active++;
  }
  add_peak(c, j, index, &now);
  account->active_runs += now.active;
  account->waiting_runs += now.waiting;
  if (j->bookmark == BOOKMARK_ENABLE && now.limit > 1 && !j->gone) {
    res->warnings = xgrow(res->warnings, &c->warning_cap, res->warning_count + 1, sizeof *res->warnings);
    res->warnings[res->warning_count++] =
        (struct collision_warning){.place = account->place, .job = j->name, .limit = now.limit};
  }
  if (now.waiting == 0 && now.active < (size_t)now.limit)
    return;
  if (now.active > 0 && j->type != JOB_STREAMING)
    now.holder_end_ms = schedule_run_end(&now.holder, stats_cache_get(stats, m, account->place, index), now_ms, 50);
  res->now = xgrow(res->now, &c->now_cap, res->now_count + 1, sizeof *res->now);
  res->now[res->now_count++] = now;
}

static int compare_keys(const void *a, const void *b)
{
  const struct key *x = a, *y = b;
  if (x->at_ms != y->at_ms)
    return x->at_ms > y->at_ms ? -1 : 1;
  return x->item->job < y->item->job ? -1 : x->item->job > y->item->job;
}

/* Changes of the model's list of writes: how many there are, and how many have their result. */
static size_t changes_of(const struct model *m)
{
  size_t count = m->change_count;
  for (size_t i = 0; i < m->change_count; i++)
    count += m->changes[i].result != CHANGE_PENDING;
  return count;
}

static void gather_past(struct collisions *c, const struct model *m)
{
  struct collisions_result *r = &c->result;
  struct collision *rejected = xcalloc(m->change_count == 0 ? 1 : m->change_count, sizeof *rejected);
  c->wait_count = c->key_count = r->past_count = 0;
  r->rejected = r->failed = r->queued = r->by_account = 0;
  for (size_t p = 0; p < c->parts.place_count; p++) {
    for (size_t i = 0; i < c->parts.places[p].count; i++) {
      const struct job_part *part = parts_at(&c->parts, p, i);
      for (size_t k = 0; k < part->count; k++)
        add_key(c, &part->items[k]);
    }
  }
  add_rejected(c, m, rejected);
  if (c->key_count > 1)
    qsort(c->keys, c->key_count, sizeof *c->keys, compare_keys);
  for (size_t i = 0; i < c->key_count; i++)
    add_past(c, c->keys[i].item);
  stats_sort(c->waits, c->wait_count);
  r->median_wait_seconds = c->wait_count == 0 ? -1 : (int64_t)stats_percentile(c->waits, c->wait_count, 50);
  c->past_stale = false;
  c->changes_seen = changes_of(m);
  free(rejected);
}

static int compare_now(const void *a, const void *b)
{
  const struct collision_now *x = a, *y = b;
  if ((x->waiting > 0) != (y->waiting > 0))
    return x->waiting > 0 ? -1 : 1;
  if (x->waiting > 0 && x->waiting_since_ms != y->waiting_since_ms)
    return x->waiting_since_ms < y->waiting_since_ms ? -1 : 1;
  if (x->place != y->place)
    return x->place < y->place ? -1 : 1;
  return x->job < y->job ? -1 : x->job > y->job;
}

static bool sees_the_same(struct collisions *c, const struct model *m, const struct plan *plan, int64_t now_ms)
{
  struct foresight now = {.generation = m->generation,
                          .plan_from_ms = plan == NULL ? 0 : plan->from_ms,
                          .plan_until_ms = plan == NULL ? 0 : plan->until_ms,
                          .minute = now_ms / WHEN_MINUTE,
                          .plan_count = plan == NULL ? 0 : plan->count,
                          .only = c->only,
                          .known = true};
  const struct foresight *was = &c->foresight;
  bool same = was->known && was->generation == now.generation && was->plan_from_ms == now.plan_from_ms &&
              was->plan_until_ms == now.plan_until_ms && was->minute == now.minute &&
              was->plan_count == now.plan_count && was->only == now.only;
  c->foresight = now;
  return same;
}

static void add_account(struct collisions *c, const struct collision_account *a)
{
  struct collisions_result *r = &c->result;
  r->accounts = xgrow(r->accounts, &c->account_cap, r->account_count + 1, sizeof *r->accounts);
  r->accounts[r->account_count++] = *a;
}

const struct collisions_result *collisions_result(struct collisions *c, const struct model *m,
                                                  struct stats_cache *stats, const struct plan *plan,
                                                  struct loads *loads, const struct collision_quotas *quotas,
                                                  size_t quota_count, int64_t now_ms)
{
  struct collisions_result *r = &c->result;
  int64_t until = c->sweep.until_ms < now_ms ? c->sweep.until_ms : now_ms;
  bool same = sees_the_same(c, m, plan, now_ms);
  size_t known_accounts = r->account_count;
  r->now_count = r->warning_count = r->account_count = r->job_count = 0;
  for (size_t p = 0; p < m->place_count; p++) {
    if (c->only < 0 ? !schedule_place_open(m, (int)p) : (size_t)c->only != p)
      continue;
    struct collision_quotas q = {.runs.value = quota_default(QUOTA_RUNS, m->places[p].region),
                                 .dpu.value = quota_default(QUOTA_DPU, m->places[p].region)};
    if (p < quota_count)
      q = quotas[p];
    struct collision_account account = {.place = (int)p,
                                        .runs_limit = (int64_t)q.runs.value,
                                        .dpu_limit = q.dpu.value,
                                        .runs_origin = q.runs.origin,
                                        .dpu_origin = q.dpu.origin,
                                        .assumed = q.runs.origin == QUOTA_DEFAULT || q.dpu.origin == QUOTA_DEFAULT,
                                        .expected_at_ms = WHEN_NONE};
    for (size_t i = 0; i < m->places[p].job_count; i++)
      look_at_job(c, m, stats, &account, i, now_ms);
    account.peak = load_peak(loads_of(loads, (int)p), c->sweep.since_ms, until + 1);
    if (same && r->account_count < known_accounts && r->accounts[r->account_count].place == (int)p) {
      account.expected_dpu_micros = r->accounts[r->account_count].expected_dpu_micros;
      account.expected_at_ms = r->accounts[r->account_count].expected_at_ms;
    } else {
      collisions_expect_peak(&account, m, stats, plan, now_ms);
    }
    add_account(c, &account);
  }
  if (c->past_stale || c->changes_seen != changes_of(m))
    gather_past(c, m);
  if (!same)
    collisions_predict(&c->predictions, m, stats, plan, c->only, now_ms);
  r->predicted = c->predictions.items;
  r->predicted_count = c->predictions.count;
  if (r->job_count > 1)
    qsort(r->jobs, r->job_count, sizeof *r->jobs, compare_jobs);
  if (r->now_count > 1)
    qsort(r->now, r->now_count, sizeof *r->now, compare_now);
  return r;
}
