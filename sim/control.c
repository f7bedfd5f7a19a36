/* The unsigned door for test harnesses in other languages, open only with --control:
 *   POST   /_sim/faults    one fault a line, added
 *   DELETE /_sim/faults    all faults gone
 *   POST   /_sim/advance   "MS": a manual clock moves on
 *   POST   /_sim/delete-job  NAME: somebody else deletes a job
 *   POST   /_sim/agree     whoever waits for a device code gets its token
 *   GET    /_sim/stats     what arrived, as JSON */
#include "sim/private.h"

#include <stdlib.h>
#include <string.h>
#include "base/json.h"
#include "base/xalloc.h"

static void write_stats(const struct sim_world *w, struct buf *out)
{
  struct jw j;
  jw_init(&j, out, false);
  jw_object(&j);
  jw_name(&j, "operations");
  jw_object(&j);
  for (size_t i = 0; i < w->tally_count; i++) {
    const struct sim_tally *t = &w->tallies[i];
    jw_name(&j, t->operation);
    jw_object(&j);
    jw_name(&j, "arrived");
    jw_i64(&j, (int64_t)t->count.arrived);
    jw_name(&j, "unsigned");
    jw_i64(&j, (int64_t)t->count.unsigned_);
    jw_name(&j, "faulted");
    jw_i64(&j, (int64_t)t->count.faulted);
    jw_name(&j, "done");
    jw_i64(&j, (int64_t)t->count.done);
    jw_name(&j, "failed");
    jw_i64(&j, (int64_t)t->count.failed);
    jw_end_object(&j);
  }
  jw_end_object(&j);
  jw_end_object(&j);
}

static int add_faults(struct sim_world *w, const char *body, struct buf *out)
{
  char *copy = xstrdup(body);
  int status = 204;
  for (char *line = copy; line != NULL && *line != '\0';) {
    char *next = strchr(line, '\n');
    if (next != NULL)
      *next++ = '\0';
    line[strcspn(line, "\r")] = '\0';
    if (*line != '\0') {
      struct err e = sim_faults_parse(&w->faults, line);
      if (err_is(&e)) {
        buf_addf(out, "%s\n", err_message(&e));
        status = 400;
      }
      err_fini(&e);
    }
    line = next;
  }
  free(copy);
  return status;
}

bool sim_control(struct sim_world *w, const struct sim_http *http, struct sim_reply *reply)
{
  if (strncmp(http->uri, "/_sim/", 6) != 0)
    return false;
  const char *what = http->uri + 6;
  bool post = strcmp(http->method, "POST") == 0;
  reply->content_type = "text/plain";
  reply->status = 404;
  if (strcmp(what, "stats") == 0 && strcmp(http->method, "GET") == 0) {
    reply->content_type = "application/json";
    reply->status = 200;
    write_stats(w, &reply->body);
  } else if (strcmp(what, "faults") == 0 && post) {
    reply->status = add_faults(w, http->body, &reply->body);
  } else if (strcmp(what, "faults") == 0 && strcmp(http->method, "DELETE") == 0) {
    sim_faults_fini(&w->faults);
    reply->status = 204;
  } else if (strcmp(what, "agree") == 0 && post) {
    for (size_t i = 0; i < w->ticket_count; i++)
      if (w->tickets[i].kind == TICKET_DEVICE && w->tickets[i].answer == DEVICE_WAITS)
        w->tickets[i].answer = DEVICE_AGREED;
    reply->status = 204;
  } else if (strcmp(what, "delete-job") == 0 && post) {
    struct sim_job *job = sim_job_find(&w->account, http->body);
    if (job != NULL)
      sim_job_delete(&w->account, job);
    reply->status = job != NULL ? 204 : 404;
  } else if (strcmp(what, "advance") == 0 && post && w->clock.manual) {
    clock_advance(&w->clock, strtoll(http->body, NULL, 10));
    reply->status = 204;
  }
  return true;
}
