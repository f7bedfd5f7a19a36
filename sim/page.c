#include "sim/service.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "sim/rng.h"

#define TOKEN_LIFE_MS WHEN_HOUR

/* 32 bytes as 43 letters: what the token is for, where it points, when it was made, and a seal. */
struct token {
  uint64_t question, position, made, seal;
};

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static uint64_t seal_of(const struct sim_call *call, const struct token *t)
{
  return sim_mix2(sim_mix2(sim_mix2(call->account->seed ^ 0x70617365, t->question), t->position), t->made);
}

static void write_token(const struct token *t, char out[48])
{
  unsigned char bytes[33] = {0};
  const uint64_t words[4] = {t->question, t->position, t->made, t->seal};
  for (size_t i = 0; i < 32; i++)
    bytes[i] = (unsigned char)(words[i / 8] >> (8 * (i % 8)));
  size_t n = 0;
  for (size_t i = 0; i < 33; i += 3) {
    uint32_t group = (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8 | bytes[i + 2];
    for (int shift = 18; shift >= 0; shift -= 6)
      out[n++] = letters[(group >> shift) & 63];
  }
  out[n] = '\0';
}

static bool read_token(const char *text, struct token *out)
{
  unsigned char bytes[33];
  if (strlen(text) != 44)
    return false;
  for (size_t i = 0; i < 11; i++) {
    uint32_t group = 0;
    for (size_t k = 0; k < 4; k++) {
      const char *p = strchr(letters, text[4 * i + k]);
      if (p == NULL)
        return false;
      group = group << 6 | (uint32_t)(p - letters);
    }
    bytes[3 * i] = (unsigned char)(group >> 16);
    bytes[3 * i + 1] = (unsigned char)(group >> 8);
    bytes[3 * i + 2] = (unsigned char)group;
  }
  uint64_t words[4] = {0};
  for (size_t i = 0; i < 32; i++)
    words[i / 8] |= (uint64_t)bytes[i] << (8 * (i % 8));
  *out = (struct token){words[0], words[1], words[2], words[3]};
  return true;
}

/* position: 48 bits of place, 16 of empty pages still to come. */
static uint64_t pack(int64_t position, int64_t empties)
{
  return (uint64_t)(position + 1) << 16 | (uint64_t)(empties & 0xffff);
}

bool sim_page_begin(struct sim_call *call, struct sim_page *page, int64_t max_size, int64_t default_size,
                    const char *question)
{
  *page = (struct sim_page){.position = -1};
  page->question = sim_hash(sim_hash(call->account->seed, call->operation), question);
  page->size = sim_take_int(call, "MaxResults", 1, max_size, default_size);
  const char *text = json_str(call->in, "NextToken");
  if (sim_failed(call))
    return false;
  if (text == NULL || text[0] == '\0') {
    page->empties_left = call->effect->on[FAULT_EMPTY_PAGES] ? (int64_t)call->effect->value[FAULT_EMPTY_PAGES] : 0;
  } else {
    struct token t;
    if (!read_token(text, &t) || t.seal != seal_of(call, &t) || t.question != page->question) {
      sim_fail(call, "InvalidInputException", "Invalid NextToken: the token does not belong to this request.");
      return false;
    }
    if (call->clock_ms > (int64_t)t.made + TOKEN_LIFE_MS) {
      sim_fail(call, "InvalidInputException", "NextToken has expired. Start again from the first page.");
      return false;
    }
    page->position = (int64_t)(t.position >> 16) - 1;
    page->empties_left = (int64_t)(t.position & 0xffff);
  }
  page->empty = page->empties_left > 0;
  return true;
}

void sim_page_next(struct sim_call *call, const struct sim_page *page, int64_t position)
{
  struct token t = {.question = page->question, .made = (uint64_t)call->clock_ms};
  char text[48];
  if (call->effect->on[FAULT_REPEAT_TOKEN])
    /* The very same token each time, whatever was asked for. */
    t = (struct token){.question = page->question,
                       .position = pack(-1, 0),
                       .made = (uint64_t)(call->clock_ms / WHEN_HOUR * WHEN_HOUR)};
  else if (page->empty)
    t.position = pack(page->position, page->empties_left - 1);
  else if (position >= 0)
    t.position = pack(position, 0);
  else
    return;
  t.seal = seal_of(call, &t);
  write_token(&t, text);
  jw_name(&call->out, "NextToken");
  jw_str(&call->out, text);
}

/* The digits of an integer as a decimal with one digit before the point: 1790000000120, 9 -> 1.79000000012E9 */
static void put_exponent(struct jw *w, uint64_t digits, int exponent)
{
  char text[32], out[48];
  int len = snprintf(text, sizeof text, "%llu", (unsigned long long)digits);
  while (len > 2 && text[len - 1] == '0')
    text[--len] = '\0';
  snprintf(out, sizeof out, "%c.%sE%d", text[0], text + 1, exponent);
  jw_raw(w, out, strlen(out));
}

/* Java's Double.toString: always a point, the exponent form from 10^7 on. Four decimals are all that the service's own
 * figures have. */
void sim_put_double(struct jw *w, double v)
{
  char text[64];
  if (v >= 1e7) {
    uint64_t thousandths = (uint64_t)llround(v * 1000.0);
    put_exponent(w, thousandths, snprintf(text, sizeof text, "%llu", (unsigned long long)thousandths) - 4);
    return;
  }
  int len = snprintf(text, sizeof text, "%.4f", v);
  while (text[len - 1] == '0' && text[len - 2] != '.')
    text[--len] = '\0';
  jw_raw(w, text, (size_t)len);
}

void sim_put_time(struct jw *w, int64_t ms, bool exponent)
{
  char text[64];
  if (exponent && ms > 0) {
    put_exponent(w, (uint64_t)ms, snprintf(text, sizeof text, "%lld", (long long)ms) - 4);
    return;
  }
  snprintf(text, sizeof text, "%lld.%03d", (long long)(ms / 1000), (int)(ms % 1000));
  jw_raw(w, text, strlen(text));
}
