#include "report/members.h"

void member_str(struct jw *w, const char *name, const char *s)
{
  jw_name(w, name);
  jw_str(w, s);
}

void member_i64(struct jw *w, const char *name, int64_t v)
{
  jw_name(w, name);
  if (v < 0) { /* the boards say -1 for "none" */
    jw_null(w);
  } else {
    jw_i64(w, v);
  }
}

void member_f64(struct jw *w, const char *name, double v)
{
  jw_name(w, name);
  jw_f64(w, v);
}

void member_time(struct jw *w, const char *name, int64_t ms)
{
  jw_name(w, name);
  jw_time(w, ms);
}

void member_money(struct jw *w, const char *name, int64_t nano)
{
  jw_name(w, name);
  if (nano < 0) {
    jw_null(w);
  } else {
    jw_decimal(w, nano, 9);
  }
}

/* millionths of a DPU-second as DPU-hours, exactly as far as a double goes */
void member_hours(struct jw *w, const char *name, int64_t dpu_micros)
{
  member_f64(w, name, cost_dpu_hours(dpu_micros));
}

void member_job(struct jw *w, const struct report_scope *s, int place, strid job)
{
  jw_name(w, "context");
  if (place >= 0) {
    jw_i64(w, s->context_of_place[place]);
  } else {
    jw_null(w);
  }
  member_str(w, "job", model_str(s->model, job));
}

void member_run(struct jw *w, const char *name, const struct report_scope *s, const struct run *r)
{
  char id[RUN_ID_MAX];
  member_str(w, name, r ? run_id_text(r, s->model->strings, id) : NULL);
}
