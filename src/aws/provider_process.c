/* credential_process: a program of the person's that prints keys. */
#include "aws/provider.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include "aws/child.h"
#include "base/json.h"
#include "base/text.h"
#include "base/xalloc.h"

/* Long enough to agree in a browser, short enough not to be taken for a hang-up of ours. */
#define PROCESS_LIMIT WHEN_MINUTE

struct process_own {
  char **words;
  char *what;
  struct child child;
  int64_t deadline_ms; /* monotonic */
};

/* What our own login holds is none of the program's business. */

struct err process_read_output(const char *text, size_t len, struct credentials *out)
{
  static const struct key_names names = {.id = "AccessKeyId",
                                         .secret = "SecretAccessKey",
                                         .token = "SessionToken",
                                         .expiry = "Expiration",
                                         .account = "AccountId"};
  struct err e = err_ok();
  cJSON *tree = secret_json_parse(text, len);
  const cJSON *version = json_get(tree, "Version");
  /* The text is never quoted: it may hold keys. */
  if (len == 0)
    e = err_new(ERR_CREDENTIALS, "it printed nothing");
  else if (!cJSON_IsObject(tree))
    e = err_new(ERR_CREDENTIALS, "what it printed is not one JSON object");
  else if (version == NULL)
    e = err_new(ERR_CREDENTIALS, "its output has no Version");
  else if (!(cJSON_IsNumber(version) && version->valuedouble >= 1 && version->valuedouble < 2) &&
           !(cJSON_IsString(version) && strcmp(version->valuestring, "1") == 0))
    e = err_new(ERR_CREDENTIALS, "its output is of a Version that is not 1");
  else
    e = login_keys_of_json(tree, &names, out);
  secret_json_free(tree);
  return e;
}

/* The program's own words, cut and without blanks around. Caller frees; NULL: it said nothing. */
static char *words_of(const struct secret_text *err)
{
  struct buf clean;
  buf_init(&clean, 4096);
  text_clean(&clean, err->data != NULL ? err->data : "", err->len < 2000 ? err->len : 2000, TEXT_BLOCK);
  char *text = buf_take(&clean);
  size_t len = strlen(text);
  while (len > 0 && strchr(" \n", text[len - 1]) != NULL)
    text[--len] = '\0';
  if (len > 0)
    return text;
  free(text);
  return NULL;
}

static struct err ended_badly(const struct process_own *own)
{
  const struct child *c = &own->child;
  char *said = words_of(&c->err);
  const char *colon = said != NULL ? ": " : "";
  const char *words = said != NULL ? said : "";
  struct err e;
  if (c->run_errno != 0)
    e = err_new(ERR_CREDENTIALS, "%s cannot be run: %s", own->words[0], strerror(c->run_errno));
  else if (c->status > 128)
    e = err_new(ERR_CREDENTIALS, "it was ended by signal %d%s%s", c->status - 128, colon, words);
  else
    e = err_new(ERR_CREDENTIALS, "it ended with status %d%s%s", c->status, colon, words);
  free(said);
  return e;
}

static void process_fail(struct source *s, struct err take)
{
  const struct process_own *own = s->own;
  err_set_what(&take, "%s", own->what);
  if (take.detail->hint == NULL)
    err_set_hint(&take, "Run the command of credential_process by hand to see what it wants.");
  source_fail(s, take);
}

static void process_start(struct source *s)
{
  struct process_own *own = s->own;
  own->deadline_ms = login_mono_ms(s->login) + PROCESS_LIMIT;
  struct err e = child_start(&own->child, own->words, child_no_keys);
  if (err_is(&e))
    process_fail(s, e);
}

static void process_turn(struct source *s)
{
  struct process_own *own = s->own;
  struct child *c = &own->child;
  child_turn(c);
  struct err e = err_ok();
  struct credentials keys;
  credentials_init(&keys);
  if (!c->ended && login_mono_ms(s->login) < own->deadline_ms)
    return;
  if (!c->ended) {
    char *said = words_of(&c->err);
    e = err_new(ERR_CREDENTIALS, "it did not end within %d seconds%s%s", (int)(PROCESS_LIMIT / 1000),
                said != NULL ? ": " : "", said != NULL ? said : "");
    free(said);
  } else if (c->status != 0) {
    e = ended_badly(own);
  } else if (c->out_too_long) {
    e = err_new(ERR_CREDENTIALS, "it printed too much");
  } else {
    e = process_read_output(c->out.data != NULL ? c->out.data : "", c->out.len, &keys);
  }
  if (err_is(&e))
    process_fail(s, e);
  else
    source_done(s, &keys);
  child_stop(c);
  credentials_fini(&keys);
}

static int64_t process_next_ms(const struct source *s)
{
  return ((const struct process_own *)s->own)->deadline_ms;
}

static unsigned process_fds(const struct source *s, struct transport_fd *out, unsigned max)
{
  return child_fds(&((const struct process_own *)s->own)->child, out, max);
}

static void process_cancel(struct source *s)
{
  child_stop(&((struct process_own *)s->own)->child);
}

static void process_free(struct source *s)
{
  struct process_own *own = s->own;
  child_stop(&own->child);
  child_words_free(own->words);
  free(own->what);
}

static const struct source_ops process_ops = {.start = process_start,
                                              .turn = process_turn,
                                              .next_ms = process_next_ms,
                                              .fds = process_fds,
                                              .cancel = process_cancel,
                                              .free_own = process_free};

struct err source_process(struct login *l, const char *profile, struct source **out)
{
  char **words = NULL;
  struct err e = child_words(aws_config_get(l->config, profile, "credential_process"), &words);
  if (err_is(&e)) {
    err_set_what(&e, "credential_process of profile %s", profile);
    return e;
  }
  struct source *s = source_new(l, &process_ops, sizeof(struct process_own), profile);
  struct process_own *own = s->own;
  own->words = words;
  own->what = xasprintf("credential_process of profile %s", profile);
  child_init(&own->child);
  s->label = xasprintf("process of profile %s", profile);
  s->where = xasprintf("credential_process of profile %s", profile);
  *out = s;
  return e;
}
