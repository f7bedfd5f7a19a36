#include "sim/faults.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/xalloc.h"
#include "sim/rng.h"

struct fault {
  char operation[64];
  char job[256]; /* only requests that name it; "": all */
  enum fault_kind kind;
  double value;
  double burst;
  double rate;    /* share of the requests that it meets */
  uint64_t after; /* requests let through first */
  uint64_t left;  /* how often it still strikes */
  uint64_t seen;
  double tokens; /* of the throttle's bucket */
  int64_t filled_ms;
};

static const struct {
  const char *name;
  double standard;  /* the value when none is given */
  bool needs_value; /* one must be given */
} kinds[FAULT_KIND_COUNT] = {
    [FAULT_LATENCY] = {"latency", 0, true},
    [FAULT_THROTTLE] = {"throttle", 0, false},
    [FAULT_500] = {"500", 0, false},
    [FAULT_503HTML] = {"503html", 0, false},
    [FAULT_RESET] = {"reset", 0, false},
    [FAULT_RESET_AFTER] = {"reset-after", 0, false},
    [FAULT_TRUNCATE] = {"truncate", 0, false},
    [FAULT_DRIP] = {"drip", 50, false},
    [FAULT_HANG] = {"hang", 0, false},
    [FAULT_GARBAGE] = {"garbage", 0, false},
    [FAULT_EXPIRED] = {"expired", 0, false},
    [FAULT_SKEW] = {"skew", 0, true},
    [FAULT_EMPTY_PAGES] = {"empty-pages", 1, false},
    [FAULT_REPEAT_TOKEN] = {"repeat-token", 0, false},
    [FAULT_DENIED] = {"denied", 0, false},
    [FAULT_GZIP] = {"gzip", 0, false},
    [FAULT_RETRY_AFTER] = {"retry-after", 1, false},
    [FAULT_HUGE] = {"huge", 64, false},
};

void sim_faults_init(struct faults *f, uint64_t seed)
{
  *f = (struct faults){.seed = sim_mix2(seed, 0xfa17)};
}

void sim_faults_fini(struct faults *f)
{
  free(f->items);
  *f = (struct faults){.seed = f->seed};
}

static bool read_number(const char *text, double low, double high, double *out)
{
  char *end = NULL;
  errno = 0;
  double v = strtod(text, &end);
  if (end == text || *end != '\0' || errno != 0 || !(v >= low && v <= high))
    return false;
  *out = v;
  return true;
}

/* "RATE[:BURST]"; a burst that is not told is one second's worth, at least one. */
static bool read_bucket(struct fault *fault, char *text)
{
  char *colon = strchr(text, ':');
  if (colon != NULL)
    *colon++ = '\0';
  if (!read_number(text, 0, 1e6, &fault->value))
    return false;
  fault->burst = fault->value < 1 ? 1 : fault->value;
  if (colon != NULL && !read_number(colon, 0, 1e6, &fault->burst))
    return false;
  fault->tokens = fault->burst;
  return true;
}

static bool read_kind(struct fault *fault, char *text)
{
  char *value = strchr(text, '=');
  if (value != NULL)
    *value++ = '\0';
  for (size_t i = 0; i < FAULT_KIND_COUNT; i++) {
    if (strcmp(text, kinds[i].name) != 0)
      continue;
    fault->kind = (enum fault_kind)i;
    fault->value = kinds[i].standard;
    if (fault->kind == FAULT_THROTTLE)
      return value == NULL || read_bucket(fault, value);
    return value != NULL ? read_number(value, -1e9, 1e9, &fault->value) : !kinds[i].needs_value;
  }
  return false;
}

static bool read_option(struct fault *fault, const char *text)
{
  double n;
  if (strncmp(text, "rate=", 5) == 0)
    return read_number(text + 5, 0, 1, &fault->rate);
  if (strncmp(text, "count=", 6) == 0 && read_number(text + 6, 0, 1e15, &n)) {
    fault->left = (uint64_t)n;
    return true;
  }
  if (strncmp(text, "after=", 6) == 0 && read_number(text + 6, 0, 1e15, &n)) {
    fault->after = (uint64_t)n;
    return true;
  }
  if (strncmp(text, "job=", 4) == 0 && text[4] != '\0' && strlen(text + 4) < sizeof fault->job) {
    snprintf(fault->job, sizeof fault->job, "%s", text + 4);
    return true;
  }
  return false;
}

struct err sim_faults_parse(struct faults *f, const char *spec)
{
  struct fault fault = {.rate = 1, .left = UINT64_MAX, .filled_ms = INT64_MIN};
  char *copy = xstrdup(spec);
  char *kind = strchr(copy, ':');
  bool good = kind != NULL && kind != copy && (size_t)(kind - copy) < sizeof fault.operation;
  if (good) {
    *kind++ = '\0';
    snprintf(fault.operation, sizeof fault.operation, "%s", copy);
    char *next = strchr(kind, ',');
    if (next != NULL)
      *next++ = '\0';
    good = read_kind(&fault, kind);
    while (good && next != NULL) {
      char *option = next;
      next = strchr(option, ',');
      if (next != NULL)
        *next++ = '\0';
      good = read_option(&fault, option);
    }
  }
  free(copy);
  if (!good)
    return err_new(ERR_USAGE, "not a fault: \"%s\" (OPERATION:KIND[=VALUE][,rate=R][,count=N][,after=N][,job=NAME])",
                   spec);
  f->items = xgrow(f->items, &f->cap, f->count + 1, sizeof *f->items);
  f->items[f->count++] = fault;
  return err_ok();
}

/* Takes a token; false when there is none: the request is refused. */
static bool bucket_take(struct fault *fault, int64_t mono_ms)
{
  if (fault->filled_ms == INT64_MIN)
    fault->filled_ms = mono_ms;
  fault->tokens += (double)(mono_ms - fault->filled_ms) / 1000.0 * fault->value;
  fault->filled_ms = mono_ms;
  if (fault->tokens > fault->burst)
    fault->tokens = fault->burst;
  if (fault->tokens < 1)
    return false;
  fault->tokens -= 1;
  return true;
}

/* By itself or in a list of names: as a string of the JSON it is there in quotes either way. */
static bool body_names(const char *body, const char *job)
{
  size_t len = strlen(job);
  for (const char *at = strstr(body, job); at != NULL; at = strstr(at + 1, job))
    if (at > body && at[-1] == '"' && at[len] == '"')
      return true;
  return false;
}

void sim_faults_apply(struct faults *f, const char *operation, const char *body, int64_t mono_ms,
                      struct fault_effect *out)
{
  *out = (struct fault_effect){.any = false};
  for (size_t i = 0; i < f->count; i++) {
    struct fault *fault = &f->items[i];
    if (strcmp(fault->operation, "*") != 0 && strcmp(fault->operation, operation) != 0)
      continue;
    if (fault->job[0] != '\0' && !body_names(body, fault->job))
      continue;
    uint64_t nth = fault->seen++;
    if (nth < fault->after || fault->left == 0)
      continue;
    uint64_t lot = sim_mix2(sim_mix2(f->seed, i), nth);
    if (fault->rate < 1 && sim_rng_unit(&lot) >= fault->rate)
      continue;
    if (fault->kind == FAULT_THROTTLE && bucket_take(fault, mono_ms))
      continue;
    if (fault->left != UINT64_MAX)
      fault->left--;
    out->on[fault->kind] = true;
    out->value[fault->kind] = fault->value;
    out->any = true;
  }
}
