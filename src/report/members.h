/* Members of a JSON object, as the boards write them: a name and a value, null where there is none. */
#ifndef GLUETOP_REPORT_MEMBERS_H
#define GLUETOP_REPORT_MEMBERS_H

#include "report/boards.h"

void member_str(struct jw *w, const char *name, const char *s);
void member_i64(struct jw *w, const char *name, int64_t v);
void member_f64(struct jw *w, const char *name, double v);
void member_time(struct jw *w, const char *name, int64_t ms);
void member_money(struct jw *w, const char *name, int64_t nano);
void member_hours(struct jw *w, const char *name, int64_t dpu_micros);
void member_job(struct jw *w, const struct report_scope *s, int place, strid job);
void member_run(struct jw *w, const char *name, const struct report_scope *s, const struct run *r);

/* The burn board's members. */
void report_write_burn(struct boards *b, const struct report_scope *s, struct jw *w);

#endif
