/* AWS's cron dialect: cron(minutes hours day-of-month month day-of-week year), always UTC.
 *
 * Sources: AWS Glue developer guide, "Time-based schedules for jobs and crawlers"; EventBridge "cron expressions"; where they are silent
 * about a form that they do not forbid, the behaviour of Quartz, whose dialect this is.
 *
 *   field          values            signs
 *   minutes        0-59              , - * /
 *   hours          0-23              , - * /
 *   day of month   1-31              , - * ? / L W      L last day, L-n, LW last working day, nW nearest working day to n
 *   month          1-12 JAN-DEC      , - * /
 *   day of week    1-7 SUN-SAT       , - * ? L #  /     1 is Sunday; nL last such day, n#k the k-th, L alone Saturday
 *   year           1970-2199         , - * /
 *
 * One of the two day fields must be '?', the other must not. Names in any case. Ranges may wrap (FRI-MON, 22-2) but for
 * years. nW never leaves its month; a month that lacks the day (31W, L-30, 3#5) is skipped. rate(...) is EventBridge's, not Glue's. */
#ifndef GLUETOP_MODEL_CRON_H
#define GLUETOP_MODEL_CRON_H

#include <stdbool.h>
#include <stdint.h>

#define CRON_YEAR_FIRST 1970
#define CRON_YEAR_LAST  2199

/* A parsed expression: plain sets of bits, no memory of its own, may be copied. */
struct cron {
  uint64_t minutes;        /* bit 0..59 */
  uint32_t hours;          /* bit 0..23 */
  uint16_t months;         /* bit 1..12 */
  bool by_weekday;         /* day of month is '?' */
  uint32_t days;           /* bit 1..31 */
  uint32_t last_days;      /* bit n: L-n, bit 0: L */
  uint32_t near_days;      /* bit n: nW */
  uint32_t near_last_days; /* bit n: L-nW, bit 0: LW */
  uint8_t weekdays;        /* bit 1..7, 1 is Sunday */
  uint8_t last_weekdays;   /* bit n: nL */
  uint8_t nth_weekday;     /* n#k: n, or 0 */
  uint8_t nth;             /* n#k: k */
  uint64_t years[4];       /* bit year - CRON_YEAR_FIRST */
};

struct cron_error {
  int position; /* byte offset in the text */
  char text
      [200]; /* one sentence with the position (counted from 1) in it; printable ASCII whatever the expression was */
};

/* Reads "cron(...)" or the bare six fields. False: *error says what is wrong and where (error may be NULL); *out is then empty and never fires. */
bool cron_parse(const char *text, struct cron *out, struct cron_error *error);

/* The first time strictly after after_ms (ms UTC, whole minutes); WHEN_NONE: never again. Never loops long. */
int64_t cron_next(const struct cron *c, int64_t after_ms);
/* The last time at or before at_ms; WHEN_NONE: there was none. */
int64_t cron_previous(const struct cron *c, int64_t at_ms);
/* Days of a month as bits 1..31, minutes and hours apart. */
uint32_t cron_days(const struct cron *c, int year, int month);
/* Glue refuses schedules that can fire less than five minutes apart. */
bool cron_too_fast(const struct cron *c);

#endif
