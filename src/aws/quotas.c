#include "aws/quotas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cjson/cJSON.h>
#include "aws/call.h"
#include "aws/decode.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/xalloc.h"

#define QUOTAS_BODY_MAX ((size_t)64 * 1024)

/* --- decoding ----------------------------------------------------------------------------------------------------------------- */

/* Quotas of another service, and those of single resources, are none of the account's. */
static bool is_of_account(const struct cJSON *entry)
{
  const char *service = json_str(entry, "ServiceCode"), *level = json_str(entry, "QuotaAppliedAtLevel");
  return (service == NULL || strcmp(service, "glue") == 0) && (level == NULL || strcmp(level, "RESOURCE") != 0);
}

static void read_quota(const struct cJSON *entry, struct arena *arena, struct quotas_page *page)
{
  enum quota_kind kind = QUOTA_RUNS;
  double value = 0;
  page->count++;
  if (!cJSON_IsObject(entry) || !is_of_account(entry) ||
      !quota_find(json_str(entry, "QuotaCode"), json_str(entry, "QuotaName"), &kind) ||
      !json_f64(entry, "Value", &value)) /* without one the service could not tell it (ErrorReason) */
    return;
  if (!quota_is_plausible(value))
    page->refused = arena_printf(arena, "Service Quotas says %g for \"%s\", which cannot be: nothing of it is used",
                                 value, quota_info(kind)->name);
  else if (!isnan(page->values[kind]) && page->values[kind] != value)
    page->refused =
        arena_printf(arena, "Service Quotas has two values for \"%s\": nothing of it is used", quota_info(kind)->name);
  else
    page->values[kind] = value;
}

struct err quotas_decode_list(const char *text, size_t len, struct arena *arena, struct quotas_page *out)
{
  *out = (struct quotas_page){.count = 0};
  for (size_t i = 0; i < QUOTA_KIND_COUNT; i++)
    out->values[i] = (double)NAN;
  struct cJSON *tree = NULL;
  const struct cJSON *list = NULL;
  const struct cJSON *entry = NULL;
  struct err e = decode_open(text, len, &tree);
  if (!err_is(&e))
    e = decode_list(tree, "Quotas", &list);
  cJSON_ArrayForEach (entry, list) {
    read_quota(entry, arena, out);
  }
  if (!err_is(&e))
    out->next_token = decode_token(tree, arena);
  decode_close();
  return e;
}

/* --- the call ----------------------------------------------------------------------------------------------------------------- */

static struct err quotas_made(struct call *c, const struct transport_answer *a)
{
  struct quotas_page *page = arena_alloc(&c->arena, sizeof *page);
  struct err e = quotas_decode_list(a->body, a->body_len, &c->arena, page);
  c->reply.quotas = page;
  return e;
}

uint64_t quotas_list(const struct aws_target *t, const char *token, glue_done_fn *done, void *user)
{
  static const char *const headers[] = {"Content-Type", "application/x-amz-json-1.1", "X-Amz-Target",
                                        "ServiceQuotasV20190624.ListServiceQuotas", NULL};
  struct buf body;
  struct jw w;
  buf_init(&body, QUOTAS_BODY_MAX);
  jw_init(&w, &body, false);
  jw_object(&w);
  jw_name(&w, "ServiceCode");
  jw_str(&w, "glue");
  jw_name(&w, "MaxResults");
  jw_i64(&w, QUOTAS_PAGE);
  if (token != NULL) {
    jw_name(&w, "NextToken");
    jw_str(&w, token);
  }
  jw_end_object(&w);
  char *what = xasprintf("ListServiceQuotas in %s", t->region);
  uint64_t id = call_send(call_new(quotas_made, done, user), t,
                          &(struct transport_request){.change = TRANSPORT_READS,
                                                      .endpoint = &t->quotas,
                                                      .headers = headers,
                                                      .body = body.data,
                                                      .body_len = body.overflow ? SIZE_MAX : body.len,
                                                      .own_rate = true,
                                                      .what = what});
  buf_fini(&body);
  free(what);
  return id;
}
