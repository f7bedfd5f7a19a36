/* Expired logins and wrong clocks: refusals that are met once with something new, for reads and writes alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/when.h"
#include "tests/faults/fixture.h"
#include "tests/faults/login_double.h"

#define WELL                                                                                                           \
  {                                                                                                                    \
    STEP_ANSWER, 200, NULL, "{}", 0, 0                                                                                 \
  }
#define EXPIRED                                                                                                        \
  {                                                                                                                    \
    STEP_ANSWER, 400, NULL,                                                                                            \
        "{\"__type\":\"ExpiredTokenException\",\"message\":\"The security token included in the request is "           \
        "expired\"}",                                                                                                  \
        0, 0                                                                                                           \
  }

static void test_expired_token(void **state)
{
  (void)state;
  static const struct step steps[] = {EXPIRED, WELL};
  for (int change = 0; change < 2; change++) {
    struct fixture *f = fixture_new(steps, 2, 0);
    struct login login;
    login_double_init(&login, LOGIN_READY);
    struct transport_request r = fixture_request(f, change ? TRANSPORT_CHANGES : TRANSPORT_READS);
    r.login = &login;
    struct outcome *o = fixture_run(f, &r);
    assert_int_equal(o->kind, ERR_OK);
    assert_int_equal(server_request_count(f->server), 2);
    assert_non_null(strstr(server_request(f->server, 0, NULL), "AKIDDOUBLE1/"));
    assert_non_null(strstr(server_request(f->server, 1, NULL), "AKIDDOUBLE2/"));
    assert_int_equal(login.invalidated, 1);
    assert_string_equal(login.used, "AKIDDOUBLE1");
    fixture_free(f);
    login_double_fini(&login);
  }
}

static void test_expired_again(void **state)
{
  (void)state;
  static const struct step steps[] = {EXPIRED, EXPIRED, WELL};
  struct fixture *f = fixture_new(steps, 3, 0);
  struct login login;
  login_double_init(&login, LOGIN_READY);
  struct transport_request r = fixture_request(f, TRANSPORT_READS);
  r.login = &login;
  struct outcome *o = fixture_run(f, &r);
  assert_int_equal(o->kind, ERR_EXPIRED);
  assert_string_equal(o->code, "ExpiredTokenException");
  assert_non_null(strstr(o->hint, "Log in"));
  assert_int_equal(server_request_count(f->server), 2);
  fixture_free(f);
  login_double_fini(&login);
}

static void test_expired_without_login(void **state)
{
  (void)state;
  static const struct step steps[] = {EXPIRED, WELL};
  struct fixture *f = fixture_new(steps, 2, 0);
  struct transport_request r = fixture_request(f, TRANSPORT_READS);
  assert_int_equal(fixture_run(f, &r)->kind, ERR_EXPIRED);
  assert_int_equal(server_request_count(f->server), 1);
  fixture_free(f);
}

static void test_login_ends_while_refreshing(void **state)
{
  (void)state;
  static const struct step steps[] = {EXPIRED};
  struct fixture *f = fixture_new(steps, 1, 0);
  struct login login;
  login_double_init(&login, LOGIN_READY);
  login.dead_after = 1;
  struct transport_request r = fixture_request(f, TRANSPORT_CHANGES);
  r.login = &login;
  struct outcome *o = fixture_run(f, &r);
  assert_int_equal(o->kind, ERR_EXPIRED);
  assert_string_equal(o->message, "the session has ended");
  assert_string_equal(o->what, r.what);
  fixture_free(f);
  login_double_fini(&login);
}

/* No credentials yet: nothing is sent, no time is lost, and the request goes on by itself. */
static void test_waits_for_login(void **state)
{
  (void)state;
  static const struct step steps[] = {WELL};
  struct fixture *f = fixture_new(steps, 1, 0);
  struct login login;
  login_double_init(&login, LOGIN_WORKING);
  login.next_ms = f->clock.manual_mono_ms + 777;
  struct transport_request r = fixture_request(f, TRANSPORT_READS);
  r.login = &login;
  fixture_send(f, &r);
  transport_turn(f->t);
  transport_turn(f->t);
  assert_int_equal(transport_next_turn_ms(f->t), login.next_ms);
  assert_int_equal(transport_in_flight(f->t), 1);
  clock_advance(&f->clock, 10 * FIXTURE_TOTAL_MS);
  transport_turn(f->t);
  assert_int_equal(f->out.calls, 0);
  assert_int_equal(server_connections(f->server), 0);
  login.state = LOGIN_NEEDS_MFA;
  transport_turn(f->t);
  assert_int_equal(f->out.calls, 0);
  login.state = LOGIN_READY;
  fixture_drive(f, 1);
  assert_int_equal(f->out.kind, ERR_OK);
  fixture_free(f);
  login_double_fini(&login);
}

static void test_no_login(void **state)
{
  (void)state;
  struct fixture *f = fixture_new(NULL, 0, 0);
  struct login login;
  login_double_init(&login, LOGIN_FAILED);
  login.err = err_new(ERR_CREDENTIALS, "no source has keys");
  struct transport_request r = fixture_request(f, TRANSPORT_CHANGES);
  r.login = &login;
  struct outcome *o = fixture_run(f, &r);
  assert_int_equal(o->kind, ERR_CREDENTIALS);
  assert_string_equal(o->message, "no source has keys");
  assert_int_equal(server_connections(f->server), 0);
  fixture_free(f);
  login_double_fini(&login);
}

/* --- clocks -------------------------------------------------------------------------------------------------------------------- */

#define REFUSED(status, headers, type, message)                                                                        \
  {                                                                                                                    \
    STEP_ANSWER, status, headers, "{\"__type\":\"" type "\",\"message\":\"" message "\"}", 0, 0                        \
  }

struct skew_case {
  const char *name;
  const char *local; /* our clock */
  struct step step;
  const char *again; /* X-Amz-Date of the second request begins so; NULL: there is none */
  enum err_kind kind;
  const char *says;
};
static const struct skew_case skew_cases[] = {
    {"two hours slow, by text and date", "2024-03-19T11:00:34Z",
     REFUSED(400, "Date: Tue, 19 Mar 2024 13:01:21 GMT\r\nx-amzn-ErrorType: InvalidSignatureException\r\n",
             "InvalidSignatureException",
             "Signature expired: 20240319T110034Z is now earlier than 20240319T125554Z (20240319T130054Z - 5 min.)"),
     "20240319T130054Z", ERR_OK, NULL},
    {"two hours fast", "2024-03-19T14:59:52Z",
     REFUSED(400, "Date: Tue, 19 Mar 2024 13:00:06 GMT\r\n", "InvalidSignatureException",
             "Signature not yet current: 20240319T145952Z is still later than 20240319T130506Z (20240319T130006Z + 5 "
             "min.)"),
     "20240319T130006Z", ERR_OK, NULL},
    {"by the text alone", "2024-03-19T11:00:00Z",
     REFUSED(400, NULL, "InvalidSignatureException",
             "Signature expired: 20240319T110000Z is now earlier than 20240319T125500Z (20240319T130000Z - 5 min.)"),
     "20240319T130000Z", ERR_OK, NULL},
    {"by the date alone, another code", "2024-03-19T11:00:00Z",
     REFUSED(403, "Date: Tue, 19 Mar 2024 13:00:00 GMT\r\n", "com.amazon#RequestTimeTooSkewed", "too skewed"),
     "20240319T130000Z", ERR_OK, NULL},
    {"a wrong secret under a right clock", "2024-03-19T13:00:00Z",
     REFUSED(403, "Date: Tue, 19 Mar 2024 13:00:01 GMT\r\n", "SignatureDoesNotMatch", "does not match"), NULL,
     ERR_CREDENTIALS, "does not match"},
    {"a date that cannot be read", "2024-03-19T11:00:00Z",
     REFUSED(403, "Date: garbage\r\n", "SignatureDoesNotMatch", "does not match"), NULL, ERR_CREDENTIALS, NULL},
    {"a date of 1970", "2024-03-19T11:00:00Z",
     REFUSED(403, "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n", "SignatureDoesNotMatch", "does not match"), NULL,
     ERR_CREDENTIALS, NULL},
    {"a date out of a cache", "2024-03-19T11:00:00Z",
     REFUSED(403, "Age: 3\r\nDate: Tue, 19 Mar 2024 13:00:00 GMT\r\n", "SignatureDoesNotMatch", "does not match"), NULL,
     ERR_CREDENTIALS, NULL},
    {"other refusals teach nothing", "2024-03-19T11:00:00Z",
     REFUSED(400, "Date: Tue, 19 Mar 2024 13:00:00 GMT\r\n", "AccessDeniedException", "no"), NULL, ERR_DENIED, NULL},
    {"RequestExpired under a right clock is an old login", "2024-03-19T13:00:00Z",
     REFUSED(400, "Date: Tue, 19 Mar 2024 13:00:00 GMT\r\n", "RequestExpired", "expired"), NULL, ERR_EXPIRED, NULL},
};

static struct fixture *skew_fixture(const struct skew_case *c, const struct step *steps, size_t count)
{
  struct fixture *f = fixture_new(steps, count, 0);
  int64_t local = 0;
  assert_true(when_parse_iso(c->local, &local));
  f->clock.manual_wall_ms = local;
  return f;
}

static void test_skew(void **state)
{
  const struct skew_case *c = *state;
  for (int change = 0; change < 2; change++) {
    const struct step steps[] = {c->step, WELL, WELL};
    struct fixture *f = skew_fixture(c, steps, 3);
    struct transport_request r = fixture_request(f, change ? TRANSPORT_CHANGES : TRANSPORT_READS);
    struct outcome *o = fixture_run(f, &r);
    if (o->kind != c->kind)
      fail_msg("%s: %s: %s", c->name, err_kind_name(o->kind), o->message);
    assert_int_equal(server_request_count(f->server), c->again != NULL ? 2 : 1);
    if (c->says != NULL)
      assert_non_null(strstr(o->message, c->says));
    char line[64];
    if (c->again != NULL) {
      snprintf(line, sizeof line, "X-Amz-Date: %s", c->again);
      assert_non_null(strstr(server_request(f->server, 1, NULL), line));
      assert_true(o->skew_ms != 0);
      /* The host's clock is known from here on. */
      assert_int_equal(fixture_run(f, &r)->kind, ERR_OK);
      assert_int_equal(server_request_count(f->server), 3);
      assert_non_null(strstr(server_request(f->server, 2, NULL), line));
    }
    fixture_free(f);
  }
}

static void test_skew_again(void **state)
{
  (void)state;
  const struct step steps[] = {skew_cases[3].step, skew_cases[0].step, WELL};
  struct fixture *f = skew_fixture(&skew_cases[3], steps, 3);
  f->clock.manual_wall_ms -= WHEN_DAY;
  struct transport_request r = fixture_request(f, TRANSPORT_CHANGES);
  struct outcome *o = fixture_run(f, &r);
  /* Its own clock contradicts itself: after the one retry the refusal stands. */
  assert_int_equal(server_request_count(f->server), 2);
  assert_true(o->kind == ERR_SKEW || o->kind == ERR_CREDENTIALS);
  fixture_free(f);
}

/* Two are in flight when the first refusal tells the time: the second is judged by the time that it was signed with. */
static void test_skew_of_two_in_flight(void **state)
{
  (void)state;
  const struct step steps[] = {skew_cases[3].step, skew_cases[3].step, WELL, WELL};
  struct fixture *f = skew_fixture(&skew_cases[3], steps, 4);
  struct transport_request r = fixture_request(f, TRANSPORT_READS);
  fixture_send(f, &r);
  fixture_send(f, &r);
  fixture_drive(f, 1);
  assert_int_equal(f->out.kind, ERR_OK);
  fixture_drive(f, 2);
  assert_int_equal(f->out.kind, ERR_OK);
  assert_int_equal(server_request_count(f->server), 4);
  fixture_free(f);
}

static void test_skew_is_told(void **state)
{
  (void)state;
  static const struct step twice[] = {
      REFUSED(403, "Date: Tue, 19 Mar 2024 13:00:00 GMT\r\n", "RequestTimeTooSkewed", "too skewed"),
      REFUSED(403, "Date: Tue, 19 Mar 2024 19:00:00 GMT\r\n", "RequestTimeTooSkewed", "too skewed")};
  struct fixture *f = skew_fixture(&skew_cases[3], twice, 2);
  struct transport_request r = fixture_request(f, TRANSPORT_READS);
  struct outcome *o = fixture_run(f, &r);
  assert_int_equal(o->kind, ERR_SKEW);
  assert_non_null(strstr(o->message, "8h00m slow"));
  assert_non_null(strstr(o->hint, "clock"));
  fixture_free(f);
}

int main(void)
{
  alarm(120);
  enum { CASES = sizeof skew_cases / sizeof skew_cases[0] };
  static const struct CMUnitTest others[] = {cmocka_unit_test(test_expired_token),
                                             cmocka_unit_test(test_expired_again),
                                             cmocka_unit_test(test_expired_without_login),
                                             cmocka_unit_test(test_login_ends_while_refreshing),
                                             cmocka_unit_test(test_waits_for_login),
                                             cmocka_unit_test(test_no_login),
                                             cmocka_unit_test(test_skew_again),
                                             cmocka_unit_test(test_skew_of_two_in_flight),
                                             cmocka_unit_test(test_skew_is_told)};
  enum { OTHERS = sizeof others / sizeof others[0] };
  struct CMUnitTest tests[CASES + OTHERS] = {{0}};
  for (size_t i = 0; i < CASES; i++)
    tests[i] = (struct CMUnitTest){
        .name = skew_cases[i].name, .test_func = test_skew, .initial_state = (void *)(uintptr_t)&skew_cases[i]};
  memcpy(tests + CASES, others, sizeof others);
  return cmocka_run_group_tests(tests, NULL, NULL) == 0 ? 0 : 1;
}
