/* The day of an account of 2,000 jobs in a few seconds: 30 runs in flight, 40 jobs on the screen, 8 that triggers start, and changes among all
 * of them, through the whole loop on a clock that moves by itself (fake_aws.h). Told is how long after the service each change was shown.
 * For the unit tests, which hold it against the aims, and for the bench, which prints it. */
#ifndef TESTS_UNIT_STEADY_H
#define TESTS_UNIT_STEADY_H

#include <stdbool.h>
#include <stdint.h>

struct steady_options {
  double limit_per_second; /* of the service; 0: none */
  double refresh_seconds;  /* < 0: the built-in rhythm */
  double max_requests_per_second;
  bool looked_away; /* the terminal said that it lost the focus */
  int64_t span_ms;  /* how long it is looked at, once everything was read */
};

struct steady_class {
  unsigned changes;
  int64_t worst_ms; /* the longest that one of them took to be shown, or has taken so far */
};

struct steady_figures {
  double requests_per_second;
  double throttled_percent;
  int64_t throttled_for_ms; /* the longest time in which not one request was let through though some were sent */
  struct steady_class live; /* jobs on the screen, runs in flight */
  struct steady_class schedule;
  struct steady_class any;
  int64_t live_age_ms, any_age_ms; /* the oldest rows there were */
  int64_t told_oldest_ms;          /* the oldest answer of any job by the Polling view's word, at the end */
};

/* False: it did not come to rest, or could not be begun. */
bool steady_run(const struct steady_options *options, struct steady_figures *out);

#endif
