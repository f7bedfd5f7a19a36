/* The boards behind the screen: one set of engines for header and views, over the window and the places on show.
 *
 * The shell aims it before each update and steps it in slices while it is behind the model. Views ask for results in their update; each
 * result is made once an update, whoever asks, and is valid until the next one. Before the first time that it has caught up a result is what
 * is known so far: desk_ready tells. */
#ifndef GLUETOP_VIEWS_DESK_H
#define GLUETOP_VIEWS_DESK_H

#include <stdbool.h>
#include <stddef.h>
#include "report/boards.h"
#include "views/view.h"

struct desk;
struct desk *desk_new(const struct board_measures *measures);
void desk_free(struct desk *d);

/* Does what is on show draw curves or peaks? What they need is made when it does, and given back when it does not any more. */
void desk_keep_loads(struct desk *d, bool keep);
/* A new update begins: results of before are void. Begins again where window or place have changed. */
void desk_aim(struct desk *d, const struct scene *scene);
/* What all results rest on has changed (what is usual): everything is counted again. */
void desk_restart(struct desk *d);
/* One slice. True: up to date with the model. */
bool desk_step(struct desk *d, const struct scene *scene);
/* Does the desk know of everything that the model holds? */
bool desk_ready(const struct desk *d, const struct scene *scene);

/* Has it caught up once since it was aimed? If not, sums are half made: a view that has rows keeps them, so that nothing jumps to zero and
 * climbs each time that the window moves on. */
bool desk_whole(const struct desk *d);
bool desk_behind(const struct desk *d); /* what curves need is still to be made */

const struct burn_result *desk_burn(struct desk *d, const struct scene *scene);
const struct collisions_result *desk_collisions(struct desk *d, const struct scene *scene);
const struct timeouts_result *desk_timeouts(struct desk *d, const struct scene *scene);
const struct timeline_result *desk_timeline(struct desk *d, const struct scene *scene);
/* Troubles of the window, and of the last 24 hours in any case: a closer look at something must not hide what needs a person. */
const struct home_result *desk_home(struct desk *d, const struct scene *scene);
struct loads *desk_loads(struct desk *d);
const struct plan *desk_plan(const struct desk *d);
const struct board_measures *desk_measures(const struct desk *d);
/* As boards_curve, over the places on show. */
void desk_curve(struct desk *d, const struct scene *scene, int64_t from_ms, int64_t to_ms, size_t columns,
                int64_t *dpu_micros, struct load_peak *peak);
/* As boards_expected_curve. */
void desk_expected_curve(struct desk *d, const struct scene *scene, int64_t to_ms, size_t columns, int64_t *dpu_micros);
/* Money per hour is kept while somebody wants it in every update, and is empty until it was counted. */
void desk_want_money(struct desk *d);
/* Over the places on show, in millionths of a dollar. */
void desk_money_curve(struct desk *d, const struct scene *scene, int64_t from_ms, int64_t to_ms, size_t columns,
                      int64_t *micros, struct load_peak *peak);
/* The board as its command would print it, for `E`. */
bool desk_report(struct desk *d, const struct scene *scene, enum board which, enum report_format format,
                 struct buf *out);

/* What boards want to know: job lists, triggers, and every run of the window and since `since_ms` (WHEN_NONE: the window alone). */
void desk_wants(const struct scene *scene, int64_t since_ms, struct wants *out);

#endif
