/* The one table of retries, by error kind and by whether the call changes anything.
 *
 * Reads are tried up to 6 times within 30 s. A call that changes AWS is sent again only when no byte of it left us, or once
 * after a refusal for an expired token or a wrong clock: StartJobRun has no idempotency token, so that a repeat after a lost
 * answer starts a second run. */
#ifndef GLUETOP_AWS_RETRY_H
#define GLUETOP_AWS_RETRY_H

#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"

#define RETRY_TRIES_MAX    6
#define RETRY_SPAN_MS      INT64_C(30000) /* no try begins later than this after the first */
#define RETRY_AFTER_MAX_MS INT64_C(20000) /* the longest wish of a service that is honoured */

enum retry_verdict { RETRY_NO, RETRY_BACKOFF, RETRY_ONCE_FRESH_LOGIN, RETRY_ONCE_NEW_CLOCK };
/* left_us: could a byte of the request have left us in this try? tries: made so far; spent_ms: since the first. The two
 * RETRY_ONCE verdicts are given whatever `tries` says: the caller knows whether it has used them up. */
enum retry_verdict retry_decide(enum err_kind kind, bool changes, bool left_us, int tries, int64_t spent_ms);
/* Full jitter: random in [0, min(cap, base << (tries - 1))]; retry_after_ms (or -1) is honoured up to 20 s, with up to half a
 * second more so that many clients do not come back at once. random in [0, 1). */
int64_t retry_delay_ms(enum err_kind kind, int tries, int64_t retry_after_ms, double random);
/* Is the outcome of a write not known after this failure? Then it is told as ERR_UNCERTAIN. Throttling is a refusal here; calls
 * for which even that is not sure (StartJobRun, which has been carried out although the answer said throttled) decide so
 * themselves. */
bool retry_outcome_unknown(enum err_kind kind, bool left_us);

#endif
