/* The one table of retries, by error kind and by whether the call changes anything. */
#ifndef GLUETOP_AWS_RETRY_H
#define GLUETOP_AWS_RETRY_H

#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"

enum retry_verdict { RETRY_NO, RETRY_BACKOFF, RETRY_ONCE_FRESH_LOGIN, RETRY_ONCE_NEW_CLOCK };
/* left_us: could a byte of the request have left us in this try? tries: made so far; spent_ms: since the first. */
enum retry_verdict retry_decide(enum err_kind kind, bool changes, bool left_us, int tries, int64_t spent_ms);
/* Full jitter: random in [0, min(cap, base << tries)]; retry_after_ms (or -1) is honoured up to 20 s. random in [0, 1). */
int64_t retry_delay_ms(enum err_kind kind, int tries, int64_t retry_after_ms, double random);

#endif
