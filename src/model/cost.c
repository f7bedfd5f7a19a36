#include "model/cost.h"

#include <math.h>
#include <string.h>

#include "base/sum.h"
#include "model/private.h"
#include "model/worker.h"

#define MICROS              INT64_C(1000000)
#define SECONDS_PER_HOUR    INT64_C(3600)
#define MINIMUM_SECONDS     60
#define OLD_MINIMUM_SECONDS 600 /* Glue 0.9 and 1.0 */
#define MICROS_PER_DPU_HOUR (SECONDS_PER_HOUR * MICROS)

const char *cost_basis_word(enum cost_basis b)
{
  static const char *const words[COST_BASIS_COUNT] = {"measured", "computed", "estimated", "unknown"};
  return b < COST_BASIS_COUNT ? words[b] : "unknown";
}

int64_t cost_mul_div(int64_t a, int64_t b, int64_t c)
{
  uint64_t ua = (uint64_t)a, ub = (uint64_t)b, divisor = (uint64_t)c;
  if (b == 0 || a <= INT64_MAX / b) { /* nearly always */
    uint64_t product = ua * ub, left = product % divisor;
    return (int64_t)(product / divisor) + (left * 2 >= divisor);
  }
  uint64_t al = ua & UINT32_MAX, ah = ua >> 32, bl = ub & UINT32_MAX, bh = ub >> 32;
  /* the product as four digits of 32 bits, least first */
  uint64_t low = al * bl, mid1 = ah * bl, mid2 = al * bh, high = ah * bh;
  uint64_t carry = (low >> 32) + (mid1 & UINT32_MAX) + (mid2 & UINT32_MAX);
  uint64_t digit[4] = {low & UINT32_MAX, carry & UINT32_MAX, 0, 0};
  high += (mid1 >> 32) + (mid2 >> 32) + (carry >> 32);
  digit[2] = high & UINT32_MAX;
  digit[3] = high >> 32;
  uint64_t quotient[4], rest = 0;
  for (int i = 3; i >= 0; i--) {
    uint64_t part = rest << 32 | digit[i];
    quotient[i] = part / divisor;
    rest = part % divisor;
  }
  if (quotient[3] != 0 || quotient[2] != 0 || quotient[1] > INT32_MAX)
    return INT64_MAX;
  int64_t result = (int64_t)(quotient[1] << 32 | quotient[0]);
  if (rest * 2 >= divisor && result < INT64_MAX)
    result++;
  return result;
}

double cost_dpu_hours(int64_t dpu_micros)
{
  return (double)dpu_micros / (double)MICROS_PER_DPU_HOUR;
}

/* --- which rules hold for a run ------------------------------------------------------------------------------------- */

struct terms {
  enum job_type type;
  const struct worker_type *worker; /* NULL: none or unknown */
  const char *version;              /* or NULL */
  bool odd_worker;                  /* a worker type that is not in the table */
  int32_t minimum_seconds;
  int64_t dpu_micros; /* per second at full size; -1: unknown */
  bool varies;        /* Flex or auto-scaled: full size is only an upper bound */
};

static bool has_old_minimum(const char *version)
{
  return version != NULL && (strncmp(version, "0.", 2) == 0 || strcmp(version, "1.0") == 0);
}

/* In millionths; -1 for what cannot be one. */
static int64_t to_micros(double value, double most)
{
  if (isnan(value) || value < 0 || value > most)
    return -1;
  return (int64_t)llround(value * (double)MICROS);
}

int64_t cost_size_micros(double dpu)
{
  return to_micros(dpu, SIZE_DPU_MAX);
}

static struct terms terms_of(const struct model *m, const struct job *j, const struct run *r)
{
  struct terms t = {.type = j == NULL ? JOB_TYPE_OTHER : j->type, .minimum_seconds = MINIMUM_SECONDS, .dpu_micros = -1};
  const char *worker = model_str(m, r->worker_type);
  t.worker = worker == NULL ? NULL : worker_type_find(worker);
  t.odd_worker = worker != NULL && worker[0] != '\0' && t.worker == NULL;
  t.version = model_str(m, r->glue_version);
  if (t.version == NULL && j != NULL)
    t.version = model_str(m, j->glue_version);
  if (t.type == JOB_TYPE_OTHER) { /* only these have such sizes */
    if (t.worker != NULL && strcmp(t.worker->name, "Z.2X") == 0)
      t.type = JOB_RAY;
    else if (worker == NULL && (r->max_capacity > 0 && r->max_capacity < 1))
      t.type = JOB_PYTHON_SHELL;
  }
  if (t.type != JOB_PYTHON_SHELL && t.type != JOB_RAY && has_old_minimum(t.version))
    t.minimum_seconds = OLD_MINIMUM_SECONDS;
  t.dpu_micros = cost_size_micros(model_run_dpu(m, r));
  t.varies = r->execution_class == CLASS_FLEX || (r->flags & RUN_FLAG_AUTO_SCALING) != 0;
  return t;
}

static struct price price_of(const struct model *m, const struct price_table *prices, int place, const struct run *r,
                             const struct terms *t, enum price_item *item, enum price_generation *generation,
                             bool *sure)
{
  const char *region = place >= 0 && (size_t)place < m->place_count ? m->places[place].region : "";
  const char *worker = model_str(m, r->worker_type);
  *sure = true;
  *item = PRICE_STANDARD;
  *generation = PRICE_GEN_1;
  if (t->type == JOB_PYTHON_SHELL) {
    *item = PRICE_PYTHON;
  } else if (t->type == JOB_RAY) {
    *item = PRICE_RAY;
    *sure = false; /* another unit of price */
  } else {
    *sure = price_generation_of(t->version, generation);
    if (t->worker != NULL && t->worker->memory_optimised)
      *item = PRICE_MEMORY;
    else if (t->odd_worker && worker[0] == 'R' && worker[1] == '.')
      *item = PRICE_MEMORY;
    else if (r->execution_class == CLASS_FLEX)
      *item = PRICE_FLEX;
    if (t->odd_worker || r->execution_class == CLASS_OTHER)
      *sure = false;
  }
  return price_find(prices, region, *item, *generation);
}

struct price cost_price_of_run(const struct model *m, const struct price_table *prices, int place, const struct job *j,
                               const struct run *r, enum price_item *item, enum price_generation *generation,
                               bool *sure)
{
  struct terms t = terms_of(m, j, r);
  enum price_item any_item;
  enum price_generation any_generation;
  bool any_sure;
  return price_of(m, prices, place, r, &t, item == NULL ? &any_item : item,
                  generation == NULL ? &any_generation : generation, sure == NULL ? &any_sure : sure);
}

/* --- one run -------------------------------------------------------------------------------------------------------- */

static struct cost nothing(void)
{
  return (struct cost){.dpu_basis = COST_COMPUTED, .usd_basis = COST_COMPUTED};
}

static struct cost unknown(void)
{
  return (struct cost){.dpu_basis = COST_UNKNOWN, .usd_basis = COST_UNKNOWN};
}

int64_t cost_began(const struct run *r, bool *guessed)
{
  return model_run_began(r, r->fetched_ms, guessed);
}

int64_t cost_ended(const struct run *r, int64_t now_ms)
{
  int64_t began = cost_began(r, NULL), end = run_finished(r) && r->completed_ms != WHEN_NONE ? r->completed_ms : now_ms;
  return began != WHEN_NONE && end < began ? began : end;
}

/* Milliseconds that the run has been billed for, the minimum applied; false: not known. */
static bool billed_ms(const struct run *r, const struct terms *t, int64_t now_ms, int64_t *ms, bool *guessed)
{
  int64_t minimum = t->minimum_seconds * WHEN_SECOND;
  *guessed = false;
  if (run_finished(r)) {
    if (r->execution_seconds >= 0) {
      *ms = r->execution_seconds * WHEN_SECOND;
    } else {
      int64_t began = cost_began(r, guessed);
      if (began == WHEN_NONE || r->completed_ms == WHEN_NONE)
        return false;
      *ms = r->completed_ms > began ? sum_less(r->completed_ms, began) : 0;
      *guessed = true; /* it may hold waiting and start-up */
    }
  } else {
    int64_t began = cost_began(r, guessed);
    if (began == WHEN_NONE)
      return false;
    *ms = now_ms > began ? sum_less(now_ms, began) : 0;
    *guessed = *guessed || r->state == RUN_STATE_UNKNOWN;
  }
  if (*ms < minimum)
    *ms = minimum;
  return true;
}

static struct cost capacity_of(const struct run *r, const struct terms *t, int64_t now_ms)
{
  enum run_state state = (enum run_state)r->state;
  const struct run_state_info *info = run_state_info(state);
  int64_t measured = to_micros(r->dpu_seconds, SIZE_DPU_SECONDS_MAX), ms = 0;
  bool guessed = false;
  if (state != RUN_STATE_UNKNOWN && !info->billed)
    return nothing();
  if (measured > 0) {
    int64_t floor = t->worker == NULL ? 0 : (int64_t)llround(t->worker->dpu * MINIMUM_SECONDS * (double)MICROS);
    return (struct cost){
        .dpu_micros = measured > floor ? measured : floor, .dpu_basis = COST_MEASURED, .usd_basis = COST_MEASURED};
  }
  if (info->finished && r->execution_seconds == 0)
    return nothing();
  if (state == RUN_STATE_UNKNOWN && r->execution_seconds <= 0)
    return unknown();
  if (t->dpu_micros < 0 || !billed_ms(r, t, now_ms, &ms, &guessed))
    return unknown();
  enum cost_basis basis = guessed || t->varies ? COST_ESTIMATED : COST_COMPUTED;
  return (struct cost){
      .dpu_micros = cost_mul_div(t->dpu_micros, ms, WHEN_SECOND), .dpu_basis = basis, .usd_basis = basis};
}

/* Fills the money side of c; class_index also for runs that cost nothing. */
static struct cost priced(const struct model *m, const struct price_table *prices, int place, const struct run *r,
                          const struct terms *t, struct cost c, size_t *class_index)
{
  enum price_item item;
  enum price_generation generation;
  bool sure = true;
  struct price price = price_of(m, prices, place, r, t, &item, &generation, &sure);
  *class_index = (size_t)item * PRICE_GENERATION_COUNT + (size_t)generation;
  if (c.dpu_basis == COST_UNKNOWN || (c.dpu_micros == 0 && c.dpu_basis == COST_COMPUTED))
    return c;
  if (!price.known) {
    c.usd_basis = COST_UNKNOWN;
    return c;
  }
  c.nano = cost_mul_div(c.dpu_micros, price.nano_per_hour, MICROS_PER_DPU_HOUR);
  if (price.estimated || !sure)
    c.usd_basis = COST_ESTIMATED;
  return c;
}

struct cost cost_and_class_of_run(const struct model *m, const struct price_table *prices, int place,
                                  const struct job *j, const struct run *r, int64_t now_ms, size_t *class_index)
{
  struct terms t = terms_of(m, j, r);
  return priced(m, prices, place, r, &t, capacity_of(r, &t, now_ms), class_index);
}

struct cost cost_of_run(const struct model *m, const struct price_table *prices, int place, const struct job *j,
                        const struct run *r, int64_t now_ms)
{
  struct terms t = terms_of(m, j, r);
  struct cost c = capacity_of(r, &t, now_ms);
  size_t ignored;
  return priced(m, prices, place, r, &t, c, &ignored);
}

bool cost_rate_of_run(const struct model *m, const struct price_table *prices, int place, const struct job *j,
                      const struct run *r, int64_t *nano_per_hour)
{
  struct terms t = terms_of(m, j, r);
  struct price price;
  *nano_per_hour = 0;
  if (r->state != RUN_RUNNING && r->state != RUN_STOPPING)
    return true;
  price = cost_price_of_run(m, prices, place, j, r, NULL, NULL, NULL);
  if (t.dpu_micros < 0 || !price.known)
    return false;
  *nano_per_hour = cost_mul_div(t.dpu_micros, price.nano_per_hour, MICROS);
  return true;
}

static enum cost_limit worst(int64_t dpu_micros, int32_t timeout, const struct price *price, int64_t least_seconds,
                             int64_t *nano)
{
  int64_t seconds = (int64_t)timeout * 60;
  *nano = 0;
  if (timeout == 0)
    return COST_LIMIT_NONE;
  if (timeout < 0 || dpu_micros < 0 || !price->known)
    return COST_LIMIT_UNKNOWN;
  if (seconds < least_seconds)
    seconds = least_seconds;
  *nano = cost_mul_div(cost_mul_div(dpu_micros, seconds, 1), price->nano_per_hour, MICROS_PER_DPU_HOUR);
  return COST_LIMIT_KNOWN;
}

enum cost_limit cost_worst_of_run(const struct model *m, const struct price_table *prices, int place,
                                  const struct job *j, const struct run *r, int64_t now_ms, int64_t *nano)
{
  struct terms t = terms_of(m, j, r);
  struct price price = cost_price_of_run(m, prices, place, j, r, NULL, NULL, NULL);
  int64_t began = cost_began(r, NULL);
  int64_t so_far = began == WHEN_NONE || now_ms < began ? 0 : sum_less(now_ms, began) / WHEN_SECOND;
  return worst(t.dpu_micros, model_run_timeout(m, j, r, NULL), &price, so_far, nano);
}

enum cost_limit cost_worst_of_job(const struct model *m, const struct price_table *prices, int place,
                                  const struct job *j, int64_t *nano)
{
  /* a run as the service would make it from the definition */
  struct run r = {.max_capacity = j->max_capacity,
                  .dpu_seconds = (double)NAN,
                  .worker_type = j->worker_type,
                  .workers = j->workers,
                  .glue_version = j->glue_version,
                  .execution_class = (unsigned)j->execution_class & 15u};
  struct price price = cost_price_of_run(m, prices, place, j, &r, NULL, NULL, NULL);
  struct terms t = terms_of(m, j, &r);
  return worst(t.dpu_micros, model_job_timeout(m, j, NULL), &price, 0, nano);
}

/* --- sums ----------------------------------------------------------------------------------------------------------- */

static int64_t add_up(const int64_t *parts)
{
  int64_t sum = parts[COST_MEASURED];
  sum_add(&sum, parts[COST_COMPUTED]);
  sum_add(&sum, parts[COST_ESTIMATED]);
  return sum;
}

void cost_sum_add(struct cost_sum *s, const struct cost *c)
{
  s->runs++;
  if (c->usd_basis == COST_UNKNOWN)
    s->runs_unknown++;
  sum_add(&s->nano[c->usd_basis], c->nano);
  sum_add(&s->dpu_micros[c->dpu_basis], c->dpu_micros);
}

void cost_sum_take(struct cost_sum *s, const struct cost *c)
{
  s->runs--;
  if (c->usd_basis == COST_UNKNOWN)
    s->runs_unknown--;
  sum_add(&s->nano[c->usd_basis], -c->nano);
  sum_add(&s->dpu_micros[c->dpu_basis], -c->dpu_micros);
}

void cost_sum_add_sum(struct cost_sum *s, const struct cost_sum *more)
{
  s->runs += more->runs;
  s->runs_unknown += more->runs_unknown;
  for (int b = 0; b < COST_BASIS_COUNT; b++) {
    sum_add(&s->nano[b], more->nano[b]);
    sum_add(&s->dpu_micros[b], more->dpu_micros[b]);
  }
}

int64_t cost_sum_nano(const struct cost_sum *s)
{
  return add_up(s->nano);
}

int64_t cost_sum_dpu_micros(const struct cost_sum *s)
{
  return add_up(s->dpu_micros);
}

/* How much of the whole lies before t. The divisor has 32 bits: milliseconds for runs of up to 49 days, whole seconds beyond. */
static int64_t part_before(int64_t whole, int64_t began_ms, int64_t ended_ms, int64_t t_ms)
{
  if (t_ms >= ended_ms)
    return whole;
  if (t_ms <= began_ms)
    return 0;
  int64_t length = sum_less(ended_ms, began_ms), done = sum_less(t_ms, began_ms);
  if (length > UINT32_MAX) {
    done /= WHEN_SECOND;
    length = length / WHEN_SECOND + (length % WHEN_SECOND != 0);
  }
  if (length > UINT32_MAX) { /* longer than 136 years: nonsense, but it must add up */
    done /= UINT32_MAX;
    length = length / UINT32_MAX + 1;
  }
  return cost_mul_div(whole, done, length);
}

int64_t cost_part(int64_t whole, int64_t began_ms, int64_t ended_ms, int64_t from_ms, int64_t to_ms)
{
  if (ended_ms <= began_ms) /* all at one moment */
    return began_ms >= from_ms && began_ms < to_ms ? whole : 0;
  return part_before(whole, began_ms, ended_ms, to_ms) - part_before(whole, began_ms, ended_ms, from_ms);
}
