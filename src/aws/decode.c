#include "aws/decode.h"

#include <string.h>
#include <cjson/cJSON.h>
#include "aws/errors.h"
#include "base/arena.h"
#include "base/json.h"
#include "model/records.h"

void decoder_init(struct decoder *d, const struct decode_field *fields, size_t count, struct arena *arena, void *extra)
{
  *d = (struct decoder){.fields = fields,
                        .count = (uint8_t)(count < DECODE_FIELDS_MAX ? count : DECODE_FIELDS_MAX),
                        .arena = arena,
                        .extra = extra};
  for (uint8_t i = 0; i <= d->count; i++)
    d->next[i] = (uint8_t)((i + 1) % (d->count + 1));
}

/* Index of the field of that name; d->count when it is not known. `before` is the index of the member before this one. */
static uint8_t decoder_find(struct decoder *d, uint8_t before, const char *name)
{
  uint8_t guess = d->next[before];
  if (guess < d->count && strcmp(d->fields[guess].name, name) == 0)
    return guess;
  for (uint8_t i = 0; i < d->count; i++) {
    if (d->fields[i].name[0] == name[0] && strcmp(d->fields[i].name, name) == 0) {
      d->next[before] = i;
      return i;
    }
  }
  return d->count;
}

const char *decode_string(const struct cJSON *item, struct arena *arena)
{
  return cJSON_IsString(item) ? arena_strdup(arena, item->valuestring) : NULL;
}

static const char *decoder_string(struct decoder *d, uint8_t index, const struct cJSON *item)
{
  if (!cJSON_IsString(item))
    return NULL;
  const char *last = d->last[index];
  if (last == NULL || strcmp(last, item->valuestring) != 0)
    d->last[index] = last = arena_strdup(d->arena, item->valuestring);
  return last;
}

static void decoder_member(struct decoder *d, uint8_t index, const struct cJSON *item, void *base)
{
  const struct decode_field *f = &d->fields[index];
  void *at = (char *)base + f->offset;
  switch (f->kind) {
  case DECODE_STRING:
    *(const char **)at = decoder_string(d, index, item);
    break;
  case DECODE_TIME:
    (void)json_item_time(item, at);
    break;
  case DECODE_I64:
    (void)json_item_i64(item, at);
    break;
  case DECODE_F64:
    (void)json_item_f64(item, at);
    break;
  case DECODE_TRI:
    if (cJSON_IsBool(item))
      *(enum tristate *)at = cJSON_IsTrue(item) ? TRI_TRUE : TRI_FALSE;
    break;
  case DECODE_CALL:
    f->call(d, item, base);
    break;
  case DECODE_SKIP:
    break;
  }
}

void decoder_object(struct decoder *d, const struct cJSON *object, void *base)
{
  uint8_t before = d->count;
  const struct cJSON *item = NULL;
  cJSON_ArrayForEach (item, object) {
    if (item->string == NULL)
      return; /* an array */
    uint8_t index = decoder_find(d, before, item->string);
    if (index < d->count) {
      decoder_member(d, index, item, base);
      before = index;
    }
  }
}

static struct arena decode_memory;

void decode_close(void)
{
  arena_reset(&decode_memory);
}

struct err decode_open(const char *text, size_t len, struct cJSON **out)
{
  struct err e = json_parse_in(&decode_memory, text, len, out);
  if (!err_is(&e) && !cJSON_IsObject(*out)) {
    *out = NULL;
    e = err_new(ERR_PARSE, "the answer is JSON, but no object");
  }
  /* Stand-ins have been seen to send a refusal with status 200. */
  if (!err_is(&e) && json_str(*out, "__type") != NULL) {
    *out = NULL;
    e = errors_read(&(struct aws_refusal){.status = 400, .body = text, .body_len = len});
  }
  return e;
}

struct err decode_list(const struct cJSON *object, const char *name, const struct cJSON **out)
{
  const struct cJSON *list = json_get(object, name);
  *out = cJSON_IsArray(list) ? list : NULL;
  if (*out == NULL && list != NULL && !cJSON_IsNull(list))
    return err_new(ERR_PARSE, "the answer's %s is no list", name);
  return err_ok();
}

size_t decode_list_size(const struct cJSON *list)
{
  return list != NULL ? (size_t)cJSON_GetArraySize(list) : 0;
}

const char *decode_token(const struct cJSON *object, struct arena *arena)
{
  const char *token = json_str(object, "NextToken");
  return token != NULL && *token != '\0' ? arena_strdup(arena, token) : NULL;
}
