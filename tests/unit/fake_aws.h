/* An AWS without a network, for tests of the loop: the calls of src/aws answered from an account in memory, on a clock that moves by itself
 * while the loop waits. Linked instead of libaws.a. */
#ifndef TESTS_UNIT_FAKE_AWS_H
#define TESTS_UNIT_FAKE_AWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "aws/credentials.h"
#include "base/clock.h"
#include "base/err.h"
#include "model/price_list.h"
#include "model/quota.h"

enum fake_op {
  FAKE_IDENTITY,
  FAKE_GET_JOBS,
  FAKE_LIST_JOBS,
  FAKE_BATCH_GET_JOBS,
  FAKE_GET_JOB,
  FAKE_GET_JOB_RUNS,
  FAKE_GET_JOB_RUN,
  FAKE_GET_TRIGGERS,
  FAKE_START,
  FAKE_STOP,
  FAKE_PRICES,
  FAKE_QUOTAS,
  FAKE_OP_COUNT
};

struct fake_run {
  char id[80];
  char state[16];
  char day[16]; /* its argument --day; "": none */
  int64_t started_ms, completed_ms;
  int64_t known_ms; /* when the service came to know the present state: for ages */
  int64_t ends_ms;  /* it ends by itself then; INT64_MAX: never */
  char told_as[64]; /* a lie: named as of another job; or "" */
};
struct fake_job {
  char name[64];
  const char *command;   /* "glueetl" */
  struct fake_run *runs; /* newest first */
  size_t count, cap;
  enum fake_order { FAKE_NEWEST_FIRST, FAKE_OLDEST_FIRST } order;
  int empty_pages;                /* that many empty pages with a token come before the first row */
  bool repeats_token;             /* every page has the same token */
  bool repeats_row;               /* each page begins with the last row of the page before */
  enum err_kind fails;            /* GetJobRuns of this job */
  enum err_kind spoils_batch;     /* BatchGetJobs with this job among its names */
  enum err_kind definition_fails; /* GetJob of this job */
};
struct fake_fault {
  enum err_kind kind; /* ERR_OK: none */
  int count;          /* that many times; -1: always */
  bool unsupported;
};

struct fake_aws {
  struct clock clock;
  struct fake_job *jobs;
  size_t job_count, job_cap;
  const char *trigger_jobs[8]; /* names that triggers start */
  size_t trigger_count;
  const char *trigger_schedule;
  struct fake_fault faults[FAKE_OP_COUNT];
  int64_t latency_ms;
  int64_t step_ms;         /* the clock moves by so much at most while the loop waits */
  double limit_per_second; /* throttled above; 0: no limit */
  double bucket;
  int64_t bucket_ms;
  const char *account;         /* what STS says */
  char key_id[32];             /* of the login's keys */
  const char *renewed_account; /* to whom the keys lead that take the place of refused ones; NULL: the same */
  bool start_answer_lost;      /* the run is started, the answer never comes */
  bool start_lost;             /* neither */
  int also_started;            /* runs that others start at the same moment */
  const char *also_day;        /* with that for their argument --day */
  enum login_state login;
  const char *login_failure;
  int64_t page_size_max;
  const struct price_offer *offers; /* what GetProducts says, on the last of rate_pages pages (0: one) */
  size_t offer_count, unreadable_products;
  double quotas[QUOTA_KIND_COUNT]; /* what ListServiceQuotas says; 0: nothing */
  const char *quotas_refused;
  int rate_pages;
  bool rate_token_repeats;
  const char *no_pricing; /* why the partition has no Price List; NULL: it has */
  bool silent;            /* these two are never answered */
  uint64_t calls[FAKE_OP_COUNT];
  uint64_t throttled, in_all;
  int64_t call_times_ms[1 << 16];
};

extern struct fake_aws fake;
void fake_reset(int64_t wall_ms);
void fake_free(void);
struct fake_job *fake_add_job(const char *name, const char *command);
struct fake_job *fake_find_job(const char *name);
/* Newest must be added last. */
struct fake_run *fake_add_run(struct fake_job *j, const char *state, int64_t started_ms, int64_t completed_ms);
void fake_set_state(struct fake_run *r, const char *state);

#endif
