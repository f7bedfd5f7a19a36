/* One field table per resource: JSON name, column title, getter. Feeds the commands' table, JSON and CSV, and every view's export, so that a
 * figure can never differ between the two. Contract: the JSON names and meanings of the command-line page (doc/gluetop.1). */
#ifndef GLUETOP_REPORT_REPORT_H
#define GLUETOP_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/json.h"
#include "base/when.h"
#include "model/cost.h"
#include "model/model.h"
#include "model/stats.h"

enum report_format { REPORT_TABLE, REPORT_JSON, REPORT_CSV };

/* What the rows are computed for. */
struct report_scope {
  const struct model *model;
  int64_t now_ms;
  int64_t since_ms, until_ms;
  enum when_zone zone;
  const int *context_of_place;      /* place index to index into contexts[] of the output */
  const struct price_table *prices; /* NULL: the built-in ones */
  struct stats_cache *stats;        /* usual lengths; shared by everything that is computed for one model */
};

enum value_kind {
  VALUE_NULL,
  VALUE_STRING,
  VALUE_INT,
  VALUE_DOUBLE,
  VALUE_BOOL,
  VALUE_TIME,
  VALUE_MONEY /* nano-dollars */,
  VALUE_JSON /* writes itself */
};
struct value {
  enum value_kind kind;
  union {
    const char *string; /* valid until the next call of the same getter */
    int64_t integer;    /* INT, TIME (ms), MONEY (nano-dollars) */
    double number;
    bool boolean;
  };
};

/* A row is a (place, job) or a (place, job, run). */
struct report_row {
  int place;
  const struct job *job;
  const struct run *run; /* NULL for jobs */
};

struct report_field {
  const char *json;  /* name in JSON and CSV */
  const char *title; /* column title of the table; NULL: not in the table */
  struct value (*get)(const struct report_scope *scope, const struct report_row *row);
  /* For VALUE_JSON: arrays and objects (schedule[], last_run). */
  void (*write)(const struct report_scope *scope, const struct report_row *row, struct jw *w);
};

extern const struct report_field report_job_fields[];
extern const size_t report_job_field_count;
extern const struct report_field report_run_fields[];
extern const size_t report_run_field_count;

void report_write_object(const struct report_scope *scope, const struct report_row *row,
                         const struct report_field *fields, size_t count, struct jw *w);
void report_write_csv_header(const struct report_field *fields, size_t count, struct buf *out);
void report_write_csv_row(const struct report_scope *scope, const struct report_row *row,
                          const struct report_field *fields, size_t count, struct buf *out);
/* {"measured": …, "computed": …, "estimated": …} in USD; their sum is the sum's own figure. */
void report_write_by_basis(const struct cost_sum *sum, struct jw *w);
/* The members alone, inside an object that the caller has opened. */
void report_write_fields(const struct report_scope *scope, const struct report_row *row,
                         const struct report_field *fields, size_t count, struct jw *w);

/* A cell is at most this many bytes; a definition at most this deep (cJSON's own nesting limit is higher, the service's far lower). */
#define REPORT_CELL_MAX  ((size_t)16 * 1024 * 1024)
#define REPORT_DOC_DEPTH 64
/* One cell of CSV: quoted where RFC 4180 says so, and made harmless for spreadsheets. */
void report_csv_cell(struct buf *out, const char *s);
void report_csv_value(const struct value *v, struct buf *out); /* absent is empty */
/* A doc (GetJob, GetJobRun) as JSON, secrets masked (model/mask.h); null for what lies deeper than REPORT_DOC_DEPTH. */
void report_write_doc(const struct doc *doc, struct jw *w);

#endif
