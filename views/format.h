/* Figures and states as the screen writes them; one place, so that two views never write the same thing in two ways.
 * All append to a buf. Absent is "·", unknown "?", estimates carry "~". */
#ifndef GLUETOP_VIEWS_FORMAT_H
#define GLUETOP_VIEWS_FORMAT_H

#include <stdint.h>
#include "base/buf.h"
#include "base/when.h"
#include "model/model.h"
#include "views/canvas.h"

void format_nothing(struct buf *out);
void format_count(struct buf *out, int64_t n);            /* 2,112 */
void format_dpu(struct buf *out, double dpu);             /* 84, 0.0625; NAN is ? */
void format_clock_skew(struct buf *out, int64_t skew_ms); /* clock is 7 min slow */
void format_span(struct buf *out, int64_t ms);            /* 3m07s */
void format_ago(struct buf *out, int64_t ms);             /* <1m, 4m, 2h, 3d */
void format_minutes(struct buf *out, int64_t minutes);
/* The shortest that tells the moment: "14:03" today, "Mon 14:03" within six days, else the date. */
void format_moment(struct buf *out, int64_t ms, int64_t now_ms, enum when_zone zone);
/* The same in a column: a date without its year, except that of long ago, which has no time: eleven cells at most. */
void format_moment_brief(struct buf *out, int64_t ms, int64_t now_ms, enum when_zone zone);
void format_moment_whole(struct buf *out, int64_t ms, enum when_zone zone); /* date, seconds, zone letters */

enum sign format_state_sign(enum run_state s);
/* Style of a state: only trouble is loud. */
unsigned format_state_style(enum run_state s);
/* "failed"; the service's own word where we do not know it. */
const char *format_state_word(const struct strpool *strings, const struct run *r);
bool format_is_failure(enum run_state s);

/* "jr_8f2c01aa…" cut for a line of text. */
void format_run_short(struct buf *out, const char *run_id);
/* 441212349012 as 4412…9012 */
void format_account_short(struct buf *out, const char *account);

/* Comparisons for columns: absent values come last either way they are sorted by the list (as the smallest). */
int compare_i64(int64_t a, int64_t b);
int compare_f64(double a, double b); /* NAN is the smallest */
int compare_pooled(const struct strpool *strings, strid a, strid b);

#endif
