/* How many requests a second the account gets from us: one budget for each place, shared by all calls.
 *
 * Glue does not publish its API rates, so nothing is assumed: the rate is free until the service throttles for the first time. Then it is
 * set to somewhat less than what went through; every further refusal cuts it (multiplicative decrease, at most four times a second), every
 * request that passes lets it grow by a small step (additive increase), so that about one request in fifty meets the limit. Pure: time comes in, jitter from a seed. */
#ifndef GLUETOP_SYNC_BUDGET_H
#define GLUETOP_SYNC_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUDGET_WINDOW 256 /* sends that are remembered to know the present rate */

struct budget {
  double fixed;  /* max_requests_per_second of the config; 0: none */
  double rate;   /* allowed a second; INFINITY until the service throttled */
  double tokens; /* at most one second's worth and never less than one request's */
  int64_t filled_mono_ms;
  int64_t cut_mono_ms;           /* of the last decrease; INT64_MIN: never */
  int64_t passed[BUDGET_WINDOW]; /* when the last requests were answered and not throttled; a ring */
  unsigned passed_count, passed_next;
  int64_t refused_since_mono_ms; /* the first refusal since an answer that passed; INT64_MIN: none */
  uint64_t passed_since_cut;
  double met;               /* the rate at which the limit was met last; INFINITY: not known yet */
  uint64_t sent, throttled; /* in all */
  unsigned minute[60];      /* sent in each of the last seconds; a ring by the second's number */
  int64_t minute_at;        /* the second that was counted last */
  uint64_t random;
};

void budget_init(struct budget *b, double fixed_rate, uint64_t seed, int64_t mono_ms);
/* May a request leave now? Interactive ones may overdraw by a few tokens, so that a person's question does not wait behind a sync. Few are
 * so: whoever may overdraw leaves nothing for those who may not. */
bool budget_allows(struct budget *b, bool interactive, int64_t mono_ms);
void budget_take(struct budget *b, int64_t mono_ms);
/* When budget_allows may say yes (monotonic ms, jitter included); INT64_MIN: now. */
int64_t budget_next_ms(const struct budget *b, bool interactive, int64_t mono_ms);
/* For how long every answer has been a refusal for the rate; 0: the last was not. */
int64_t budget_silent_ms(const struct budget *b, int64_t mono_ms);
void budget_passed(struct budget *b, int64_t mono_ms);    /* an answer that was not throttled */
void budget_throttled(struct budget *b, int64_t mono_ms); /* a refusal for the rate */
double budget_rate(const struct budget *b);               /* INFINITY: no limit known */
/* Of a second-long average over the last answers; 0 when idle. */
double budget_present_rate(const struct budget *b, int64_t mono_ms);
unsigned budget_last_minute(const struct budget *b, int64_t mono_ms); /* requests sent in the last 60 s */
/* Uniform in [0, 1), from the budget's seed. */
double budget_random(struct budget *b);

#endif
