/* The reading commands: jobs, job, runs, run, whoami. */
#include "cli/private.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/xalloc.h"
#include "model/mask.h"
#include "report/cell.h"

struct row_list {
  struct report_row *items;
  size_t count, cap;
};

static void row_add(struct row_list *l, int place, const struct job *job, const struct run *run)
{
  l->items = xgrow(l->items, &l->cap, l->count + 1, sizeof *l->items);
  l->items[l->count++] = (struct report_row){.place = place, .job = job, .run = run};
}

/* Places that a context leads to: a place that was left behind has no rows to show. */
static bool place_open(const struct model *m, size_t place)
{
  bool open = false;
  for (size_t i = 0; i < m->context_count; i++) {
    open = open || (size_t)m->contexts[i].place == place;
  }
  return open;
}

static void end_json(struct cli *cli, struct jw *w)
{
  jw_end_object(w);
  buf_addc(&cli->out, '\n');
}

static void write_rows(struct cli *cli, const struct cli_scene *s, const struct cli_problems *p, const char *name,
                       const struct report_field *fields, size_t field_count, const struct row_list *rows)
{
  switch (cli->request->format) {
  case REPORT_JSON: {
    struct jw w;
    jw_init(&w, &cli->out, true);
    envelope_open(&w, s, p);
    jw_name(&w, name);
    jw_array(&w);
    for (size_t i = 0; i < rows->count; i++) {
      report_write_object(&s->scope, &rows->items[i], fields, field_count, &w);
    }
    jw_end_array(&w);
    end_json(cli, &w);
    break;
  }
  case REPORT_CSV:
    report_write_csv_header(fields, field_count, &cli->out);
    for (size_t i = 0; i < rows->count; i++) {
      report_write_csv_row(&s->scope, &rows->items[i], fields, field_count, &cli->out);
    }
    break;
  case REPORT_TABLE:
    table_print(&cli->out, s, fields, field_count, rows->items, rows->count);
    break;
  }
}

static int by_name(const void *a, const void *b)
{
  const struct report_row *x = a, *y = b;
  int order = x->place < y->place ? -1 : x->place > y->place;
  return order ? order : x->job->name < y->job->name ? -1 : x->job->name > y->job->name;
}

static const struct model *sort_model; /* qsort has no argument of its own */

static int by_name_text(const void *a, const void *b)
{
  const struct report_row *x = a, *y = b;
  int order = text_compare(model_str(sort_model, x->job->name), model_str(sort_model, y->job->name));
  return order ? order : by_name(a, b);
}

void cli_print_jobs(struct cli *cli, const struct cli_scene *s, const struct cli_problems *p)
{
  const struct model *m = s->model;
  const char *pattern = cli->request->arg_count > 0 ? cli->request->args[0] : NULL;
  struct row_list rows = {0};
  for (size_t i = 0; i < m->place_count; i++) {
    for (size_t k = 0; place_open(m, i) && k < m->places[i].job_count; k++) {
      const struct job *j = &m->places[i].jobs[k];
      if (j->defined && !j->gone && (!pattern || text_match(pattern, model_str(m, j->name)))) {
        row_add(&rows, (int)i, j, NULL);
      }
    }
  }
  sort_model = m;
  if (rows.count > 1) {
    qsort(rows.items, rows.count, sizeof *rows.items, by_name_text);
  }
  write_rows(cli, s, p, "jobs", report_job_fields, report_job_field_count, &rows);
  free(rows.items);
}

static bool run_wanted(const struct cli *cli, const struct cli_scene *s, const struct run *r)
{
  const struct cli_request *q = cli->request;
  bool by_state = q->states == 0 && q->state_word_count == 0;
  by_state = by_state || (r->state != RUN_STATE_UNKNOWN && (q->states & (1u << r->state)));
  const char *word = model_str(s->model, r->state_text);
  for (size_t i = 0; i < q->state_word_count; i++) {
    by_state = by_state || (r->state == RUN_STATE_UNKNOWN && word && strcmp(word, q->state_words[i]) == 0);
  }
  return by_state && (!q->failed || run_state_info(r->state)->failed) && (!q->active || !run_finished(r)) &&
         run_meets(r, q->since_ms, q->until_ms, s->scope.now_ms);
}

static int newest_first(const void *a, const void *b)
{
  const struct report_row *x = a, *y = b;
  int order = x->run->started_ms > y->run->started_ms ? -1 : x->run->started_ms < y->run->started_ms;
  if (order == 0) {
    order = by_name(a, b);
  }
  return order ? order : memcmp(x->run->id_bytes, y->run->id_bytes, sizeof x->run->id_bytes);
}

static void gather_runs(const struct cli *cli, const struct cli_scene *s, strid only, struct row_list *rows)
{
  const struct model *m = s->model;
  for (size_t i = 0; i < m->place_count; i++) {
    for (size_t k = 0; place_open(m, i) && k < m->places[i].job_count; k++) {
      const struct job *j = &m->places[i].jobs[k];
      for (size_t r = 0; (!only || only == j->name) && r < j->run_count; r++) {
        if (run_wanted(cli, s, &j->runs[r])) {
          row_add(rows, (int)i, j, &j->runs[r]);
        }
      }
    }
  }
  if (rows->count > 1) {
    qsort(rows->items, rows->count, sizeof *rows->items, newest_first);
  }
  if (cli->request->limit >= 0 && rows->count > (size_t)cli->request->limit) {
    rows->count = (size_t)cli->request->limit;
  }
}

void cli_print_runs(struct cli *cli, const struct cli_scene *s, const struct cli_problems *p)
{
  strid only = cli->request->arg_count > 0 ? strpool_find(s->model->strings, cli->request->args[0]) : 0;
  struct row_list rows = {0};
  gather_runs(cli, s, only, &rows);
  write_rows(cli, s, p, "runs", report_run_fields, report_run_field_count, &rows);
  free(rows.items);
}

/* --- one thing ------------------------------------------------------------------------------------------------------ */

/* Every field that has a value, a line each; then the answer of the service. */
static void print_fields(struct cli *cli, const struct cli_scene *s, const struct report_row *row,
                         const struct report_field *fields, size_t count)
{
  const char *nothing = text_is_ascii() ? "-" : "\u00b7";
  for (size_t i = 0; i < count; i++) {
    struct buf cell;
    buf_init(&cell, REPORT_CELL_MAX);
    report_cell(&s->scope, row, &fields[i], &cell);
    if (strcmp(cell.data, nothing) != 0) {
      buf_addf(&cli->out, "%-20s  ", fields[i].json);
      if (strcmp(fields[i].json, "error") == 0) { /* the whole text, not its first line */
        struct value v = fields[i].get(&s->scope, row);
        text_clean(&cli->out, v.string, strlen(v.string), TEXT_BLOCK);
      } else {
        buf_add(&cli->out, cell.data, cell.len);
      }
      buf_addc(&cli->out, '\n');
    }
    buf_fini(&cell);
  }
}

static void print_doc(struct cli *cli, const struct doc *doc)
{
  for (size_t i = 0; i < doc->count; i++) {
    const struct doc_node *n = &doc->nodes[i];
    if (n->depth > 0) {
      buf_addf(&cli->out, "%*s", 2 * n->depth, "");
      char *name = text_clean_dup(n->name, TEXT_LINE);
      struct buf value;
      buf_init(&value, REPORT_CELL_MAX);
      if (n->text && n->kind != DOC_BOOL) { /* as in the JSON and on the screen: not in arguments alone */
        mask_append(&value, n->name ? n->name : "", n->text);
      } else if (n->text) {
        buf_adds(&value, n->text);
      }
      char *clean = text_clean_dup(value.data, TEXT_LINE);
      buf_addf(&cli->out, "%s%s%s\n", *name ? name : "-", n->text ? ": " : n->children ? ":" : ": (none)", clean);
      free(clean);
      buf_fini(&value);
      free(name);
    }
  }
}

static const struct doc_node *doc_member(const struct doc *doc, const char *name, size_t *index)
{
  const struct doc_node *found = NULL;
  for (size_t i = 0; i < doc->count && !found; i++) {
    if (doc->nodes[i].depth == 1 && doc->nodes[i].name && strcmp(doc->nodes[i].name, name) == 0) {
      found = &doc->nodes[i];
      *index = i;
    }
  }
  return found;
}

static void write_arguments(const struct doc *doc, struct jw *w)
{
  size_t at = 0;
  const struct doc_node *map = doc ? doc_member(doc, "Arguments", &at) : NULL;
  if (!map || map->kind != DOC_OBJECT) {
    jw_null(w);
  } else {
    jw_object(w);
    for (size_t i = at + 1; i < doc->count && doc->nodes[i].depth > map->depth; i++) {
      const struct doc_node *n = &doc->nodes[i];
      if (n->depth == map->depth + 1 && n->name) {
        struct buf value;
        buf_init(&value, REPORT_CELL_MAX);
        mask_append(&value, n->name, n->text ? n->text : "");
        jw_name(w, n->name);
        jw_str_n(w, value.data, value.len);
        buf_fini(&value);
      }
    }
    jw_end_object(w);
  }
}

void cli_print_run(struct cli *cli, const struct cli_scene *s, const struct cli_problems *p)
{
  const struct model *m = s->model;
  const char *id = cli->request->args[1];
  strid job_name = strpool_find(m->strings, cli->request->args[0]);
  strid run_id = strpool_find(m->strings, id);
  struct report_row row = {0};
  const struct doc_holder *holder = NULL;
  for (size_t i = 0; i < m->context_count && !row.run; i++) {
    int place = m->contexts[i].place;
    const struct job *j = model_job(m, place, job_name);
    const struct run *r = j ? model_run(m, place, job_name, id) : NULL;
    if (r) {
      const struct freshness *fresh = NULL;
      row = (struct report_row){.place = place, .job = j, .run = r};
      holder = model_run_doc(m, place, job_name, run_id, &fresh);
    }
  }
  struct row_list attempts = {0};
  for (size_t i = 0; row.run && i < row.job->run_count; i++) {
    if (run_same_chain(&row.job->runs[i], row.run)) {
      row_add(&attempts, row.place, row.job, &row.job->runs[i]);
    }
  }
  if (cli->request->format == REPORT_JSON) {
    struct jw w;
    jw_init(&w, &cli->out, true);
    envelope_open(&w, s, p);
    if (row.run) {
      jw_name(&w, "context");
      jw_i64(&w, s->context_of_place[row.place]);
      report_write_fields(&s->scope, &row, report_run_fields, report_run_field_count, &w);
      jw_name(&w, "arguments");
      write_arguments(holder ? &holder->doc : NULL, &w);
      jw_name(&w, "attempts");
      jw_array(&w);
      for (size_t i = attempts.count; i-- > 0;) { /* the first attempt first */
        report_write_object(&s->scope, &attempts.items[i], report_run_fields, report_run_field_count, &w);
      }
      jw_end_array(&w);
      jw_name(&w, "raw");
      if (holder) {
        report_write_doc(&holder->doc, &w);
      } else {
        jw_null(&w);
      }
    }
    end_json(cli, &w);
  } else if (row.run && cli->request->format == REPORT_CSV) {
    write_rows(cli, s, p, "runs", report_run_fields, report_run_field_count,
               &(struct row_list){.items = &row, .count = 1, .cap = 1});
  } else if (row.run) {
    print_fields(cli, s, &row, report_run_fields, report_run_field_count);
    if (attempts.count > 1) {
      buf_adds(&cli->out, "\nattempts of this start, newest first\n");
      table_print(&cli->out, s, report_run_fields, report_run_field_count, attempts.items, attempts.count);
    }
    if (holder) {
      buf_adds(&cli->out, "\nas the service gave it\n");
      print_doc(cli, &holder->doc);
    }
  }
  free(attempts.items);
}

static bool trigger_starts(const struct trigger *t, strid job)
{
  bool yes = false;
  for (size_t i = 0; i < t->action_count; i++) {
    yes = yes || t->actions[i].job == job;
  }
  return yes;
}

static void write_triggers(const struct model *m, const struct place *p, strid job, struct jw *w)
{
  jw_array(w);
  for (size_t i = 0; i < p->trigger_count; i++) {
    const struct trigger *t = &p->triggers[i];
    if (trigger_starts(t, job)) {
      jw_object(w);
      jw_name(w, "name");
      jw_str(w, model_str(m, t->name));
      jw_name(w, "type");
      jw_str(w, model_str(m, t->type));
      jw_name(w, "state");
      jw_str(w, model_str(m, t->state));
      jw_name(w, "schedule");
      jw_str(w, model_str(m, t->schedule));
      jw_name(w, "workflow");
      jw_str(w, model_str(m, t->workflow));
      jw_end_object(w);
    }
  }
  jw_end_array(w);
}

void cli_print_job(struct cli *cli, const struct cli_scene *s, const struct cli_problems *p)
{
  const struct model *m = s->model;
  strid name = strpool_find(m->strings, cli->request->args[0]);
  struct report_row row = {0};
  for (size_t i = 0; i < m->context_count && !row.job; i++) {
    const struct job *j = model_job(m, m->contexts[i].place, name);
    if (j && (j->defined || j->run_count > 0)) {
      row = (struct report_row){.place = m->contexts[i].place, .job = j};
    }
  }
  struct row_list runs = {0};
  if (row.job) {
    gather_runs(cli, s, name, &runs);
  }
  if (cli->request->format == REPORT_JSON) {
    struct jw w;
    jw_init(&w, &cli->out, true);
    envelope_open(&w, s, p);
    if (row.job) {
      jw_name(&w, "context");
      jw_i64(&w, s->context_of_place[row.place]);
      report_write_fields(&s->scope, &row, report_job_fields, report_job_field_count, &w);
      jw_name(&w, "definition");
      if (row.job->definition) {
        report_write_doc(&row.job->definition->doc, &w);
      } else {
        jw_null(&w);
      }
      jw_name(&w, "triggers");
      write_triggers(m, &m->places[row.place], name, &w);
      jw_name(&w, "last_runs");
      jw_array(&w);
      for (size_t i = 0; i < runs.count; i++) {
        report_write_object(&s->scope, &runs.items[i], report_run_fields, report_run_field_count, &w);
      }
      jw_end_array(&w);
    }
    end_json(cli, &w);
  } else if (row.job && cli->request->format == REPORT_CSV) {
    write_rows(cli, s, p, "jobs", report_job_fields, report_job_field_count,
               &(struct row_list){.items = &row, .count = 1, .cap = 1});
  } else if (row.job) {
    print_fields(cli, s, &row, report_job_fields, report_job_field_count);
    if (row.job->definition) {
      buf_adds(&cli->out, "\ndefinition\n");
      print_doc(cli, &row.job->definition->doc);
    }
    if (runs.count > 0) {
      buf_adds(&cli->out, "\nruns\n");
      table_print(&cli->out, s, report_run_fields, report_run_field_count, runs.items, runs.count);
    }
  }
  free(runs.items);
}

enum { IDENTITY_FIELDS = 6 };

struct identity_field {
  const char *name, *text;
};

static void identity_fields(const struct context *c, struct identity_field out[IDENTITY_FIELDS])
{
  const struct identity_field fields[IDENTITY_FIELDS] = {
      {"profile", c->profile}, {"source", c->source}, {"account", c->account},
      {"arn", c->arn},         {"region", c->region}, {"region_source", c->region_source},
  };
  memcpy(out, fields, sizeof fields);
}

static void whoami_json(struct cli *cli, const struct cli_scene *s, const struct cli_problems *p)
{
  const struct context *c = &s->model->contexts[0];
  struct identity_field fields[IDENTITY_FIELDS];
  struct jw w;
  identity_fields(c, fields);
  jw_init(&w, &cli->out, true);
  envelope_open(&w, s, p);
  for (size_t i = 0; i < IDENTITY_FIELDS; i++) {
    jw_name(&w, fields[i].name);
    jw_str(&w, fields[i].text && *fields[i].text ? fields[i].text : NULL);
  }
  jw_name(&w, "expires_at");
  jw_time(&w, c->expires_ms);
  end_json(cli, &w);
}

static void whoami_one(struct cli *cli, const struct context *c, bool csv)
{
  struct identity_field fields[IDENTITY_FIELDS];
  char expires[WHEN_TEXT_MAX] = "";
  identity_fields(c, fields);
  if (c->expires_ms != WHEN_NONE) {
    when_format_iso(c->expires_ms, expires);
  }
  for (size_t i = 0; i < IDENTITY_FIELDS; i++) {
    char *clean = text_clean_dup(fields[i].text, TEXT_LINE);
    if (csv) {
      report_csv_cell(&cli->out, clean);
      buf_addc(&cli->out, ',');
    } else if (*clean) {
      buf_addf(&cli->out, "%-14s  %s\n", fields[i].name, clean);
    }
    free(clean);
  }
  if (csv) {
    buf_addf(&cli->out, "%s\r\n", expires);
  } else {
    buf_addf(&cli->out, "%-14s  %s\n", "expires_at", *expires ? expires : "never or not known");
  }
}

/* Each account that is open; JSON names the others among its contexts. */
void cli_print_whoami(struct cli *cli, const struct cli_scene *s, const struct cli_problems *p)
{
  const struct model *m = s->model;
  bool csv = cli->request->format == REPORT_CSV;
  if (cli->request->format == REPORT_JSON) {
    whoami_json(cli, s, p);
    return;
  }
  if (csv) {
    buf_adds(&cli->out, "profile,source,account,arn,region,region_source,expires_at\r\n");
  }
  for (size_t i = 0; i < m->context_count; i++) {
    if (i > 0 && !csv) {
      buf_addc(&cli->out, '\n');
    }
    whoami_one(cli, &m->contexts[i], csv);
  }
}
