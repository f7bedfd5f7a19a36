/* Runs the cases of a signing suite through sigv4/, stage by stage, in both forms.
 *
 * usage: test_sigv4_suite [FOLDER]
 *
 * FOLDER holds cases at any depth (layout: sigv4_case.h). Without it, the published suite is looked for beside the sources.
 * The project's own vectors run always, and their expected files are held against a second implementation, in Python,
 * where python3 is to be had. The summary says how many cases ran and how many stages were compared; a stage whose file is
 * not there counts as failed, since a suite that lost its files would prove nothing; a request without any is not counted. */
#include "tests/conformance/sigv4_case.h"

#include "base/xalloc.h"

#include <dirent.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define MAX_DEPTH 4

struct tally {
  unsigned cases;
  unsigned failed_cases;
  unsigned stages;
  unsigned failed_stages;
};

struct run {
  struct sigv4_keys *keys;
  struct tally tally;
};

static bool has_file(const char *folder, const char *name)
{
  char *path = xasprintf("%s/%s", folder, name);
  struct stat status;
  bool found = stat(path, &status) == 0 && S_ISREG(status.st_mode);
  free(path);
  return found;
}

/* Line ends at the end of a file differ from file to file and mean nothing. */
static size_t length_without_line_ends(const char *text)
{
  size_t len = strlen(text);
  while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
    len--;
  return len;
}

static bool texts_agree(const char *expected, const char *actual)
{
  size_t len = length_without_line_ends(expected);
  return len == length_without_line_ends(actual) && memcmp(expected, actual, len) == 0;
}

static void sort_lines(char **lines, size_t count)
{
  for (size_t i = 1; i < count; i++) {
    char *moved = lines[i];
    size_t to = i;
    for (; to > 0 && strcmp(lines[to - 1], moved) > 0; to--)
      lines[to] = lines[to - 1];
    lines[to] = moved;
  }
}

/* Cuts a signed request into its header lines, names in lower case, sorted by line, and gives back the body. Only the order
 * of headers of one name has a meaning, and that is checked by the canonical request. */
static char *cut_headers(char *text, char **lines, size_t max, size_t *count)
{
  char *at = strchr(text, '\n');
  *count = 0;
  while (at != NULL && at[1] != '\0' && at[1] != '\n' && *count < max) {
    *at = '\0';
    char *line = at + 1;
    lines[(*count)++] = line;
    at = strchr(line, '\n');
    while (at != NULL && (at[1] == ' ' || at[1] == '\t'))
      at = strchr(at + 1, '\n');
    for (char *c = line; *c != ':' && *c != '\0' && *c != '\n'; c++)
      *c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
  }
  char *body = at != NULL && at[1] == '\n' ? at + 2 : NULL;
  if (at != NULL)
    *at = '\0';
  sort_lines(lines, *count);
  return body;
}

/* A signed request is the same if the request line, byte for byte but for the coding of what the case itself left raw, the
 * set of header lines and the body are. */
static bool signed_requests_agree(const char *expected, const char *actual)
{
  char *left_lines[64];
  char *right_lines[64];
  size_t left_count = 0;
  size_t right_count = 0;
  char *left = xstrdup(expected);
  char *right = xstrdup(actual);
  char *left_body = cut_headers(left, left_lines, 64, &left_count);
  char *right_body = cut_headers(right, right_lines, 64, &right_count);
  bool agree = strcmp(left, right) == 0 && left_count == right_count;
  for (size_t i = 0; agree && i < left_count; i++)
    agree = texts_agree(left_lines[i], right_lines[i]);
  if (agree)
    agree = texts_agree(left_body != NULL ? left_body : "", right_body != NULL ? right_body : "");
  free(left);
  free(right);
  return agree;
}

/* The library encodes what may not stand in a request line, where the suite leaves UTF-8 and spaces of a case as they are.
 * Its request line is brought to the same form: the query of the case is put in the place of its encoded self. */
static void restore_raw_query(const struct sigv4_case *c, struct sigv4_signed *s)
{
  size_t raw_len = strlen(c->request.query);
  const char *own = strstr(s->query, "X-Amz-Algorithm=");
  if (raw_len == 0 || own == NULL)
    return;
  char *query = xasprintf("%s&%s", c->request.query, own);
  s->query = query;
}

static const char *const stage_files[2][4] = {
    {"header-canonical-request.txt", "header-string-to-sign.txt", "header-signature.txt", "header-signed-request.txt"},
    {"query-canonical-request.txt", "query-string-to-sign.txt", "query-signature.txt", "query-signed-request.txt"}};

/* The published suite holds two folders with a request and nothing to compare it with. */
static bool has_stages(const char *folder)
{
  for (size_t form = 0; form < 2; form++) {
    for (size_t stage = 0; stage < 4; stage++) {
      if (has_file(folder, stage_files[form][stage]))
        return true;
    }
  }
  return false;
}

static void check_stage(struct run *run, const struct sigv4_case *c, const char *file, const char *actual,
                        bool (*agree)(const char *, const char *))
{
  char *expected = sigv4_case_file(c->folder, file);
  run->tally.stages++;
  if (expected == NULL) {
    printf("FAILED %s: %s is not there\n", c->name, file);
    run->tally.failed_stages++;
  } else if (!agree(expected, actual)) {
    printf("FAILED %s: %s\n--- expected\n%s\n--- signed\n%s\n---\n", c->name, file, expected, actual);
    run->tally.failed_stages++;
  }
  free(expected);
}

static void check_form(struct run *run, const struct sigv4_case *c, bool query_form)
{
  struct sigv4_signed s;
  struct sigv4_request request = c->request;
  /* The suite's query form has no header for a payload hash that is computed, only for one that is given. */
  if (query_form && request.payload == SIGV4_PAYLOAD_HASH)
    request.sign_body_header = false;
  enum sigv4_status status =
      query_form ? sigv4_sign_query(run->keys, &request, &c->credentials, c->region, c->service, c->ms_utc,
                                    c->expires_seconds, &s)
                 : sigv4_sign_headers(run->keys, &request, &c->credentials, c->region, c->service, c->ms_utc, &s);
  if (status != SIGV4_OK) {
    printf("FAILED %s: %s form: %s\n", c->name, query_form ? "query" : "header", sigv4_status_text(status));
    run->tally.stages++;
    run->tally.failed_stages++;
    return;
  }
  struct sigv4_signed shown = s;
  if (query_form)
    restore_raw_query(c, &shown);
  char *signed_request = sigv4_case_signed_request(c, &shown);
  const char *const *files = stage_files[query_form ? 1 : 0];
  check_stage(run, c, files[0], s.canonical_request, texts_agree);
  check_stage(run, c, files[1], s.string_to_sign, texts_agree);
  check_stage(run, c, files[2], s.signature, texts_agree);
  check_stage(run, c, files[3], signed_request, signed_requests_agree);
  free(signed_request);
  if (shown.query != s.query)
    free(shown.query);
  sigv4_signed_fini(&s);
}

static void run_case(struct run *run, const char *folder)
{
  struct sigv4_case c;
  unsigned failed_before = run->tally.failed_stages;
  const char *wrong = sigv4_case_read(&c, folder);
  if (wrong != NULL) {
    printf("FAILED %s: %s\n", c.name, wrong);
    run->tally.stages++;
    run->tally.failed_stages++;
  } else {
    check_form(run, &c, false);
    check_form(run, &c, true);
  }
  run->tally.cases++;
  run->tally.failed_cases += run->tally.failed_stages > failed_before;
  sigv4_case_fini(&c);
}

static int accept_folder(const struct dirent *entry)
{
  /* v4a, which stands beside v4, is the asymmetric algorithm: not ours. */
  return entry->d_name[0] != '.' && strcmp(entry->d_name, "v4a") != 0;
}

static void run_folder(struct run *run, const char *folder, int depth)
{
  struct dirent **entries = NULL;
  if (has_file(folder, "request.txt")) {
    if (has_stages(folder))
      run_case(run, folder);
    else
      printf("%s: no expected files, not counted\n", folder);
    return;
  }
  int count = depth < MAX_DEPTH ? scandir(folder, &entries, accept_folder, alphasort) : 0;
  for (int i = 0; i < count; i++) {
    char *path = xasprintf("%s/%s", folder, entries[i]->d_name);
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
      run_folder(run, path, depth + 1);
    free(path);
    free(entries[i]);
  }
  free(entries);
}

/* Runs all cases below folder; false where one failed or none was found. */
static bool run_suite(const char *title, const char *folder, struct tally *total)
{
  struct run run = {.keys = sigv4_keys_new()};
  if (run.keys == NULL) {
    printf("FAILED: no SHA-256 to be had\n");
    return false;
  }
  run_folder(&run, folder, 0);
  sigv4_keys_free(run.keys);
  printf("%s: %u cases, %u stages compared (canonical request, string to sign, signature, signed request; header and "
         "query "
         "form): %u cases passed, %u failed\n",
         title, run.tally.cases, run.tally.stages, run.tally.cases - run.tally.failed_cases, run.tally.failed_cases);
  total->cases += run.tally.cases;
  total->failed_cases += run.tally.failed_cases;
  if (run.tally.cases == 0)
    printf("FAILED: no case under %s\n", folder);
  return run.tally.cases > 0 && run.tally.failed_stages == 0;
}

/* The second implementation computes the expected files of our own vectors anew. */
static bool run_reference(char *script, char *vectors)
{
  char program[] = "python3";
  char verb[] = "check";
  char *const arguments[] = {program, script, verb, vectors, NULL};
  pid_t child = 0;
  fflush(stdout);
  int error = posix_spawnp(&child, program, NULL, NULL, arguments, environ);
  if (error == ENOENT) {
    printf("second implementation: skipped, there is no python3\n");
    return true;
  }
  int status = 0;
  if (error != 0 || waitpid(child, &status, 0) != child) {
    printf("FAILED: the second implementation did not start\n");
    return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static char *find_published_suite(const char *srcdir)
{
  const char *shared = getenv("GLUETOP_SHARED");
  char *folder =
      shared != NULL ? xasprintf("%s/data/sigv4-suite", shared) : xasprintf("%s/../shared/data/sigv4-suite", srcdir);
  struct stat status;
  if (stat(folder, &status) == 0 && S_ISDIR(status.st_mode))
    return folder;
  free(folder);
  return NULL;
}

int main(int argc, char **argv)
{
  const char *srcdir = getenv("GLUETOP_SRCDIR");
  if (srcdir == NULL)
    srcdir = ".";
  char *vectors = xasprintf("%s/tests/conformance/sigv4-vectors", srcdir);
  char *script = xasprintf("%s/tests/conformance/sigv4_reference.py", srcdir);
  char *published = argc > 1 ? xstrdup(argv[1]) : find_published_suite(srcdir);

  struct tally total = {0};
  bool passed = run_suite("own vectors", vectors, &total);
  passed = run_reference(script, vectors) && passed;
  if (published != NULL)
    passed = run_suite("published suite", published, &total) && passed;
  else
    printf("published suite: not here (give its folder as an argument): only the own vectors ran\n");

  /* The words of cmocka, which whoever sums up the tests counts. */
  printf("[  PASSED  ] %u test(s).\n", total.cases - total.failed_cases);
  if (!passed)
    printf("[  FAILED  ] signing suites: %u test(s), listed above.\n", total.failed_cases > 0 ? total.failed_cases : 1);
  free(published);
  free(script);
  free(vectors);
  return passed ? 0 : 1;
}
