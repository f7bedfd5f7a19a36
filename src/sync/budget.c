#include "sync/budget.h"

#include <math.h>

#define BUDGET_CUT            0.85
#define BUDGET_OVERSHOT_CUT   0.95 /* of what went through, where that is less still */
#define BUDGET_SAMPLES        8
#define BUDGET_MIN_RATE       0.25   /* a request in four seconds, whatever happens */
#define BUDGET_GROW_STEP      0.0018 /* of the rate, for a request that passed; the longer all goes well, the bolder */
#define BUDGET_GROW_BOLDER    40.0   /* requests that passed since the cut until the step has doubled */
#define BUDGET_PROBE_STEP     0.2    /* ... as long as the limit is not known to be near */
#define BUDGET_PROBE_A_SECOND 1.4    /* ... and no more than that share in a second */
#define BUDGET_PROBE_BELOW    0.8    /* of where the limit was met last */
#define BUDGET_FIRST_MIN      4.0    /* the first refusal may be somebody else's doing */
#define BUDGET_CUT_REST_MS    INT64_C(250)
#define BUDGET_OVERDRAFT      3.0
#define BUDGET_FREE_ABOVE     2000.0        /* nobody throttles there: the limit has gone */
#define BUDGET_RATE_MIN_MS    INT64_C(1000) /* a burst that the service lets pass is no rate */

void budget_init(struct budget *b, double fixed_rate, uint64_t seed, int64_t mono_ms)
{
  *b = (struct budget){.fixed = fixed_rate > 0 ? fixed_rate : 0,
                       .rate = (double)INFINITY,
                       .tokens = 1,
                       .filled_mono_ms = mono_ms,
                       .cut_mono_ms = INT64_MIN,
                       .refused_since_mono_ms = INT64_MIN,
                       .random = seed * UINT64_C(2862933555777941757) + UINT64_C(3037000493)};
}

double budget_random(struct budget *b)
{
  b->random = b->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(b->random >> 11) / 9007199254740992.0;
}

double budget_rate(const struct budget *b)
{
  return b->fixed > 0 && b->fixed < b->rate ? b->fixed : b->rate;
}

/* Tokens that are there at that moment: they fill up to a quarter of a second's worth, so that an idle minute is no burst. */
static double budget_tokens(const struct budget *b, int64_t mono_ms)
{
  double rate = budget_rate(b);
  double full = rate * 0.25 < 1 ? 1 : rate * 0.25;
  double passed = mono_ms > b->filled_mono_ms ? (double)(mono_ms - b->filled_mono_ms) / 1000.0 : 0;
  double tokens = b->tokens + passed * rate;
  return tokens > full ? full : tokens;
}

static double budget_floor(bool interactive)
{
  return interactive ? 1 - BUDGET_OVERDRAFT : 1;
}

bool budget_allows(struct budget *b, bool interactive, int64_t mono_ms)
{
  if (isinf(budget_rate(b)))
    return true;
  b->tokens = budget_tokens(b, mono_ms);
  b->filled_mono_ms = mono_ms;
  return b->tokens >= budget_floor(interactive) - 1e-9;
}

/* Seconds in which nothing was sent are emptied. */
static void minute_turn(struct budget *b, int64_t mono_ms)
{
  int64_t second = mono_ms / 1000;
  int64_t from = second - b->minute_at > 60 ? second - 60 : b->minute_at;
  for (int64_t s = from + 1; s <= second; s++)
    b->minute[s % 60] = 0;
  if (second > b->minute_at)
    b->minute_at = second;
}

unsigned budget_last_minute(const struct budget *b, int64_t mono_ms)
{
  struct budget copy = *b;
  unsigned n = 0;
  minute_turn(&copy, mono_ms);
  for (size_t i = 0; i < 60; i++)
    n += copy.minute[i];
  return n;
}

void budget_take(struct budget *b, int64_t mono_ms)
{
  b->sent++;
  minute_turn(b, mono_ms);
  b->minute[mono_ms / 1000 % 60]++;
  if (isinf(budget_rate(b)))
    return;
  b->tokens = budget_tokens(b, mono_ms) - 1;
  b->filled_mono_ms = mono_ms;
}

int64_t budget_next_ms(const struct budget *b, bool interactive, int64_t mono_ms)
{
  double rate = budget_rate(b);
  if (isinf(rate))
    return INT64_MIN;
  double missing = budget_floor(interactive) - budget_tokens(b, mono_ms);
  return missing <= 0 ? INT64_MIN : mono_ms + (int64_t)ceil(missing / rate * 1000.0);
}

double budget_present_rate(const struct budget *b, int64_t mono_ms)
{
  /* From the last few that passed; a burst that the service let pass is no rate, so it counts as a second's. */
  if (b->passed_count < BUDGET_SAMPLES)
    return b->passed_count;
  unsigned n = BUDGET_SAMPLES;
  int64_t first = b->passed[(b->passed_next + BUDGET_WINDOW - n) % BUDGET_WINDOW];
  while (n < b->passed_count && mono_ms - first < BUDGET_RATE_MIN_MS) {
    n++;
    first = b->passed[(b->passed_next + BUDGET_WINDOW - n) % BUDGET_WINDOW];
  }
  int64_t span = mono_ms - first;
  return n * 1000.0 / (double)(span < BUDGET_RATE_MIN_MS ? BUDGET_RATE_MIN_MS : span);
}

int64_t budget_silent_ms(const struct budget *b, int64_t mono_ms)
{
  return b->refused_since_mono_ms == INT64_MIN ? 0 : mono_ms - b->refused_since_mono_ms;
}

void budget_passed(struct budget *b, int64_t mono_ms)
{
  b->refused_since_mono_ms = INT64_MIN;
  b->passed[b->passed_next] = mono_ms;
  b->passed_next = (b->passed_next + 1) % BUDGET_WINDOW;
  if (b->passed_count < BUDGET_WINDOW)
    b->passed_count++;
  if (isinf(b->rate))
    return;
  b->tokens = budget_tokens(b, mono_ms);
  b->filled_mono_ms = mono_ms;
  b->passed_since_cut++;
  double step = BUDGET_GROW_STEP * (1 + (double)b->passed_since_cut / BUDGET_GROW_BOLDER);
  if (b->rate < b->met * BUDGET_PROBE_BELOW)
    step = b->rate > BUDGET_PROBE_A_SECOND / BUDGET_PROBE_STEP ? BUDGET_PROBE_A_SECOND / b->rate : BUDGET_PROBE_STEP;
  b->rate += b->rate * step;
  if (b->rate > BUDGET_FREE_ABOVE)
    b->rate = (double)INFINITY;
}

void budget_throttled(struct budget *b, int64_t mono_ms)
{
  b->throttled++;
  if (b->refused_since_mono_ms == INT64_MIN)
    b->refused_since_mono_ms = mono_ms;
  /* All that were in flight when the limit was met tell the same news: one cut for them together. */
  if (b->cut_mono_ms != INT64_MIN && mono_ms - b->cut_mono_ms < BUDGET_CUT_REST_MS)
    return;
  double through = budget_present_rate(b, mono_ms);
  double rate = b->rate * BUDGET_CUT;
  if (isinf(b->rate)) {
    rate = through < BUDGET_FIRST_MIN ? BUDGET_FIRST_MIN : through * BUDGET_OVERSHOT_CUT;
    b->met = (double)INFINITY; /* the first refusal says little about where the limit is: go and find it */
  } else if (b->passed_count >= BUDGET_SAMPLES && through * BUDGET_OVERSHOT_CUT < rate) {
    b->met = through;
    rate = through * BUDGET_OVERSHOT_CUT;
  } else {
    b->met = b->rate;
  }
  b->rate = rate < BUDGET_MIN_RATE ? BUDGET_MIN_RATE : rate;
  if (b->tokens > 0 || isinf(b->tokens))
    b->tokens = 0;
  b->filled_mono_ms = mono_ms;
  b->cut_mono_ms = mono_ms;
  b->passed_since_cut = 0;
}
