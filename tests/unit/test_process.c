/* credential_process (case H08): how a command line is split, what the program sees, what it may print, how it may end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <cjson/cJSON.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "aws/child.h"
#include "aws/provider.h"
#include "base/when.h"
#include "base/xalloc.h"
#include "tests/unit/world.h"

struct words_case {
  const char *line;
  const char *expect; /* words joined by '|'; NULL: refused */
};

static const struct words_case words_cases[] = {
    {"/bin/x", "/bin/x"},
    {"  a  b\tc  ", "a|b|c"},
    {"\"/opt/my tools/creds\" --profile \"a b\"", "/opt/my tools/creds|--profile|a b"},
    {"'/opt/my tools/creds' 'a\"b'", "/opt/my tools/creds|a\"b"},
    {"sh -c 'echo {}; exit 1'", "sh|-c|echo {}; exit 1"},
    {"a\\ b c", "a b|c"},
    {"a \"b\\\"c\\\\d\\e\"", "a|b\"c\\d\\e"},
    {"a 'b\\c'", "a|b\\c"},
    {"a '' \"\"", "a||"},
    {"pre'fix mid'post x", "prefix midpost|x"},
    {"a $HOME `id` *.txt ~ ; | & > x", "a|$HOME|`id`|*.txt|~|;|||&|>|x"},
    {"/x\n--y", "/x|--y"},
    {"a\\", "a\\"},
    {"a 'open", NULL},
    {"a \"open", NULL},
    {"", NULL},
    {"   ", NULL},
    {"'' x", NULL},
};

static void test_words(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof words_cases / sizeof *words_cases; i++) {
    char **words = NULL;
    struct err e = child_words(words_cases[i].line, &words);
    if (err_is(&e) != (words_cases[i].expect == NULL))
      fail_msg("%s: %s", words_cases[i].line, err_is(&e) ? err_message(&e) : "accepted");
    char *joined = xstrdup("");
    for (char **w = words; w != NULL && *w != NULL; w++) {
      char *longer = xasprintf("%s%s%s", joined, w == words ? "" : "|", *w);
      free(joined);
      joined = longer;
    }
    if (!err_is(&e) && strcmp(joined, words_cases[i].expect) != 0)
      fail_msg("%s: %s, expected %s", words_cases[i].line, joined, words_cases[i].expect);
    free(joined);
    child_words_free(words);
    err_fini(&e);
  }
}

struct output_case {
  const char *name;
  const char *text;
  const char *says; /* NULL: keys */
};

static const struct output_case output_cases[] = {
    {"whole",
     "{\"Version\":1,\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s\",\"SessionToken\":\"t\",\"Expiration\":\"2030-01-"
     "01T02:00:00+02:00\"}",
     NULL},
    {"no expiration, no token", "{\"Version\":1,\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s\"}", NULL},
    {"expiration null", "{\"Version\":1,\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s\",\"Expiration\":null}", NULL},
    {"version as text", "{\"Version\":\"1\",\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s\"}", NULL},
    {"blanks around", "\n {\"Version\":1,\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s\"} \r\n", NULL},
    {"byte order mark", "\xef\xbb\xbf{\"Version\":1,\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s\"}", NULL},
    {"version missing", "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s\"}", "Version"},
    {"version 2", "{\"Version\":2,\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s\"}", "Version"},
    {"empty expiration", "{\"Version\":1,\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s\",\"Expiration\":\"\"}",
     "Expiration"},
    {"bad expiration", "{\"Version\":1,\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s\",\"Expiration\":\"soon\"}",
     "Expiration"},
    {"expiration a number", "{\"Version\":1,\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s\",\"Expiration\":1}",
     "Expiration"},
    {"no secret", "{\"Version\":1,\"AccessKeyId\":\"A\"}", "SecretAccessKey"},
    {"no id", "{\"Version\":1,\"SecretAccessKey\":\"s\"}", "AccessKeyId"},
    {"empty object", "{}", "Version"},
    {"nothing", "", "nothing"},
    {"words before", "warning: old\n{}", "not one JSON object"},
    {"words behind", "{\"Version\":1,\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s\"} done", "not one JSON object"},
    {"an array", "[]", "not one JSON object"},
    {"half", "{\"Version\":1,\"AccessKeyId\":\"A\",\"Secr", "not one JSON object"},
};

static void test_outputs(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof output_cases / sizeof *output_cases; i++) {
    const struct output_case *t = &output_cases[i];
    struct credentials keys;
    credentials_init(&keys);
    struct err e = process_read_output(t->text, strlen(t->text), &keys);
    if (err_is(&e) != (t->says != NULL))
      fail_msg("%s: %s", t->name, err_is(&e) ? err_message(&e) : "accepted");
    if (t->says != NULL) {
      assert_non_null(strstr(err_message(&e), t->says));
    } else {
      assert_string_equal(keys.access_key_id, "A");
      assert_string_equal(keys.secret_access_key.bytes, "s");
    }
    err_fini(&e);
    credentials_fini(&keys);
  }
}

static void nobody(void *user, const struct fake_request *request, struct fake_answer *answer)
{
  (void)user;
  (void)request;
  answer->status = 0;
  answer->kind = ERR_NETWORK;
}

/* A world whose profile "proc" runs that command. */
static void open_process(struct world *w, const char *command)
{
  world_open(w, nobody, NULL);
  char *text = xasprintf("[profile proc]\nregion = eu-west-1\ncredential_process = %s\n", command);
  world_write(w, ".aws/config", text);
  free(text);
  world_login(w, "proc", NULL);
}

#define PRINTS(more)                                                                                                   \
  "sh -c 'echo \"{\\\"Version\\\":1,\\\"AccessKeyId\\\":\\\"AKIDPROC\\\",\\\"SecretAccessKey\\\":\\\"s\\\"" more "}\"" \
  "'"

static void test_keys(void **state)
{
  (void)state;
  struct world w;
  open_process(&w, PRINTS(",\\\"SessionToken\\\":\\\"t\\\",\\\"AccountId\\\":\\\"111122223333\\\""));
  assert_int_equal(login_turn(w.login), LOGIN_WORKING);
  struct transport_fd fds[8];
  assert_int_equal(login_fds(w.login, fds, 8), 3);
  assert_int_equal(login_fds(w.login, fds, 2), 2);
  world_expect_ready(&w, "AKIDPROC", "process of profile proc");
  assert_int_equal(login_fds(w.login, fds, 8), 0);
  assert_int_equal(login_credentials(w.login)->expires_ms, WHEN_NONE);
  assert_string_equal(login_credentials(w.login)->account, "111122223333");
  world_close(&w);
}

static void test_h08_run_again_after_the_end(void **state)
{
  (void)state;
  struct world w;
  /* Counts its runs in a file; the keys end at one in the afternoon, then at three. */
  world_open(&w, nobody, NULL);
  char *text = xasprintf(
      "[profile proc]\nregion = eu-west-1\ncredential_process = sh -c 'echo x >>%s/runs; n=$(wc -l <%s/runs); "
      "echo \"{\\\"Version\\\":1,\\\"AccessKeyId\\\":\\\"AKID$((n))\\\",\\\"SecretAccessKey\\\":\\\"s\\\","
      "\\\"Expiration\\\":\\\"2026-11-30T1$((n+n+1)):00:00Z\\\"}\"'\n",
      w.home, w.home);
  world_write(&w, ".aws/config", text);
  free(text);
  world_login(&w, "proc", NULL);
  world_expect_ready(&w, "AKID1", "process of profile proc");
  clock_advance(&w.clock, 30 * WHEN_MINUTE);
  world_expect_ready(&w, "AKID1", "process of profile proc");
  clock_advance(&w.clock, 16 * WHEN_MINUTE);
  world_expect_ready(&w, "AKID2", "process of profile proc");
  world_close(&w);
}

static void test_h08_ends_badly(void **state)
{
  (void)state;
  static const struct {
    const char *command;
    const char *says, *says_too;
  } cases[] = {
      {"sh -c 'echo please log in >&2; exit 1'", "status 1", "please log in"},
      {"sh -c 'printf \"\\033]0;x\\007red\\n\" >&2; exit 3'", "status 3", "red"},
      {"sh -c 'kill -9 $$'", "signal 9", "proc"},
      {"sh -c 'echo warning: old; echo {}'", "not one JSON object", "by hand"},
      {"/nowhere/tool --x", "/nowhere/tool", "cannot be run"},
      {"no-such-tool-anywhere", "no-such-tool-anywhere", "PATH"},
      {"sh -c 'head -c 300000 /dev/zero | tr \"\\000\" x'", "too much", "proc"},
      {"true", "nothing", "proc"},
      {"/tmp", "/tmp", "cannot be run"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct world w;
    open_process(&w, cases[i].command);
    world_expect_failed(&w, cases[i].says, cases[i].says_too, NULL);
    assert_int_equal(login_error(w.login)->kind, ERR_CREDENTIALS);
    assert_null(strchr(err_message(login_error(w.login)), '\033'));
    /* Not run again by itself: a person must look. */
    clock_advance(&w.clock, WHEN_HOUR);
    assert_int_equal(login_turn(w.login), LOGIN_FAILED);
    world_close(&w);
  }
}

static void test_h08_expired_and_quotes(void **state)
{
  (void)state;
  struct world w;
  open_process(&w, PRINTS(",\\\"Expiration\\\":\\\"2020-01-01T00:00:00Z\\\""));
  world_expect_failed(&w, "ended at 2020-01-01", "proc", NULL);
  world_close(&w);
  open_process(&w, "sh -c 'oops");
  world_expect_failed(&w, "quote", "proc", NULL);
  assert_int_equal(login_error(w.login)->kind, ERR_CONFIG);
  world_close(&w);
}

static void test_h08_hangs(void **state)
{
  (void)state;
  struct world w;
  /* Its own child holds the pipes open, and a FIFO that tells us when all of them have gone. */
  world_open(&w, nobody, NULL);
  char *fifo = xstrdup(world_path(&w, "fifo"));
  assert_int_equal(mkfifo(fifo, 0600), 0);
  int alive = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  assert_true(alive >= 0);
  char *text = xasprintf(
      "[profile proc]\nregion = eu-west-1\ncredential_process = sh -c 'exec 9>%s; echo waiting >&2; sleep 600; "
      "true'\n",
      fifo);
  world_write(&w, ".aws/config", text);
  world_login(&w, "proc", NULL);
  assert_int_equal(login_turn(w.login), LOGIN_WORKING);
  /* Until it has said something: then it runs. */
  struct transport_fd fds[8];
  assert_int_equal(login_fds(w.login, fds, 8), 3);
  struct pollfd polls[3];
  for (int i = 0; i < 3; i++)
    polls[i] = (struct pollfd){.fd = fds[i].fd, .events = fds[i].events};
  assert_true(poll(polls, 3, 10000) > 0);
  clock_advance(&w.clock, 59 * WHEN_SECOND);
  assert_int_equal(login_turn(w.login), LOGIN_WORKING);
  assert_int_equal(login_next_turn_ms(w.login), clock_mono_ms(&w.clock) + WHEN_SECOND);
  clock_advance(&w.clock, WHEN_SECOND);
  assert_int_equal(login_turn(w.login), LOGIN_FAILED);
  assert_non_null(strstr(err_message(login_error(w.login)), "60 seconds"));
  assert_non_null(strstr(err_message(login_error(w.login)), "waiting"));
  assert_int_equal(login_fds(w.login, fds, 8), 0);
  struct pollfd gone = {.fd = alive, .events = POLLIN};
  assert_int_equal(poll(&gone, 1, 10000), 1);
  assert_true((gone.revents & POLLHUP) != 0);
  close(alive);
  free(fifo);
  free(text);
  world_close(&w);
}

static void test_ends_while_a_grandchild_holds_the_pipes(void **state)
{
  (void)state;
  struct world w;
  open_process(&w, "sh -c 'sleep 5 & echo "
                   "\"{\\\"Version\\\":1,\\\"AccessKeyId\\\":\\\"AKIDPROC\\\",\\\"SecretAccessKey\\\":\\\"s\\\"}\"'");
  world_expect_ready(&w, "AKIDPROC", "process of profile proc");
  world_close(&w);
}

/* Nobody is left to end it in time: the one that waits does it. */
static void test_killed_with_us(void **state)
{
  (void)state;
  struct world w;
  world_open(&w, nobody, NULL);
  char *fifo = xstrdup(world_path(&w, "fifo"));
  assert_int_equal(mkfifo(fifo, 0600), 0);
  int alive = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  assert_true(alive >= 0);
  char sh[] = "sh", option[] = "-c";
  char *script = xasprintf("exec 9>%s; echo runs; sleep 600; true", fifo);
  pid_t us = fork();
  assert_true(us >= 0);
  if (us == 0) {
    struct child c;
    child_init(&c);
    struct err e = child_start(&c, (char *[]){sh, option, script, NULL}, child_no_keys);
    struct pollfd runs = {.fd = c.out_fd, .events = POLLIN};
    if (!err_is(&e) && poll(&runs, 1, 10000) > 0)
      kill(getpid(), SIGKILL);
    _exit(1);
  }
  int status = 0;
  assert_int_equal(waitpid(us, &status, 0), us);
  assert_true(WIFSIGNALED(status)); /* it ran when we were killed */
  struct pollfd gone = {.fd = alive, .events = POLLIN};
  assert_int_equal(poll(&gone, 1, 10000), 1);
  assert_true((gone.revents & POLLHUP) != 0);
  close(alive);
  free(script);
  free(fifo);
  world_close(&w);
}

static void test_what_the_program_sees(void **state)
{
  (void)state;
  struct world w;
  assert_int_equal(setenv("AWS_SECRET_ACCESS_KEY", "hunter2", 1), 0);
  assert_int_equal(setenv("AWS_SESSION_TOKEN", "hunter3", 1), 0);
  world_open(&w, nobody, NULL);
  char *text = xasprintf("[profile proc]\nregion = eu-west-1\ncredential_process = sh -c 'env >%s/env; cat >%s/stdin; "
                         "ls /proc/self/fd >%s/fds 2>&1; (: </dev/tty) 2>%s/tty; exit 9'\n",
                         w.home, w.home, w.home, w.home);
  world_write(&w, ".aws/config", text);
  free(text);
  world_login(&w, "proc", NULL);
  world_expect_failed(&w, "status 9", NULL);
  char *env = world_read(&w, "env");
  assert_non_null(env);
  assert_null(strstr(env, "hunter"));
  assert_non_null(strstr(env, "PATH="));
  char *in = world_read(&w, "stdin");
  assert_string_equal(in, "");
  char *tty = world_read(&w, "tty");
  assert_true(strlen(tty) > 0); /* no terminal to ask on */
  unsetenv("AWS_SECRET_ACCESS_KEY");
  unsetenv("AWS_SESSION_TOKEN");
  free(env);
  free(in);
  free(tty);
  world_close(&w);
}

static void test_freed_while_it_runs(void **state)
{
  (void)state;
  struct world w;
  open_process(&w, "sleep 600");
  assert_int_equal(login_turn(w.login), LOGIN_WORKING);
  world_close(&w);
}

static void test_base_of_a_role(void **state)
{
  (void)state;
  struct world w;
  world_open(&w, nobody, NULL);
  world_write(&w, ".aws/config",
              "[profile proc]\ncredential_process = sh -c 'exit 4'\n"
              "[profile over]\nregion = eu-west-1\nrole_arn = arn:aws:iam::1:role/x\nsource_profile = proc\n");
  world_login(&w, "over", NULL);
  world_expect_failed(&w, "credential_process of profile proc", "status 4", NULL);
  world_close(&w);
}

static void test_h08_shared_inputs(void **state)
{
  (void)state;
  static const char *const good[] = {"no_expiration_no_token", "version_string", "expired", "offset"};
  char *text = world_shared("H08.json");
  if (text == NULL)
    return;
  cJSON *tree = cJSON_Parse(text);
  assert_non_null(tree);
  const cJSON *one = NULL;
  cJSON_ArrayForEach (one, tree) {
    bool expect = false;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
      expect = expect || strcmp(one->string, good[i]) == 0;
    char *printed = cJSON_Print(one);
    struct credentials keys;
    credentials_init(&keys);
    struct err e = process_read_output(printed, strlen(printed), &keys);
    if (err_is(&e) == expect)
      fail_msg("%s: %s", one->string, err_is(&e) ? err_message(&e) : "accepted");
    err_fini(&e);
    credentials_fini(&keys);
    cJSON_free(printed);
  }
  cJSON_Delete(tree);
  free(text);
}

static void test_h08_shared_config(void **state)
{
  (void)state;
  char *text = world_shared("H08.config");
  if (text == NULL)
    return;
  static const char *const cases[][2] = {
      {"proc-fail", "please log in"}, {"proc-noise", "not one JSON object"}, {"proc-quote", "/opt/my tools/creds"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct world w;
    world_open(&w, nobody, NULL);
    world_write(&w, ".aws/config", text);
    world_login(&w, cases[i][0], "eu-west-1");
    world_expect_failed(&w, cases[i][1], cases[i][0], NULL);
    world_close(&w);
  }
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_words),
      cmocka_unit_test(test_outputs),
      cmocka_unit_test(test_keys),
      cmocka_unit_test(test_h08_run_again_after_the_end),
      cmocka_unit_test(test_h08_ends_badly),
      cmocka_unit_test(test_h08_expired_and_quotes),
      cmocka_unit_test(test_h08_hangs),
      cmocka_unit_test(test_ends_while_a_grandchild_holds_the_pipes),
      cmocka_unit_test(test_killed_with_us),
      cmocka_unit_test(test_what_the_program_sees),
      cmocka_unit_test(test_freed_while_it_runs),
      cmocka_unit_test(test_base_of_a_role),
      cmocka_unit_test(test_h08_shared_inputs),
      cmocka_unit_test(test_h08_shared_config),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
