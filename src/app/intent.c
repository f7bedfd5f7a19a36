#include "app/intent.h"

#include <stdlib.h>
#include "base/xalloc.h"

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
  *add = (struct intent){.kind = kind, .id = ++i->last_id, .workers = RECORD_ABSENT, .timeout_minutes = RECORD_ABSENT};
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
