/* What the login services give out: keys that open the API for a while, and tickets (SSO tokens, codes, metadata tokens). */
#include "sim/private.h"

#include <stdio.h>
#include <string.h>
#include "base/xalloc.h"
#include "sim/rng.h"

/* Letters and digits that follow from the server's seed and how much was given out before. */
static char *make_word(struct sim_world *w, const char *prefix, size_t letters, char *out)
{
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  uint64_t lot = sim_mix2(sim_hash(w->seed, prefix), w->key_count * 1000 + w->ticket_count);
  size_t n = strlen(prefix);
  memcpy(out, prefix, n);
  for (size_t i = 0; i < letters; i++)
    out[n + i] = alphabet[sim_rng_next(&lot) >> 59];
  out[n + letters] = '\0';
  return out;
}

const struct sim_key *sim_issue_key(struct sim_world *w, const char *account_id, const char *arn, int64_t lifetime_s)
{
  char id[24], secret[48], token[80];
  int64_t life = w->token_lifetime_ms;
  if (lifetime_s > 0 && lifetime_s * WHEN_SECOND < life)
    life = lifetime_s * WHEN_SECOND;
  make_word(w, "ASIA", 16, id);
  make_word(w, "issued/", 33, secret);
  make_word(w, "session-token-", 48, token);
  w->keys = xgrow(w->keys, &w->key_cap, w->key_count + 1, sizeof *w->keys);
  struct sim_key *key = &w->keys[w->key_count++];
  *key = (struct sim_key){.access_key = arena_strdup(&w->memory, id),
                          .secret_key = arena_strdup(&w->memory, secret),
                          .session_token = arena_strdup(&w->memory, token),
                          .expires_ms = clock_wall_ms(&w->clock) + life,
                          .account_id = arena_strdup(&w->memory, account_id),
                          .arn = arena_strdup(&w->memory, arn)};
  return key;
}

struct sim_ticket *sim_issue_ticket(struct sim_world *w, enum sim_ticket_kind kind, int64_t ends_ms)
{
  struct sim_ticket t = {.kind = kind, .ends_ms = ends_ms, .polled_ms = INT64_MIN};
  char code[16];
  make_word(w, "ticket-", 40, t.text);
  make_word(w, "", 8, code);
  snprintf(t.user_code, sizeof t.user_code, "%.4s-%.4s", code, code + 4);
  w->tickets = xgrow(w->tickets, &w->ticket_cap, w->ticket_count + 1, sizeof *w->tickets);
  w->tickets[w->ticket_count] = t;
  return &w->tickets[w->ticket_count++];
}

struct sim_ticket *sim_find_ticket(struct sim_world *w, enum sim_ticket_kind kind, const char *text)
{
  int64_t now = clock_wall_ms(&w->clock);
  for (size_t i = 0; text != NULL && i < w->ticket_count; i++) {
    struct sim_ticket *t = &w->tickets[i];
    if (t->kind == kind && strcmp(t->text, text) == 0)
      return now < t->ends_ms || kind == TICKET_DEVICE ? t : NULL;
  }
  return NULL;
}

const char *sim_arn_account(const struct sim_world *w, const char *arn, char out[16])
{
  const char *at = arn;
  for (int colons = 0; at != NULL && colons < 4; colons++) {
    at = strchr(at, ':');
    at = at != NULL ? at + 1 : NULL;
  }
  if (at != NULL && strspn(at, "0123456789") == 12 && at[12] == ':')
    snprintf(out, 16, "%.12s", at);
  else
    snprintf(out, 16, "%s", w->account_id);
  return out;
}
