/* The prices and quotas in use, for every place that is open: what a DPU-hour costs and how much may run at once, since when that is known,
 * and from where. */
#include "views/view.h"

#include <stdlib.h>
#include <string.h>
#include "model/cost.h"
#include "model/schedule.h"
#include "views/desk.h"
#include "views/doc.h"
#include "views/format.h"
#include "views/money.h"
#include "views/rows.h"

struct prices_state {
  struct doc_text text;
};

static struct err prices_open(struct view *v, const struct view_args *args)
{
  struct prices_state *s = v->state;
  (void)args;
  doc_init(&s->text);
  return err_ok();
}

static void prices_close(struct view *v)
{
  struct prices_state *s = v->state;
  doc_fini(&s->text);
}

static const char *item_label(enum price_item item)
{
  static const char *const words[PRICE_ITEM_COUNT] = {[PRICE_STANDARD] = "Spark",
                                                      [PRICE_FLEX] = "Flex",
                                                      [PRICE_MEMORY] = "R workers",
                                                      [PRICE_PYTHON] = "Python shell",
                                                      [PRICE_RAY] = "Ray"};
  return words[item];
}

static const char *origin_word(enum price_origin origin)
{
  static const char *const words[] = {[PRICE_BUILT_IN] = "built in",
                                      [PRICE_BY_RATIO] = "made by ratio from the Region's base price",
                                      [PRICE_FROM_LIST] = "Price List",
                                      [PRICE_OVERRIDE] = "from your configuration"};
  return words[origin];
}

static void add_price(struct doc_text *d, const struct scene *scene, const char *region, enum price_item item,
                      enum price_generation generation)
{
  struct price price = price_find(scene->prices, region, item, generation);
  bool versions = item != PRICE_PYTHON && item != PRICE_RAY;
  struct buf label, text;
  if (!versions && generation != PRICE_GEN_1) {
    return;
  }
  buf_init(&label, 128);
  buf_init(&text, 1024);
  buf_adds(&label, item_label(item));
  if (versions) {
    buf_adds(&label, generation == PRICE_GEN_2 ? ", Glue 6.0" : ", Glue to 5.1");
  }
  if (!price.known) {
    buf_adds(&text, "not known: such runs are counted, and left out of sums");
  } else {
    buf_addf(&text, "%s$", price.estimated ? "~" : "");
    format_price(&text, price.nano_per_hour);
    buf_addf(&text, "  %s%s", origin_word(price.origin),
             price.origin == PRICE_FROM_LIST && price.estimated ? ", by ratio" : "");
    if (price.source != NULL && price.source[0] != '\0') {
      buf_addf(&text, ": %s", price.source);
    }
    if (price.date != NULL && price.date[0] != '\0') {
      buf_addf(&text, ", %s", price.date);
    }
  }
  doc_field(d, label.data, price.known ? ROLE_TEXT : ROLE_WARN, text.data);
  buf_fini(&text);
  buf_fini(&label);
}

/* When the service was asked, and what it said when it did not tell. */
static void add_asked(struct doc_text *d, const struct scene *scene, const char *label, const struct freshness *f)
{
  struct buf text;
  bool failed = err_is(&f->last_err);
  buf_init(&text, 2048);
  if (failed) {
    buf_addf(&text, "not read: %s", err_message(&f->last_err));
  } else if (f->in_flight) {
    buf_adds(&text, "is being read");
  } else if (f->fetched_ms == WHEN_NONE) {
    buf_adds(&text, "not asked");
  }
  if (f->fetched_ms != WHEN_NONE) {
    buf_adds(&text, text.len > 0 ? "; the last answer is of " : "read ");
    format_moment_whole(&text, f->fetched_ms, scene->zone);
  }
  doc_field(d, label, failed ? ROLE_WARN : ROLE_DIM, text.data);
  buf_fini(&text);
}

static void add_quota(struct doc_text *d, const struct scene *scene, int place, enum quota_kind kind)
{
  static const char *const labels[QUOTA_KIND_COUNT] = {[QUOTA_RUNS] = "Runs at once",
                                                       [QUOTA_RUNS_OF_JOB] = "Runs of one job",
                                                       [QUOTA_DPU] = "DPU at once",
                                                       [QUOTA_FLEX_DPU] = "Flex DPU at once",
                                                       [QUOTA_QUEUED] = "Runs that wait"};
  static const char *const origins[] = {[QUOTA_DEFAULT] = "assumed, the service's default",
                                        [QUOTA_FROM_SERVICE] = "Service Quotas",
                                        [QUOTA_FROM_CONFIG] = "from your configuration"};
  struct quota q = board_quota_of(desk_measures(scene->desk), scene->model, place, kind);
  struct buf text;
  buf_init(&text, 256);
  format_dpu(&text, q.value);
  buf_addf(&text, "  %s (%s)", origins[q.origin], quota_info(kind)->code);
  doc_field(d, labels[kind], ROLE_TEXT, text.data);
  buf_fini(&text);
}

static void prices_wants(const struct view *v, const struct scene *scene, struct wants *out)
{
  (void)v;
  rows_want_lists(scene, out);
  rows_want_rates(scene, WANT_ON_SCREEN, out);
}

static void prices_update(struct view *v, const struct scene *scene)
{
  struct prices_state *s = v->state;
  const struct model *m = scene->model;
  doc_begin(&s->text);
  doc_text(&s->text, 0, ROLE_TEXT,
           "USD per DPU-hour; of R workers per M-DPU-hour. Spark means batch and streaming, standard class. Runs are "
           "billed by the second, one minute at "
           "least, ten for Glue 0.9 and 1.0; waiting and start-up are not billed, failed and stopped runs are. What is "
           "marked ~ is an estimate, and so are the sums that it is part of. Sums hold job runs only: no sessions, "
           "crawlers, Data Catalog, logs or metrics.");
  for (size_t p = 0; p < m->place_count; p++) {
    if (scene_shows(scene, (int)p) && schedule_place_open(m, (int)p)) {
      struct buf title;
      buf_init(&title, 256);
      buf_addf(&title, "%s %s", m->places[p].region, rows_place_label(m, (int)p));
      doc_blank(&s->text);
      doc_heading(&s->text, title.data);
      buf_fini(&title);
      for (int item = 0; item < PRICE_ITEM_COUNT; item++) {
        for (int generation = 0; generation < PRICE_GENERATION_COUNT; generation++) {
          add_price(&s->text, scene, m->places[p].region, (enum price_item)item, (enum price_generation)generation);
        }
      }
      add_asked(&s->text, scene, "Price List", &m->places[p].prices_fresh);
      doc_blank(&s->text);
      for (int kind = 0; kind < QUOTA_KIND_COUNT; kind++) {
        add_quota(&s->text, scene, (int)p, (enum quota_kind)kind);
      }
      add_asked(&s->text, scene, "Service Quotas", &m->places[p].quotas_fresh);
    }
  }
  doc_blank(&s->text);
  doc_text(
      &s->text, 0, ROLE_DIM,
      "Asked once a day; r asks now. Sections [price REGION] and [quota REGION] of the configuration file go before "
      "what the service says (gluetop-config(5)).");
}

static void prices_draw(struct view *v, const struct pane *p)
{
  struct prices_state *s = v->state;
  doc_draw(&s->text, p);
}

static enum handled prices_input(struct view *v, const struct input *in, enum action a, struct outcome *out)
{
  struct prices_state *s = v->state;
  (void)in;
  (void)out;
  return doc_act(&s->text, a) ? HANDLED_YES : HANDLED_NO;
}

static void prices_caption(const struct view *v, struct buf *out)
{
  const struct prices_state *s = v->state;
  doc_write_caption(&s->text, out);
}

static struct doc_text *prices_doc(struct view *v)
{
  struct prices_state *s = v->state;
  return &s->text;
}

static bool prices_report(struct view *v, const struct scene *scene, enum report_format format, struct buf *out)
{
  const struct prices_state *s = v->state;
  (void)scene;
  if (format == REPORT_TABLE) {
    doc_write_text(&s->text, out);
  }
  return format == REPORT_TABLE && !out->overflow;
}

const struct view_ops prices_view = {
    .name = "prices",
    .about = "The prices and quotas that figures rest on, with their date and source.",
    .holds = HOLD_DOC,
    .state_size = sizeof(struct prices_state),
    .open = prices_open,
    .close = prices_close,
    .wants = prices_wants,
    .update = prices_update,
    .draw = prices_draw,
    .input = prices_input,
    .caption = prices_caption,
    .doc = prices_doc,
    .report = prices_report,
};
