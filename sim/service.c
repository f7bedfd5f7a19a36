#include "sim/service.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cjson/cJSON.h>
#include "base/xalloc.h"
#include "sim/private.h"
#include "sim/rng.h"

static const struct sim_service *const services[] = {&sim_glue,     &sim_sts,     &sim_sso,
                                                     &sim_metadata, &sim_pricing, &sim_quotas};
#define SERVICE_COUNT (sizeof services / sizeof services[0])

void sim_fail(struct sim_call *call, const char *code, const char *format, ...)
{
  if (call->code != NULL)
    return;
  va_list args;
  va_start(args, format);
  vsnprintf(call->message, sizeof call->message, format, args);
  va_end(args);
  call->code = code;
  call->status = strcmp(code, "InternalServiceException") == 0 ? 500 : 400;
  /* Errors that every service can give are written in lower case, those of the model with a capital M. */
  call->modelled = strcmp(code, "ValidationException") != 0 && strcmp(code, "SerializationException") != 0 &&
                   strcmp(code, "UnknownOperationException") != 0;
}

bool sim_failed(const struct sim_call *call)
{
  return call->code != NULL;
}

const char *sim_need_str(struct sim_call *call, const char *name)
{
  const char *text = json_str(call->in, name);
  if (text == NULL)
    sim_fail(call, "ValidationException",
             "1 validation error detected: Value null at '%c%s' failed to satisfy constraint: Member must not be null",
             name[0] | 0x20, name + 1);
  else if (text[0] == '\0' || strlen(text) > (size_t)255 * 4)
    sim_fail(call, "InvalidInputException", "%s must be 1 to 255 characters long.", name);
  return sim_failed(call) ? NULL : text;
}

int64_t sim_take_int(struct sim_call *call, const char *name, int64_t low, int64_t high, int64_t otherwise)
{
  const struct cJSON *member = json_get(call->in, name);
  int64_t value;
  if (member == NULL || cJSON_IsNull(member))
    return otherwise;
  if (!cJSON_IsNumber(member) || !json_i64(call->in, name, &value)) {
    sim_fail(call, "SerializationException", "%s cannot be converted to Integer", name);
    return otherwise;
  }
  if (value < low || value > high) {
    sim_fail(call, "ValidationException",
             "1 validation error detected: Value '%lld' at '%c%s' failed to satisfy constraint: Member must have value "
             "%s than or equal to %lld",
             (long long)value, name[0] | 0x20, name + 1, value < low ? "greater" : "less",
             (long long)(value < low ? low : high));
    return otherwise;
  }
  return value;
}

/* --- finding the operation ------------------------------------------------------------------------------------------ */

static bool is_form(const struct sim_http *http)
{
  const char *type = sim_http_header(http, "content-type");
  return type != NULL && strncmp(type, "application/x-www-form-urlencoded", 33) == 0;
}

/* The value of one parameter of a form body, decoded, in scratch. */
static char *form_value(struct arena *scratch, const char *pair, size_t len)
{
  char *out = arena_alloc(scratch, len + 1);
  size_t n = 0;
  for (size_t i = 0; i < len; i++) {
    int code = pair[i] == '%' && i + 2 < len ? sim_hex_byte(pair + i + 1) : -1;
    if (code >= 0) {
      out[n++] = (char)code;
      i += 2;
    } else {
      out[n++] = pair[i] == '+' ? ' ' : pair[i];
    }
  }
  out[n] = '\0';
  return out;
}

static struct cJSON *read_form(struct arena *scratch, const char *body, size_t len)
{
  struct cJSON *form = cJSON_CreateObject();
  for (size_t i = 0; i < len;) {
    size_t end = i;
    while (end < len && body[end] != '&')
      end++;
    const char *equals = memchr(body + i, '=', end - i);
    if (equals != NULL)
      cJSON_AddStringToObject(form, form_value(scratch, body + i, (size_t)(equals - body) - i),
                              form_value(scratch, equals + 1, (size_t)(body + end - equals) - 1));
    i = end + 1;
  }
  return form;
}

static bool path_fits(const char *path, const char *uri)
{
  size_t len = strlen(path), given = strcspn(uri, "?");
  bool open_end = len > 0 && path[len - 1] == '/';
  return strncmp(uri, path, len) == 0 && (given == len || (open_end && given > len));
}

/* REST services are told apart by method and path alone. The whole path goes before a beginning. */
static const struct sim_operation *find_path(const struct sim_http *http, const struct sim_service **service)
{
  const struct sim_operation *found = NULL;
  size_t length = 0;
  for (size_t i = 0; i < SERVICE_COUNT; i++) {
    if (services[i]->protocol != SIM_REST)
      continue;
    for (const struct sim_operation *o = services[i]->operations; o->name != NULL; o++) {
      if (strcmp(o->method, http->method) != 0 || !path_fits(o->path, http->uri) || strlen(o->path) < length)
        continue;
      found = o;
      length = strlen(o->path);
      *service = services[i];
    }
  }
  return found;
}

const char *sim_query(struct sim_call *call, const char *name)
{
  const char *query = strchr(call->http->uri, '?');
  size_t len = strlen(name);
  while (query != NULL) {
    query++;
    if (strncmp(query, name, len) == 0 && query[len] == '=')
      return form_value(call->scratch, query + len + 1, strcspn(query + len + 1, "&"));
    query = strchr(query, '&');
  }
  return NULL;
}

const char *sim_operation_name(const struct sim_http *http, char out[64])
{
  const char *target = sim_http_header(http, "x-amz-target");
  out[0] = '\0';
  if (target != NULL) {
    const char *dot = strchr(target, '.');
    snprintf(out, 64, "%s", dot != NULL ? dot + 1 : target);
  } else if (!is_form(http)) {
    const struct sim_service *service = NULL;
    const struct sim_operation *o = find_path(http, &service);
    snprintf(out, 64, "%s", o != NULL ? o->name : "");
  } else if (http->body_len > 0) {
    struct arena scratch;
    arena_init(&scratch);
    struct cJSON *form = read_form(&scratch, http->body, http->body_len);
    const char *action = json_str(form, "Action");
    snprintf(out, 64, "%s", action != NULL ? action : "");
    cJSON_Delete(form);
    arena_fini(&scratch);
  }
  return out;
}

static const struct sim_service *find_service(const struct sim_http *http)
{
  const char *target = sim_http_header(http, "x-amz-target");
  const struct sim_service *rest = NULL;
  if (target == NULL && !is_form(http) && find_path(http, &rest) != NULL)
    return rest;
  for (size_t i = 0; i < SERVICE_COUNT; i++) {
    if (services[i]->protocol == SIM_REST)
      continue;
    size_t len = strlen(services[i]->target_prefix);
    if (target == NULL ? services[i]->protocol == SIM_QUERY && is_form(http)
                       : services[i]->protocol == SIM_JSON_1_1 &&
                             strncmp(target, services[i]->target_prefix, len) == 0 && target[len] == '.')
      return services[i];
  }
  return NULL;
}

static const struct sim_operation *find_operation(const struct sim_service *service, const char *name)
{
  for (const struct sim_operation *o = service->operations; o->name != NULL; o++)
    if (strcmp(o->name, name) == 0)
      return o;
  return NULL;
}

/* --- answers -------------------------------------------------------------------------------------------------------- */

static void add_xml_text(struct buf *out, const char *s)
{
  for (; *s != '\0'; s++) {
    if (*s == '<')
      buf_adds(out, "&lt;");
    else if (*s == '>')
      buf_adds(out, "&gt;");
    else if (*s == '&')
      buf_adds(out, "&amp;");
    else
      buf_addc(out, *s);
  }
}

static void write_error(struct sim_reply *reply, const struct sim_service *service, int status, const char *code,
                        const char *message, bool modelled)
{
  buf_reset(&reply->body);
  reply->status = status;
  if (service != NULL && service->protocol == SIM_QUERY) {
    reply->content_type = "text/xml";
    buf_addf(&reply->body,
             "<ErrorResponse xmlns=\"%s\">\n  <Error>\n    <Type>%s</Type>\n    <Code>%s</Code>\n    <Message>",
             service->xml_namespace, status >= 500 ? "Receiver" : "Sender", code);
    add_xml_text(&reply->body, message);
    buf_addf(&reply->body, "</Message>\n  </Error>\n  <RequestId>%s</RequestId>\n</ErrorResponse>\n",
             reply->request_id);
    return;
  }
  struct jw w;
  reply->content_type = "application/x-amz-json-1.1";
  snprintf(reply->error_type, sizeof reply->error_type, "%s", code);
  jw_init(&w, &reply->body, false);
  jw_object(&w);
  jw_name(&w, "__type");
  jw_str(&w, code);
  if (message[0] != '\0') {
    jw_name(&w, modelled ? "Message" : "message");
    jw_str(&w, message);
  }
  jw_end_object(&w);
}

/* The codes of the JSON services and their older namesakes of the query protocol. */
static void write_refusal(struct sim_reply *reply, const struct sim_service *service, const struct verify_outcome *v)
{
  bool query = service != NULL && service->protocol == SIM_QUERY;
  const char *code = "InvalidSignatureException";
  switch (v->result) {
  case VERIFY_MISSING:
    code = query ? "MissingAuthenticationToken" : "MissingAuthenticationTokenException";
    break;
  case VERIFY_INCOMPLETE:
    code = query ? "IncompleteSignature" : "IncompleteSignatureException";
    break;
  case VERIFY_UNKNOWN_KEY:
  case VERIFY_BAD_TOKEN:
    code = query ? "InvalidClientTokenId" : "UnrecognizedClientException";
    break;
  case VERIFY_EXPIRED:
    code = query ? "ExpiredToken" : "ExpiredTokenException";
    break;
  case VERIFY_BAD_SCOPE:
  case VERIFY_SKEWED:
  case VERIFY_MISMATCH:
    code = query ? "SignatureDoesNotMatch" : "InvalidSignatureException";
    break;
  case VERIFY_OK:
    break;
  }
  write_error(reply, service, query ? 403 : 400, code, v->message, false);
}

static const struct sim_key *caller_key(const struct sim_world *world, const struct verify_outcome *caller)
{
  for (size_t i = 0; i < world->key_count; i++)
    if (strcmp(world->keys[i].access_key, caller->access_key) == 0)
      return &world->keys[i];
  return NULL;
}

static const char *caller_account(const struct sim_world *world, const struct verify_outcome *caller)
{
  const struct sim_key *key = caller_key(world, caller);
  return key != NULL && key->account_id != NULL ? key->account_id : world->account_id;
}

/* Faults that stand in for the operation's own answer. */
static bool write_fault(struct sim_reply *reply, const struct sim_service *service, const struct sim_world *world,
                        const struct verify_outcome *caller, const char *operation, const struct fault_effect *effect)
{
  bool query = service->protocol == SIM_QUERY;
  char message[400];
  if (effect->on[FAULT_RETRY_AFTER])
    snprintf(reply->retry_after, sizeof reply->retry_after, "%g", effect->value[FAULT_RETRY_AFTER]);
  if (effect->on[FAULT_THROTTLE]) {
    write_error(reply, service, 400, query ? "Throttling" : "ThrottlingException", "Rate exceeded", false);
  } else if (effect->on[FAULT_EXPIRED]) {
    write_error(reply, service, query ? 403 : 400, query ? "ExpiredToken" : "ExpiredTokenException",
                "The security token included in the request is expired", false);
  } else if (effect->on[FAULT_DENIED]) {
    snprintf(message, sizeof message,
             "User: arn:aws:iam::%s:user/%s is not authorized to perform: %s:%s on resource: * because no "
             "identity-based policy allows the %s:%s action",
             caller_account(world, caller), caller->access_key, service->signing_name, operation, service->signing_name,
             operation);
    write_error(reply, service, query ? 403 : 400, query ? "AccessDenied" : "AccessDeniedException", message, false);
  } else if (effect->on[FAULT_500]) {
    write_error(reply, service, 500, query ? "InternalFailure" : "InternalServiceException",
                "An internal error occurred. Please retry the request.", !query);
  } else if (effect->on[FAULT_RETRY_AFTER]) {
    write_error(reply, service, 503, query ? "ServiceUnavailable" : "ServiceUnavailableException",
                "The service is temporarily unavailable.", false);
  } else {
    return false;
  }
  return true;
}

static void run_operation(struct sim_world *world, const struct sim_service *service,
                          const struct sim_operation *operation, const struct sim_http *http,
                          const struct verify_outcome *caller, const struct fault_effect *effect,
                          struct sim_reply *reply, bool *carried_out)
{
  struct arena scratch;
  struct cJSON *in = NULL;
  struct err e = err_ok();
  arena_init(&scratch);
  bool rest = service->protocol == SIM_REST;
  const struct sim_key *key = caller_key(world, caller);
  if (service->protocol == SIM_QUERY)
    in = read_form(&scratch, http->body, http->body_len);
  else
    e = json_parse(http->body_len > 0 ? http->body : "{}", http->body_len > 0 ? http->body_len : 2, &in);
  struct sim_call call = {.world = world,
                          .http = http,
                          .key = key,
                          .account = sim_world_account(world, key != NULL ? key->account_id : NULL),
                          .in = in,
                          .effect = effect,
                          .caller = caller,
                          .operation = operation->name,
                          .scratch = &scratch,
                          .clock_ms = clock_wall_ms(&world->clock),
                          .body = &reply->body};
  jw_init(&call.out, &reply->body, false);
  if (!rest && (err_is(&e) || !cJSON_IsObject(in))) {
    sim_fail(&call, "SerializationException", "%s", "The request's body is not a JSON object.");
  } else {
    sim_account_advance(call.account, sim_world_now(world));
    reply->status = 200;
    reply->content_type = service->protocol == SIM_QUERY ? "text/xml" : "application/x-amz-json-1.1";
    if (rest) {
      call.status = 200;
      call.content_type = "application/json";
    } else if (service->protocol == SIM_QUERY) {
      buf_addf(&reply->body, "<%sResponse xmlns=\"%s\">\n", operation->name, service->xml_namespace);
    } else {
      jw_object(&call.out);
    }
    operation->run(&call);
    if (rest) {
      reply->status = call.status;
      reply->content_type = call.content_type;
    } else if (service->protocol == SIM_QUERY) {
      buf_addf(&reply->body,
               "  <ResponseMetadata>\n    <RequestId>%s</RequestId>\n  </ResponseMetadata>\n</%sResponse>\n",
               reply->request_id, operation->name);
    } else {
      jw_end_object(&call.out);
    }
  }
  *carried_out = !sim_failed(&call) && call.status < 400;
  if (rest && sim_failed(&call))
    snprintf(reply->error_type, sizeof reply->error_type, "%s", call.code);
  else if (sim_failed(&call))
    write_error(reply, service, call.status, call.code, call.message, call.modelled);
  err_fini(&e);
  json_free(in);
  arena_fini(&scratch);
}

void sim_dispatch(struct sim_world *world, const struct sim_http *http, const char *name,
                  const struct fault_effect *effect, struct sim_reply *reply, bool *carried_out)
{
  struct verify_outcome caller;
  const struct sim_service *service = find_service(http);
  struct verify_rules rules = {
      .keys = world->keys,
      .key_count = world->key_count,
      .any_key = world->any_key,
      .region = world->region[0] != '\0' ? world->region : NULL,
      .service = service != NULL ? service->signing_name : NULL,
      .now_ms = clock_wall_ms(&world->clock),
  };
  *carried_out = false;
  if (effect->on[FAULT_SKEW])
    rules.now_ms += (int64_t)(effect->value[FAULT_SKEW] * 1000);
  const struct sim_operation *operation = service == NULL                 ? NULL
                                          : service->protocol == SIM_REST ? find_path(http, &service)
                                                                          : find_operation(service, name);
  if (operation != NULL && operation->open)
    caller = (struct verify_outcome){.result = VERIFY_OK};
  else
    sim_verify(http, &rules, &caller);
  const char *const *home = service != NULL ? service->homes : NULL;
  for (; home != NULL && *home != NULL && caller.result == VERIFY_BAD_SCOPE; home++) {
    rules.region = *home;
    sim_verify(http, &rules, &caller);
  }
  if (caller.result != VERIFY_OK) {
    sim_world_tally(world, name)->count.unsigned_++;
    write_refusal(reply, service, &caller);
    return;
  }
  if (operation == NULL || (service->protocol != SIM_REST && strcmp(http->method, "POST") != 0)) {
    if (service != NULL && service->protocol == SIM_QUERY)
      write_error(reply, service, 400, "InvalidAction", "Could not find operation for the version 2011-06-15", false);
    else
      write_error(reply, service, 400, "UnknownOperationException", "", false);
    return;
  }
  if (write_fault(reply, service, world, &caller, name, effect))
    return;
  run_operation(world, service, operation, http, &caller, effect, reply, carried_out);
}
