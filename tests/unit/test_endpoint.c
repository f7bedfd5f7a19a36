/* Where services are: partitions and variants, custom endpoints in their order, odd URLs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include "aws/config.h"
#include "aws/endpoint.h"
#include "base/xalloc.h"
#include "tests/unit/env.h"

static struct aws_config *parse(const char *text, const char **env)
{
  struct aws_config *c = NULL;
  struct err e = aws_config_parse(text, text != NULL ? strlen(text) : 0, NULL, 0, env_get, env, &c);
  assert_false(err_is(&e));
  return c;
}

static char *resolve_variant(enum aws_service service, const char *region, bool fips, bool dual)
{
  const char *env[] = {"AWS_USE_FIPS_ENDPOINT", fips ? "true" : "", "AWS_USE_DUALSTACK_ENDPOINT", dual ? "true" : "",
                       NULL};
  struct aws_config *c = parse(NULL, env);
  struct endpoint out;
  struct err e = endpoint_resolve(c, service, &(struct endpoint_options){.region = region}, &out);
  char *url = err_is(&e) ? xasprintf("error: %s", err_message(&e)) : xstrdup(out.url);
  err_fini(&e);
  endpoint_fini(&out);
  aws_config_free(c);
  return url;
}

struct variant_case {
  enum aws_service service;
  const char *region;
  const char *plain, *dual, *fips, *both; /* hosts */
};

static const struct variant_case variants[] = {
    {AWS_GLUE, "eu-west-1", "glue.eu-west-1.amazonaws.com", "glue.eu-west-1.api.aws",
     "glue-fips.eu-west-1.amazonaws.com", "glue-fips.eu-west-1.api.aws"},
    {AWS_GLUE, "il-central-1", "glue.il-central-1.amazonaws.com", "glue.il-central-1.api.aws",
     "glue-fips.il-central-1.amazonaws.com", "glue-fips.il-central-1.api.aws"},
    {AWS_GLUE, "mx-central-1", "glue.mx-central-1.amazonaws.com", "glue.mx-central-1.api.aws",
     "glue-fips.mx-central-1.amazonaws.com", "glue-fips.mx-central-1.api.aws"},
    {AWS_GLUE, "cn-north-1", "glue.cn-north-1.amazonaws.com.cn", "glue.cn-north-1.api.amazonwebservices.com.cn",
     "glue-fips.cn-north-1.amazonaws.com.cn", "glue-fips.cn-north-1.api.amazonwebservices.com.cn"},
    {AWS_GLUE, "us-gov-west-1", "glue.us-gov-west-1.amazonaws.com", "glue.us-gov-west-1.api.aws",
     "glue-fips.us-gov-west-1.amazonaws.com", "glue-fips.us-gov-west-1.api.aws"},
    {AWS_GLUE, "eusc-de-east-1", "glue.eusc-de-east-1.amazonaws.eu", "glue.eusc-de-east-1.api.amazonwebservices.eu",
     "glue-fips.eusc-de-east-1.amazonaws.eu", "glue-fips.eusc-de-east-1.api.amazonwebservices.eu"},
    {AWS_GLUE, "us-iso-east-1", "glue.us-iso-east-1.c2s.ic.gov", "glue.us-iso-east-1.api.aws.ic.gov",
     "glue-fips.us-iso-east-1.c2s.ic.gov", "glue-fips.us-iso-east-1.api.aws.ic.gov"},
    {AWS_GLUE, "us-isob-east-1", "glue.us-isob-east-1.sc2s.sgov.gov", "glue.us-isob-east-1.api.aws.scloud",
     "glue-fips.us-isob-east-1.sc2s.sgov.gov", "glue-fips.us-isob-east-1.api.aws.scloud"},
    {AWS_GLUE, "eu-isoe-west-1", "glue.eu-isoe-west-1.cloud.adc-e.uk", "glue.eu-isoe-west-1.api.cloud-aws.adc-e.uk",
     "glue-fips.eu-isoe-west-1.cloud.adc-e.uk", "glue-fips.eu-isoe-west-1.api.cloud-aws.adc-e.uk"},
    {AWS_GLUE, "us-isof-south-1", "glue.us-isof-south-1.csp.hci.ic.gov", "glue.us-isof-south-1.api.aws.hci.ic.gov",
     "glue-fips.us-isof-south-1.csp.hci.ic.gov", "glue-fips.us-isof-south-1.api.aws.hci.ic.gov"},
    {AWS_GLUE, "xx-foo-1", "glue.xx-foo-1.amazonaws.com", "glue.xx-foo-1.api.aws", "glue-fips.xx-foo-1.amazonaws.com",
     "glue-fips.xx-foo-1.api.aws"},
    {AWS_STS, "eu-west-1", "sts.eu-west-1.amazonaws.com", "sts.eu-west-1.api.aws", "sts-fips.eu-west-1.amazonaws.com",
     "sts-fips.eu-west-1.api.aws"},
    {AWS_STS, "us-gov-west-1", "sts.us-gov-west-1.amazonaws.com", "sts.us-gov-west-1.api.aws",
     "sts.us-gov-west-1.amazonaws.com", "sts-fips.us-gov-west-1.api.aws"},
    {AWS_STS, "cn-northwest-1", "sts.cn-northwest-1.amazonaws.com.cn",
     "sts.cn-northwest-1.api.amazonwebservices.com.cn", "sts-fips.cn-northwest-1.amazonaws.com.cn",
     "sts-fips.cn-northwest-1.api.amazonwebservices.com.cn"},
    {AWS_CLOUDWATCH, "eu-west-1", "monitoring.eu-west-1.amazonaws.com", "monitoring.eu-west-1.api.aws",
     "monitoring-fips.eu-west-1.amazonaws.com", "monitoring-fips.eu-west-1.api.aws"},
    {AWS_CLOUDWATCH, "us-gov-east-1", "monitoring.us-gov-east-1.amazonaws.com", "monitoring.us-gov-east-1.api.aws",
     "monitoring.us-gov-east-1.amazonaws.com", "monitoring.us-gov-east-1.api.aws"},
    {AWS_LOGS, "us-gov-west-1", "logs.us-gov-west-1.amazonaws.com", "logs.us-gov-west-1.api.aws",
     "logs.us-gov-west-1.amazonaws.com", "logs-fips.us-gov-west-1.api.aws"},
    {AWS_SSO, "eu-west-1", "portal.sso.eu-west-1.amazonaws.com", "portal.sso.eu-west-1.api.aws",
     "portal.sso-fips.eu-west-1.amazonaws.com", "portal.sso-fips.eu-west-1.api.aws"},
    {AWS_SSO, "us-gov-west-1", "portal.sso.us-gov-west-1.amazonaws.com", "portal.sso.us-gov-west-1.api.aws",
     "portal.sso.us-gov-west-1.amazonaws.com", "portal.sso-fips.us-gov-west-1.api.aws"},
    {AWS_SSO_OIDC, "us-gov-west-1", "oidc.us-gov-west-1.amazonaws.com", "oidc.us-gov-west-1.api.aws",
     "oidc.us-gov-west-1.amazonaws.com", "oidc-fips.us-gov-west-1.api.aws"},
    {AWS_QUOTAS, "us-gov-west-1", "servicequotas.us-gov-west-1.amazonaws.com", "servicequotas.us-gov-west-1.api.aws",
     "servicequotas.us-gov-west-1.amazonaws.com", "servicequotas-fips.us-gov-west-1.api.aws"},
    {AWS_SIGNIN, "us-east-1", "us-east-1.signin.aws.amazon.com", "signin.us-east-1.api.aws",
     "signin-fips.us-east-1.amazonaws.com", "signin-fips.us-east-1.api.aws"},
    {AWS_SIGNIN, "cn-north-1", "cn-north-1.signin.amazonaws.cn", "signin.cn-north-1.api.amazonwebservices.com.cn",
     "signin-fips.cn-north-1.amazonaws.com.cn", "signin-fips.cn-north-1.api.amazonwebservices.com.cn"},
    {AWS_SIGNIN, "us-gov-west-1", "us-gov-west-1.signin.amazonaws-us-gov.com", "signin.us-gov-west-1.api.aws",
     "signin-fips.us-gov-west-1.amazonaws.com", "signin-fips.us-gov-west-1.api.aws"},
    {AWS_SIGNIN, "eusc-de-east-1", "signin.eusc-de-east-1.amazonaws.eu",
     "signin.eusc-de-east-1.api.amazonwebservices.eu", "signin-fips.eusc-de-east-1.amazonaws.eu",
     "signin-fips.eusc-de-east-1.api.amazonwebservices.eu"},
    {AWS_PRICING, "us-east-1", "api.pricing.us-east-1.amazonaws.com", "api.pricing.us-east-1.api.aws",
     "api.pricing-fips.us-east-1.amazonaws.com", "api.pricing-fips.us-east-1.api.aws"},
};

static void test_variants(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
    const struct variant_case *v = &variants[i];
    const char *const expect[] = {v->plain, v->dual, v->fips, v->both};
    for (unsigned k = 0; k < 4; k++) {
      char *url = resolve_variant(v->service, v->region, (k & 2) != 0, (k & 1) != 0);
      char *wanted = xasprintf("https://%s", expect[k]);
      if (strcmp(url, wanted) != 0)
        fail_msg("service %d in %s, variant %u: %s, expected %s", (int)v->service, v->region, k, url, wanted);
      free(url);
      free(wanted);
    }
  }
}

static void test_partitions(void **state)
{
  (void)state;
  static const char *const cases[][2] = {{"eu-west-1", "aws"},
                                         {"us-east-1", "aws"},
                                         {"cn-north-1", "aws-cn"},
                                         {"us-gov-east-1", "aws-us-gov"},
                                         {"eusc-de-east-1", "aws-eusc"},
                                         {"us-iso-west-1", "aws-iso"},
                                         {"us-isob-east-1", "aws-iso-b"},
                                         {"eu-isoe-west-1", "aws-iso-e"},
                                         {"us-isof-east-1", "aws-iso-f"},
                                         {"nowhere", "aws"},
                                         {"xx-yy-9", "aws"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_string_equal(endpoint_partition(cases[i][0]), cases[i][1]);
  assert_string_equal(endpoint_partition(NULL), "aws");
}

static void test_price_list(void **state)
{
  (void)state;
  static const char *const cases[][2] = {
      {"us-west-2", "https://api.pricing.us-east-1.amazonaws.com"},
      {"sa-east-1", "https://api.pricing.us-east-1.amazonaws.com"},
      {"eu-west-1", "https://api.pricing.eu-central-1.amazonaws.com"},
      {"ap-southeast-2", "https://api.pricing.ap-south-1.amazonaws.com"},
      {"cn-north-1", "https://api.pricing.cn-northwest-1.amazonaws.com.cn"},
      {"eusc-de-east-1", "https://api.pricing.eusc-de-east-1.amazonaws.eu"},
      {"us-gov-west-1", "error: partition aws-us-gov has no Price List"},
      {"us-iso-east-1", "error: partition aws-iso has no Price List"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *url = resolve_variant(AWS_PRICING, cases[i][0], false, false);
    assert_string_equal(url, cases[i][1]);
    free(url);
  }
}

static void test_is_region(void **state)
{
  (void)state;
  static const char *const yes[] = {"eu-west-1",      "us-gov-east-1", "cn-northwest-1", "eusc-de-east-1",
                                    "ap-southeast-7", "us-iso-east-1", "xx-moon-12"};
  static const char *const no[] = {"",     "prod",       "eu-west",    "eu-west-", "-1",
                                   "eu-1", "EU-WEST-1",  "eu-west-1a", "e-west-1", "data-team",
                                   "me@x", "eu--west-1", "a.b-c-1"};
  for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
    assert_true(endpoint_is_region(yes[i]));
  for (size_t i = 0; i < sizeof no / sizeof *no; i++)
    assert_false(endpoint_is_region(no[i]));
  assert_false(endpoint_is_region(NULL));
}

static const char custom_config[] =
    "[profile dev]\nservices = local\nendpoint_url = http://whole.example:1\n"
    "[services local]\nglue =\n  endpoint_url = http://section.example:2/base/\n"
    "[profile off]\nendpoint_url = http://whole.example:1\nignore_configured_endpoint_urls = true\n"
    "[profile fips]\nuse_fips_endpoint = true\nendpoint_url = http://whole.example:1\n"
    "[profile fipsonly]\nuse_fips_endpoint = true\n"
    "[profile legacy]\nsts_regional_endpoints = legacy\n";

struct custom_case {
  const char *name;
  const char *option;
  const char *profile;
  enum aws_service service;
  const char *env[7];
  const char *expect;
};

static const struct custom_case custom_cases[] = {
    {"option first",
     "http://option.example",
     "dev",
     AWS_GLUE,
     {"AWS_ENDPOINT_URL_GLUE", "http://own.example", "AWS_ENDPOINT_URL", "http://all.example", NULL},
     "http://option.example"},
    {"own variable",
     NULL,
     "dev",
     AWS_GLUE,
     {"AWS_ENDPOINT_URL_GLUE", "http://own.example", "AWS_ENDPOINT_URL", "http://all.example", NULL},
     "http://own.example"},
    {"variable of another service",
     NULL,
     NULL,
     AWS_STS,
     {"AWS_ENDPOINT_URL_GLUE", "http://own.example", NULL},
     "https://sts.eu-west-1.amazonaws.com"},
    {"common variable", NULL, "dev", AWS_GLUE, {"AWS_ENDPOINT_URL", "http://all.example", NULL}, "http://all.example"},
    {"services section", NULL, "dev", AWS_GLUE, {NULL}, "http://section.example:2/base"},
    {"profile key", NULL, "dev", AWS_STS, {NULL}, "http://whole.example:1"},
    {"rules", NULL, "nosuch", AWS_STS, {NULL}, "https://sts.eu-west-1.amazonaws.com"},
    {"ignored by variable",
     NULL,
     "dev",
     AWS_GLUE,
     {"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true", "AWS_ENDPOINT_URL", "http://all.example", NULL},
     "https://glue.eu-west-1.amazonaws.com"},
    {"ignored by profile", NULL, "off", AWS_GLUE, {NULL}, "https://glue.eu-west-1.amazonaws.com"},
    {"ignored, but not the option", "http://option.example", "off", AWS_GLUE, {NULL}, "http://option.example"},
    {"logs by its id",
     NULL,
     NULL,
     AWS_LOGS,
     {"AWS_ENDPOINT_URL_CLOUDWATCH_LOGS", "http://own.example", NULL},
     "http://own.example"},
    {"oidc by its id",
     NULL,
     NULL,
     AWS_SSO_OIDC,
     {"AWS_ENDPOINT_URL_SSO_OIDC", "http://own.example", NULL},
     "http://own.example"},
    {"quotas by its id",
     NULL,
     NULL,
     AWS_QUOTAS,
     {"AWS_ENDPOINT_URL_SERVICE_QUOTAS", "http://own.example", NULL},
     "http://own.example"},
    {"FIPS and custom",
     NULL,
     "fips",
     AWS_GLUE,
     {NULL},
     "error: endpoint_url of profile fips cannot go together with FIPS endpoints"},
    {"dual-stack and custom",
     NULL,
     NULL,
     AWS_GLUE,
     {"AWS_ENDPOINT_URL", "http://x", "AWS_USE_DUALSTACK_ENDPOINT", "true", NULL},
     "error: AWS_ENDPOINT_URL cannot go together with dual-stack endpoints"},
    {"FIPS of a profile", NULL, "fipsonly", AWS_GLUE, {NULL}, "https://glue-fips.eu-west-1.amazonaws.com"},
    {"FIPS turned off",
     NULL,
     "fipsonly",
     AWS_GLUE,
     {"AWS_USE_FIPS_ENDPOINT", "false", NULL},
     "https://glue.eu-west-1.amazonaws.com"},
    {"legacy STS", NULL, "legacy", AWS_STS, {NULL}, "https://sts.amazonaws.com"},
    {"legacy STS turned off",
     NULL,
     "legacy",
     AWS_STS,
     {"AWS_STS_REGIONAL_ENDPOINTS", "regional", NULL},
     "https://sts.eu-west-1.amazonaws.com"},
};

static void test_custom(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof custom_cases / sizeof *custom_cases; i++) {
    const struct custom_case *t = &custom_cases[i];
    const char *env[7];
    memcpy(env, t->env, sizeof env);
    struct aws_config *c = parse(custom_config, env);
    struct endpoint_options o = {.option_url = t->option, .profile = t->profile, .region = "eu-west-1"};
    struct endpoint out;
    struct err e = endpoint_resolve(c, t->service, &o, &out);
    char *got = err_is(&e) ? xasprintf("error: %s", err_message(&e)) : xstrdup(out.url);
    if (strcmp(got, t->expect) != 0)
      fail_msg("%s: %s, expected %s", t->name, got, t->expect);
    free(got);
    err_fini(&e);
    endpoint_fini(&out);
    aws_config_free(c);
  }
}

static void test_signing(void **state)
{
  (void)state;
  const char *env[] = {"AWS_STS_REGIONAL_ENDPOINTS", "legacy", NULL};
  struct aws_config *c = parse(custom_config, env);
  struct endpoint out;
  struct err e = endpoint_resolve(c, AWS_STS, &(struct endpoint_options){.region = "eu-west-1"}, &out);
  assert_false(err_is(&e));
  assert_string_equal(out.signing_region, "us-east-1");
  endpoint_fini(&out);
  /* A Region younger than the global host has none of it. */
  e = endpoint_resolve(c, AWS_STS, &(struct endpoint_options){.region = "eu-south-2"}, &out);
  assert_false(err_is(&e));
  assert_string_equal(out.host, "sts.eu-south-2.amazonaws.com");
  endpoint_fini(&out);
  e = endpoint_resolve(c, AWS_PRICING, &(struct endpoint_options){.region = "eu-west-1"}, &out);
  assert_false(err_is(&e));
  assert_string_equal(out.signing_region, "eu-central-1");
  assert_string_equal(out.signing_name, "pricing");
  endpoint_fini(&out);
  e = endpoint_resolve(c, AWS_CLOUDWATCH, &(struct endpoint_options){.region = "eu-west-1", .profile = "dev"}, &out);
  assert_false(err_is(&e));
  assert_string_equal(out.signing_region, "eu-west-1");
  assert_string_equal(out.signing_name, "monitoring");
  assert_true(out.custom);
  endpoint_fini(&out);
  aws_config_free(c);
}

struct url_case {
  const char *url;
  const char *host, *path, *clean; /* NULL: refused */
};

static const struct url_case urls[] = {
    {"http://127.0.0.1:4566", "127.0.0.1:4566", "/", "http://127.0.0.1:4566"},
    {"http://127.0.0.1:4566/", "127.0.0.1:4566", "/", "http://127.0.0.1:4566"},
    {"https://x.example:443/a/b//", "x.example", "/a/b/", "https://x.example/a/b"},
    {"http://x.example:80", "x.example", "/", "http://x.example"},
    {"https://x.example:80", "x.example:80", "/", "https://x.example:80"},
    {"HTTPS://x.example", "x.example", "/", "https://x.example"},
    {"http://[::1]:8080/p", "[::1]:8080", "/p/", "http://[::1]:8080/p"},
    {"http://[fd00:ec2::254]", "[fd00:ec2::254]", "/", "http://[fd00:ec2::254]"},
    {"http://x.example:", "x.example", "/", "http://x.example"},
    {"x.example", NULL, NULL, NULL},
    {"ftp://x.example", NULL, NULL, NULL},
    {"http://", NULL, NULL, NULL},
    {"http:///path", NULL, NULL, NULL},
    {"http://user:pw@x.example", NULL, NULL, NULL},
    {"http://x.example?a=b", NULL, NULL, NULL},
    {"http://x.example/#f", NULL, NULL, NULL},
    {"http://x example", NULL, NULL, NULL},
    {"http://x.example\r\nHost: y", NULL, NULL, NULL},
    {"http://x.example:port", NULL, NULL, NULL},
    {"http://x.example:99999", NULL, NULL, NULL},
    {"http://[::1", NULL, NULL, NULL},
    {"http://[]", NULL, NULL, NULL},
    {"http://[::1]x", NULL, NULL, NULL},
};

static void test_urls(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
    struct endpoint out;
    struct err e = endpoint_from_url(urls[i].url, "eu-west-1", "glue", &out);
    if (err_is(&e) != (urls[i].host == NULL))
      fail_msg("%s: %s", urls[i].url, err_is(&e) ? err_message(&e) : "accepted");
    if (!err_is(&e)) {
      assert_string_equal(out.host, urls[i].host);
      assert_string_equal(out.path, urls[i].path);
      assert_string_equal(out.url, urls[i].clean);
    }
    err_fini(&e);
    endpoint_fini(&out);
  }
}

static void test_odd_regions(void **state)
{
  (void)state;
  static const char *const bad[] = {"", "eu west 1", "eu-west-1.evil.example", "-x", "x-", "a/b", "eu-west-1:80", "é"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char *url = resolve_variant(AWS_GLUE, bad[i], false, false);
    assert_int_equal(strncmp(url, "error:", 6), 0);
    free(url);
  }
  char *url = resolve_variant(AWS_GLUE, NULL, false, false);
  assert_int_equal(strncmp(url, "error:", 6), 0);
  free(url);
}

/* service, Region, FIPS, dual-stack, URL: every one that the rule sets give, where the facts' table is at hand. */
static void test_table(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    enum aws_service service;
  } names[] = {{"glue", AWS_GLUE},
               {"sts", AWS_STS},
               {"cloudwatch", AWS_CLOUDWATCH},
               {"monitoring", AWS_CLOUDWATCH},
               {"logs", AWS_LOGS},
               {"sso", AWS_SSO},
               {"sso-oidc", AWS_SSO_OIDC},
               {"signin", AWS_SIGNIN},
               {"service-quotas", AWS_QUOTAS},
               {"servicequotas", AWS_QUOTAS}};
  const char *shared = getenv("GLUETOP_SHARED");
  const char *source = getenv("GLUETOP_SRCDIR");
  char *path = shared != NULL ? xasprintf("%s/data/endpoints.tsv", shared)
                              : xasprintf("%s/../shared/data/endpoints.tsv", source != NULL ? source : ".");
  FILE *file = fopen(path, "r");
  free(path);
  if (file == NULL) {
    print_message("endpoints.tsv is not here: its table is left out\n");
    return;
  }
  char line[1024];
  size_t checked = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    char name[64];
    char region[64];
    char fips[16];
    char dual[16];
    char url[512];
    if (sscanf(line, "%63[^\t]\t%63[^\t]\t%15[^\t]\t%15[^\t]\t%511[^\t\r\n]", name, region, fips, dual, url) != 5 ||
        strncmp(url, "https://", 8) != 0 || !endpoint_is_region(region))
      continue;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
      if (strcmp(name, names[i].name) != 0)
        continue;
      bool f = fips[0] == '1' || fips[0] == 't' || fips[0] == 'T' || fips[0] == 'y';
      bool d = dual[0] == '1' || dual[0] == 't' || dual[0] == 'T' || dual[0] == 'y';
      char *got = resolve_variant(names[i].service, region, f, d);
      size_t len = strlen(url);
      if (len > 0 && url[len - 1] == '/')
        url[len - 1] = '\0';
      if (strcmp(got, url) != 0)
        fail_msg("%s %s fips %s dual %s: %s, expected %s", name, region, fips, dual, got, url);
      free(got);
      checked++;
    }
  }
  fclose(file);
  print_message("%zu endpoints of the table are right\n", checked);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_variants),  cmocka_unit_test(test_partitions),  cmocka_unit_test(test_price_list),
      cmocka_unit_test(test_is_region), cmocka_unit_test(test_custom),      cmocka_unit_test(test_signing),
      cmocka_unit_test(test_urls),      cmocka_unit_test(test_odd_regions), cmocka_unit_test(test_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
