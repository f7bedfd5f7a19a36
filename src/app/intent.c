#include "app/intent.h"

#include <math.h>
#include <stdlib.h>
#include "base/xalloc.h"
#include "model/model.h"

void intents_init(struct intents *i)
{
  *i = (struct intents){0};
}

static void intent_fini(struct intent *i)
{
  free(i->job);
  for (size_t k = 0; k < i->run_id_count; k++)
    free(i->run_ids[k]);
  free(i->run_ids);
  free(i->text);
  for (size_t k = 0; k < i->argument_count; k++) {
    free(i->argument_keys[k]);
    free(i->argument_values[k]);
  }
  free(i->argument_keys);
  free(i->argument_values);
  free(i->worker_type);
  free(i->execution_class);
}

void intents_clear(struct intents *i)
{
  for (size_t k = 0; k < i->count; k++)
    intent_fini(&i->items[k]);
  i->count = 0;
}

void intents_fini(struct intents *i)
{
  intents_clear(i);
  free(i->items);
  *i = (struct intents){0};
}

struct intent *intents_add(struct intents *i, enum intent_kind kind)
{
  i->items = xgrow(i->items, &i->cap, i->count + 1, sizeof *i->items);
  struct intent *add = &i->items[i->count++];
  *add = (struct intent){.kind = kind,
                         .id = ++i->last_id,
                         .workers = RECORD_ABSENT,
                         .timeout_minutes = RECORD_ABSENT,
                         .max_capacity = (double)NAN};
  return add;
}

void intent_add_run(struct intent *i, const char *run_id)
{
  i->run_ids = xreallocarray(i->run_ids, i->run_id_count + 1, sizeof *i->run_ids);
  i->run_ids[i->run_id_count++] = xstrdup(run_id);
}

void intent_add_argument(struct intent *i, const char *key, const char *value)
{
  i->argument_keys = xreallocarray(i->argument_keys, i->argument_count + 1, sizeof *i->argument_keys);
  i->argument_values = xreallocarray(i->argument_values, i->argument_count + 1, sizeof *i->argument_values);
  i->argument_keys[i->argument_count] = xstrdup(key);
  i->argument_values[i->argument_count] = xstrdup(value);
  i->argument_count++;
}

void intent_be_like(struct intent *i, const struct run *run, const char *worker_type)
{
  bool sized = i->worker_type != NULL || i->workers != RECORD_ABSENT;
  if (worker_type != NULL && run->workers > 0) { /* both or none: the service wants them together */
    if (i->worker_type == NULL)
      i->worker_type = xstrdup(worker_type);
    if (i->workers == RECORD_ABSENT)
      i->workers = run->workers;
  } else if (worker_type == NULL && !sized && run->max_capacity > 0) { /* never beside workers */
    i->max_capacity = run->max_capacity;
  }
  if (i->timeout_minutes == RECORD_ABSENT && run->timeout_minutes > 0)
    i->timeout_minutes = run->timeout_minutes;
  if (i->execution_class == NULL && run->execution_class == CLASS_FLEX)
    i->execution_class = xstrdup("FLEX");
}
