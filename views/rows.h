/* What views of jobs and runs have in common: what they want to know, why they are empty, what they say about a run, how they are exported. */
#ifndef GLUETOP_VIEWS_ROWS_H
#define GLUETOP_VIEWS_ROWS_H

#include "views/view.h"

/* Identity, job definitions and triggers of every place on show. */
void rows_want_lists(const struct scene *scene, struct wants *out);
void rows_want_runs(const struct scene *scene, int place, strid job, enum want_urgency urgency, struct wants *out);
void rows_want_all_runs(const struct scene *scene, enum want_urgency urgency, struct wants *out);
void rows_want_rates(const struct scene *scene, enum want_urgency urgency, struct wants *out); /* prices and quotas */

/* "PROD eu-west-1", or the account number; from the string pool's life or static. */
const char *rows_place_label(const struct model *m, int place);
/* How long a run takes or took: from its beginning to cost where that is known, else from its acceptance. */
int64_t rows_took_ms(const struct run *r, int64_t now_ms);

/* The sentence for a table without rows: loading, denied, or really nothing. NULL: there are rows. Caller frees. */
char *rows_why_empty(const struct scene *scene, size_t rows, const char *noun);
void rows_draw_empty(const struct list *l, const struct pane *p, const char *why, const char *noun);

/* "failed 2m ago: access denied …"; false: nothing to say about it. */
bool rows_run_detail(const struct strpool *strings, const struct run *r, int64_t now_ms, struct buf *out,
                     enum role *role);

/* "contexts": […] as in the commands' output. */
void rows_write_contexts(const struct model *m, struct jw *w);
/* The rows of a list as the commands would print them. Each row must begin with a key of a job or a run. */
bool rows_report(const struct list *l, const struct scene *scene, bool runs, enum report_format format,
                 struct buf *out);

#endif
