/* The table of retries, row by row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "aws/retry.h"

enum call { READ, WRITE_UNSENT, WRITE_SENT };
static const struct {
  enum err_kind kind;
  enum call call;
  int tries_allowed; /* in all; 1: never again */
  bool unknown;      /* is the outcome unknown when it ends so? */
} rows[] = {
    {ERR_NETWORK, READ, 6, false},     {ERR_NETWORK, WRITE_UNSENT, 6, false}, {ERR_NETWORK, WRITE_SENT, 1, true},
    {ERR_TIMEOUT, READ, 6, false},     {ERR_TIMEOUT, WRITE_UNSENT, 6, false}, {ERR_TIMEOUT, WRITE_SENT, 1, true},
    {ERR_TLS, READ, 2, false},         {ERR_TLS, WRITE_UNSENT, 2, false},     {ERR_TLS, WRITE_SENT, 1, true},
    {ERR_THROTTLED, READ, 6, false},   {ERR_THROTTLED, WRITE_SENT, 1, false}, {ERR_SERVER, READ, 6, false},
    {ERR_SERVER, WRITE_SENT, 1, true}, {ERR_PARSE, READ, 6, false},           {ERR_PARSE, WRITE_SENT, 1, true},
    {ERR_TOO_BIG, READ, 1, false},     {ERR_TOO_BIG, WRITE_SENT, 1, true},    {ERR_USAGE, READ, 1, false},
    {ERR_USAGE, WRITE_SENT, 1, false}, {ERR_CONFIG, READ, 1, false},          {ERR_CREDENTIALS, READ, 1, false},
    {ERR_DENIED, READ, 1, false},      {ERR_DENIED, WRITE_SENT, 1, false},    {ERR_NOT_FOUND, READ, 1, false},
    {ERR_CONFLICT, READ, 1, false},    {ERR_CONFLICT, WRITE_SENT, 1, false},  {ERR_LIMIT, READ, 1, false},
    {ERR_LIMIT, WRITE_SENT, 1, false}, {ERR_CANCELLED, READ, 1, false},       {ERR_UNCERTAIN, WRITE_SENT, 1, false},
    {ERR_OK, READ, 1, false},          {ERR_KIND_COUNT, READ, 1, false},
};

static void test_table(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    bool changes = rows[i].call != READ;
    bool left = rows[i].call != WRITE_UNSENT;
    for (int tries = 1; tries <= 8; tries++) {
      enum retry_verdict verdict = retry_decide(rows[i].kind, changes, left, tries, 0);
      if (verdict != (tries < rows[i].tries_allowed ? RETRY_BACKOFF : RETRY_NO))
        fail_msg("row %zu (%s), after %d tries: %d", i, err_kind_name(rows[i].kind), tries, (int)verdict);
    }
    if (changes && retry_outcome_unknown(rows[i].kind, left) != rows[i].unknown)
      fail_msg("row %zu (%s): outcome", i, err_kind_name(rows[i].kind));
  }
}

static void test_refusals_met_with_something_new(void **state)
{
  (void)state;
  for (int changes = 0; changes < 2; changes++) {
    assert_int_equal(retry_decide(ERR_EXPIRED, changes, true, 1, 0), RETRY_ONCE_FRESH_LOGIN);
    assert_int_equal(retry_decide(ERR_SKEW, changes, true, 1, 0), RETRY_ONCE_NEW_CLOCK);
  }
  assert_false(retry_outcome_unknown(ERR_EXPIRED, true));
  assert_false(retry_outcome_unknown(ERR_SKEW, true));
}

/* Never again after 30 s, whatever it was. */
static void test_span(void **state)
{
  (void)state;
  assert_int_equal(retry_decide(ERR_NETWORK, false, true, 1, 29999), RETRY_BACKOFF);
  for (int kind = 0; kind < ERR_KIND_COUNT; kind++)
    assert_int_not_equal(retry_decide((enum err_kind)kind, false, true, 1, 30000), RETRY_BACKOFF);
}

static void test_delays(void **state)
{
  (void)state;
  static const struct {
    enum err_kind kind;
    int tries;
    int64_t after;
    double random;
    int64_t delay;
  } cases[] = {
      {ERR_THROTTLED, 1, -1, 0, 0},         {ERR_THROTTLED, 1, -1, 0.5, 500},
      {ERR_THROTTLED, 2, -1, 0.5, 1000},    {ERR_THROTTLED, 3, -1, 0.5, 2000},
      {ERR_THROTTLED, 5, -1, 0.5, 8000},    {ERR_THROTTLED, 6, -1, 0.5, 10000},
      {ERR_THROTTLED, 999, -1, 0.5, 10000}, {ERR_NETWORK, 1, -1, 0.5, 125},
      {ERR_NETWORK, 5, -1, 0.5, 2000},      {ERR_SERVER, 1, 0, 0, 0},
      {ERR_SERVER, 1, 1500, 0, 1500},       {ERR_SERVER, 1, 1500, 0.5, 1750},
      {ERR_SERVER, 4, 20000, 0, 20000},     {ERR_SERVER, 1, 3600000, 0, 20000},
      {ERR_DENIED, 3, -1, 0.9, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    assert_int_equal(retry_delay_ms(cases[i].kind, cases[i].tries, cases[i].after, cases[i].random), cases[i].delay);
}

int main(void)
{
  static const struct CMUnitTest tests[] = {cmocka_unit_test(test_table),
                                            cmocka_unit_test(test_refusals_met_with_something_new),
                                            cmocka_unit_test(test_span), cmocka_unit_test(test_delays)};
  return cmocka_run_group_tests(tests, NULL, NULL) == 0 ? 0 : 1;
}
