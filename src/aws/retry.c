#include "aws/retry.h"

#include <stddef.h>

/* How one kind of failure is met. Zero tries: never again. */
struct retry_rule {
  int read_tries;     /* of a call that changes nothing */
  int unsent_tries;   /* of a write no byte of which left us */
  bool write_unknown; /* may the write have been carried out, once a byte left us? */
  int base_ms;        /* of the back-off */
};

/* Kinds that are not here (usage, denied, not found, conflict, limit …) are answers: asking again changes nothing. Expired
 * logins and wrong clocks are refusals before anything was done, and are asked again once for reads and writes alike. */
static const struct retry_rule retry_rules[ERR_KIND_COUNT] = {
    [ERR_THROTTLED] = {.read_tries = RETRY_TRIES_MAX, .base_ms = 1000},
    [ERR_NETWORK] = {.read_tries = RETRY_TRIES_MAX,
                     .unsent_tries = RETRY_TRIES_MAX,
                     .write_unknown = true,
                     .base_ms = 250},
    [ERR_TIMEOUT] = {.read_tries = RETRY_TRIES_MAX,
                     .unsent_tries = RETRY_TRIES_MAX,
                     .write_unknown = true,
                     .base_ms = 250},
    [ERR_SERVER] = {.read_tries = RETRY_TRIES_MAX, .write_unknown = true, .base_ms = 250},
    /* A handshake may be cut off by the network; a certificate that does not fit will not fit the third time either. */
    [ERR_TLS] = {.read_tries = 2, .unsent_tries = 2, .write_unknown = true, .base_ms = 250},
    /* A page may be garbled on the way like any other loss. */
    [ERR_PARSE] = {.read_tries = RETRY_TRIES_MAX, .write_unknown = true, .base_ms = 250},
    [ERR_TOO_BIG] = {.write_unknown = true},
    [ERR_IO] = {.write_unknown = true},
    [ERR_CANCELLED] = {.write_unknown = true},
};

#define RETRY_CAP_MS    20000.0
#define RETRY_SPREAD_MS 500.0

static const struct retry_rule *retry_rule(enum err_kind kind)
{
  size_t index = (size_t)kind;
  return &retry_rules[index < ERR_KIND_COUNT ? index : ERR_OK];
}

enum retry_verdict retry_decide(enum err_kind kind, bool changes, bool left_us, int tries, int64_t spent_ms)
{
  if (kind == ERR_EXPIRED)
    return RETRY_ONCE_FRESH_LOGIN;
  if (kind == ERR_SKEW)
    return RETRY_ONCE_NEW_CLOCK;
  const struct retry_rule *rule = retry_rule(kind);
  int allowed = rule->read_tries;
  if (changes)
    allowed = left_us ? 0 : rule->unsent_tries;
  return tries < allowed && spent_ms < RETRY_SPAN_MS ? RETRY_BACKOFF : RETRY_NO;
}

int64_t retry_delay_ms(enum err_kind kind, int tries, int64_t retry_after_ms, double random)
{
  if (retry_after_ms >= 0) {
    int64_t wish = retry_after_ms < RETRY_AFTER_MAX_MS ? retry_after_ms : RETRY_AFTER_MAX_MS;
    return wish + (int64_t)(random * RETRY_SPREAD_MS);
  }
  double longest = retry_rule(kind)->base_ms;
  for (int i = 1; i < tries && longest < RETRY_CAP_MS; i++)
    longest *= 2;
  if (longest > RETRY_CAP_MS)
    longest = RETRY_CAP_MS;
  return (int64_t)(random * longest);
}

bool retry_outcome_unknown(enum err_kind kind, bool left_us)
{
  return left_us && retry_rule(kind)->write_unknown;
}
