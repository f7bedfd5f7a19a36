#include "aws/endpoint.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "aws/config.h"
#include "base/buf.h"
#include "base/xalloc.h"

#define ENDPOINT_URL_MAX 4096

struct partition {
  const char *name;
  const char *prefix; /* of its Regions' names, with the hyphen */
  const char *suffix;
  const char *dual_suffix;
  const char *first;  /* the Region to ask when none is named */
  const char *signin; /* suffix of the sign-in hosts <region>.<signin>; NULL: as every other service */
};

/* Longer prefixes first: "us-gov-" is no Region of "aws". */
static const struct partition partitions[] = {
    {"aws-us-gov", "us-gov-", "amazonaws.com", "api.aws", "us-gov-west-1", "signin.amazonaws-us-gov.com"},
    {"aws-iso", "us-iso-", "c2s.ic.gov", "api.aws.ic.gov", "us-iso-east-1", NULL},
    {"aws-iso-b", "us-isob-", "sc2s.sgov.gov", "api.aws.scloud", "us-isob-east-1", NULL},
    {"aws-iso-e", "eu-isoe-", "cloud.adc-e.uk", "api.cloud-aws.adc-e.uk", "eu-isoe-west-1", NULL},
    {"aws-iso-f", "us-isof-", "csp.hci.ic.gov", "api.aws.hci.ic.gov", "us-isof-south-1", NULL},
    {"aws-eusc", "eusc-", "amazonaws.eu", "api.amazonwebservices.eu", "eusc-de-east-1", NULL},
    {"aws-cn", "cn-", "amazonaws.com.cn", "api.amazonwebservices.com.cn", "cn-northwest-1", "signin.amazonaws.cn"},
    {"aws", "", "amazonaws.com", "api.aws", "us-east-1", "signin.aws.amazon.com"},
};

enum gov_fips { GOV_FIPS_OWN, GOV_FIPS_PLAIN, GOV_FIPS_PLAIN_DUAL };

struct service {
  const char *prefix;
  const char *signing_name;
  const char *id; /* in the config file; in capitals in the environment */
  /* In GovCloud the plain host of most services is the FIPS one; of some, the plain dual-stack host too. */
  enum gov_fips gov;
};

static const struct service services[AWS_SERVICE_COUNT] = {
    [AWS_GLUE] = {"glue", "glue", "glue", GOV_FIPS_OWN},
    [AWS_STS] = {"sts", "sts", "sts", GOV_FIPS_PLAIN},
    [AWS_CLOUDWATCH] = {"monitoring", "monitoring", "cloudwatch", GOV_FIPS_PLAIN_DUAL},
    [AWS_LOGS] = {"logs", "logs", "cloudwatch_logs", GOV_FIPS_PLAIN},
    [AWS_SSO] = {"portal.sso", "awsssoportal", "sso", GOV_FIPS_PLAIN},
    [AWS_SSO_OIDC] = {"oidc", "sso-oauth", "sso_oidc", GOV_FIPS_PLAIN},
    [AWS_SIGNIN] = {"signin", "signin", "signin", GOV_FIPS_OWN},
    [AWS_PRICING] = {"api.pricing", "pricing", "pricing", GOV_FIPS_OWN},
    [AWS_QUOTAS] = {"servicequotas", "servicequotas", "service_quotas", GOV_FIPS_PLAIN},
};

static const struct partition *partition_of(const char *region)
{
  size_t count = sizeof partitions / sizeof *partitions;
  for (size_t i = 0; i < count; i++) {
    if (strncmp(region, partitions[i].prefix, strlen(partitions[i].prefix)) == 0)
      return &partitions[i];
  }
  return &partitions[count - 1];
}

const char *endpoint_partition(const char *region)
{
  return partition_of(region != NULL ? region : "")->name;
}

const char *endpoint_partition_region(const char *partition)
{
  size_t count = sizeof partitions / sizeof *partitions;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(partition, partitions[i].name) == 0)
      return partitions[i].first;
  }
  return partitions[count - 1].first;
}

bool endpoint_is_region(const char *s)
{
  if (s == NULL)
    return false;
  int words = 0;
  const char *p = s;
  for (;;) {
    size_t len = strspn(p, "abcdefghijklmnopqrstuvwxyz");
    if (len == 0 || (words == 0 && len < 2) || p[len] != '-')
      break;
    words++;
    p += len + 1;
  }
  size_t digits = strspn(p, "0123456789");
  return words >= 2 && digits > 0 && digits <= 3 && p[digits] == '\0';
}

/* A Region's name becomes part of a host's name: nothing else may come in that way. */
static bool region_usable(const char *region)
{
  size_t len = strlen(region);
  if (len == 0 || len > 63 || region[0] == '-' || region[len - 1] == '-')
    return false;
  for (const char *p = region; *p != '\0'; p++) {
    if (!isalnum((unsigned char)*p) && *p != '-')
      return false;
  }
  return true;
}

static bool starts_with_any(const char *s, const char *const *prefixes, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (strncmp(s, prefixes[i], strlen(prefixes[i])) == 0)
      return true;
  }
  return false;
}

/* Regions that really have a Price List; NULL: the partition has none. */
static const char *pricing_region(const struct partition *p, const char *region)
{
  static const char *const asia[] = {"ap-", "me-", "af-"};
  static const char *const europe[] = {"eu-", "il-"};
  if (strcmp(p->name, "aws-cn") == 0)
    return "cn-northwest-1";
  if (strcmp(p->name, "aws-eusc") == 0)
    return "eusc-de-east-1";
  if (strcmp(p->name, "aws") != 0)
    return NULL;
  if (starts_with_any(region, asia, sizeof asia / sizeof *asia))
    return "ap-south-1";
  if (starts_with_any(region, europe, sizeof europe / sizeof *europe))
    return "eu-central-1";
  return "us-east-1";
}

/* The Regions whose STS calls went to the one global host in the days before regional ones. */
static bool sts_legacy_region(const char *region)
{
  static const char *const regions[] = {"ap-northeast-1", "ap-south-1",   "ap-southeast-1", "ap-southeast-2",
                                        "aws-global",     "ca-central-1", "eu-central-1",   "eu-north-1",
                                        "eu-west-1",      "eu-west-2",    "eu-west-3",      "sa-east-1",
                                        "us-east-1",      "us-east-2",    "us-west-1",      "us-west-2"};
  for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
    if (strcmp(region, regions[i]) == 0)
      return true;
  }
  return false;
}

struct err endpoint_from_url(const char *url, const char *signing_region, const char *signing_name,
                             struct endpoint *out)
{
  *out = (struct endpoint){0};
  const char *scheme = NULL;
  const char *own_port = NULL;
  const char *host = NULL;
  if (strncasecmp(url, "https://", 8) == 0) {
    scheme = "https";
    own_port = "443";
    host = url + 8;
  } else if (strncasecmp(url, "http://", 7) == 0) {
    scheme = "http";
    own_port = "80";
    host = url + 7;
  } else {
    return err_new(ERR_CONFIG, "an endpoint URL begins with https:// or http://");
  }
  if (strlen(url) > ENDPOINT_URL_MAX)
    return err_new(ERR_CONFIG, "the endpoint URL is too long");
  for (const char *p = url; *p != '\0'; p++) {
    if ((unsigned char)*p <= ' ' || *p == 127 || *p == '"' || *p == '<' || *p == '>' || *p == '\\')
      return err_new(ERR_CONFIG, "the endpoint URL holds a character that no URL may hold");
  }
  if (strpbrk(host, "?#") != NULL)
    return err_new(ERR_CONFIG, "an endpoint URL has no query and no fragment");
  size_t authority = strcspn(host, "/");
  if (memchr(host, '@', authority) != NULL)
    return err_new(ERR_CONFIG, "an endpoint URL has no user name in it");
  size_t name = authority;
  if (host[0] == '[') {
    const char *close = memchr(host, ']', authority);
    if (close == NULL || close == host + 1)
      return err_new(ERR_CONFIG, "the endpoint URL has an IPv6 address without its brackets");
    name = (size_t)(close - host) + 1;
  } else {
    const char *colon = memchr(host, ':', authority);
    if (colon != NULL)
      name = (size_t)(colon - host);
  }
  if (name == 0)
    return err_new(ERR_CONFIG, "the endpoint URL has no host");
  char *port = NULL;
  if (name < authority && host[name] == ':')
    port = xstrndup(host + name + 1, authority - name - 1);
  size_t digits = port != NULL ? strlen(port) : 0;
  bool bad_port =
      (name < authority && host[name] != ':') ||
      (digits > 0 && (digits > 5 || strspn(port, "0123456789") != digits || strtol(port, NULL, 10) > 65535));
  if (bad_port) {
    free(port);
    return err_new(ERR_CONFIG, "the endpoint URL has a port that is no port");
  }
  size_t path_len = strlen(host + authority);
  while (path_len > 0 && host[authority + path_len - 1] == '/')
    path_len--;
  bool show_port = digits > 0 && strcmp(port, own_port) != 0;
  out->host = xasprintf("%.*s%s%s", (int)name, host, show_port ? ":" : "", show_port ? port : "");
  out->path = xasprintf("%.*s/", (int)path_len, host + authority);
  out->url = xasprintf("%s://%s%.*s", scheme, out->host, (int)path_len, host + authority);
  out->signing_region = xstrdup(signing_region);
  out->signing_name = signing_name;
  out->custom = true;
  free(port);
  return err_ok();
}

static char *env_name_of(const struct service *service)
{
  char *name = xasprintf("AWS_ENDPOINT_URL_%s", service->id);
  for (char *p = name; *p != '\0'; p++)
    *p = (char)toupper((unsigned char)*p);
  return name;
}

/* First of the custom URLs in the documented order; *where says whose it is. Caller frees *where. NULL: none. */
static const char *custom_url(const struct aws_config *config, const struct service *service,
                              const struct endpoint_options *o, char **where)
{
  if (o->option_url != NULL && o->option_url[0] != '\0') {
    *where = xstrdup("--endpoint-url");
    return o->option_url;
  }
  if (aws_config_flag(config, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", o->profile, "ignore_configured_endpoint_urls"))
    return NULL;
  char *variable = env_name_of(service);
  const char *url = aws_config_env(config, variable);
  if (url != NULL) {
    *where = variable;
    return url;
  }
  free(variable);
  url = aws_config_env(config, "AWS_ENDPOINT_URL");
  if (url != NULL) {
    *where = xstrdup("AWS_ENDPOINT_URL");
    return url;
  }
  const char *section = aws_config_get(config, o->profile, "services");
  url = section != NULL ? aws_config_service(config, section, service->id, "endpoint_url") : NULL;
  if (url != NULL) {
    *where = xasprintf("endpoint_url of %s in [services %s]", service->id, section);
    return url;
  }
  url = aws_config_get(config, o->profile, "endpoint_url");
  if (url != NULL)
    *where = xasprintf("endpoint_url of profile %s", o->profile);
  return url;
}

static char *rule_host(enum aws_service id, const char *region, bool fips, bool dual)
{
  const struct partition *p = partition_of(region);
  const struct service *s = &services[id];
  if (id == AWS_SIGNIN && !fips && !dual && p->signin != NULL)
    return xasprintf("%s.%s", region, p->signin);
  bool gov = strcmp(p->name, "aws-us-gov") == 0;
  if (gov && ((s->gov == GOV_FIPS_PLAIN && !dual) || s->gov == GOV_FIPS_PLAIN_DUAL))
    fips = false;
  return xasprintf("%s%s.%s.%s", s->prefix, fips ? "-fips" : "", region, dual ? p->dual_suffix : p->suffix);
}

static bool sts_goes_global(const struct aws_config *config, const struct endpoint_options *o, const char *region)
{
  const char *mode = aws_config_env(config, "AWS_STS_REGIONAL_ENDPOINTS");
  if (mode == NULL)
    mode = aws_config_get(config, o->profile, "sts_regional_endpoints");
  return mode != NULL && strcasecmp(mode, "legacy") == 0 && sts_legacy_region(region);
}

struct err endpoint_resolve(const struct aws_config *config, enum aws_service service,
                            const struct endpoint_options *options, struct endpoint *out)
{
  *out = (struct endpoint){0};
  const struct service *s = &services[service];
  const char *region = options->region;
  if (region == NULL || region[0] == '\0') {
    struct err e = err_new(ERR_CONFIG, "no Region is known");
    err_set_hint(&e, "Give --region, set AWS_REGION, or put region = into the profile.");
    return e;
  }
  if (!region_usable(region)) {
    struct err e = err_new(ERR_CONFIG, "\"%.80s\" cannot be a Region's name", region);
    err_set_hint(&e, "A Region is written like eu-west-1.");
    return e;
  }
  bool fips = aws_config_flag(config, "AWS_USE_FIPS_ENDPOINT", options->profile, "use_fips_endpoint");
  bool dual = aws_config_flag(config, "AWS_USE_DUALSTACK_ENDPOINT", options->profile, "use_dualstack_endpoint");
  char *where = NULL;
  const char *url = custom_url(config, s, options, &where);
  struct err e = err_ok();
  if (url != NULL && (fips || dual)) {
    e = err_new(ERR_CONFIG, "%s cannot go together with %s", where, fips ? "FIPS endpoints" : "dual-stack endpoints");
    err_set_hint(&e, "Turn off %s, or take the custom endpoint away.",
                 fips ? "AWS_USE_FIPS_ENDPOINT (use_fips_endpoint)"
                      : "AWS_USE_DUALSTACK_ENDPOINT (use_dualstack_endpoint)");
  } else if (url != NULL) {
    e = endpoint_from_url(url, region, s->signing_name, out);
    if (err_is(&e)) {
      err_set_what(&e, "%s", where);
    }
  } else {
    const char *there = service == AWS_PRICING ? pricing_region(partition_of(region), region) : region;
    bool global = service == AWS_STS && !fips && !dual && sts_goes_global(config, options, region);
    if (there == NULL) {
      e = err_new(ERR_NOT_FOUND, "partition %s has no Price List", endpoint_partition(region));
    } else {
      out->host = global ? xstrdup("sts.amazonaws.com") : rule_host(service, there, fips, dual);
      out->url = xasprintf("https://%s", out->host);
      out->path = xstrdup("/");
      out->signing_region = xstrdup(global ? "us-east-1" : there);
      out->signing_name = s->signing_name;
    }
  }
  free(where);
  return e;
}

void endpoint_fini(struct endpoint *e)
{
  free(e->url);
  free(e->host);
  free(e->path);
  free(e->signing_region);
  *e = (struct endpoint){0};
}

void endpoint_copy(struct endpoint *to, const struct endpoint *from)
{
  *to = (struct endpoint){.url = xstrdup(from->url),
                          .host = xstrdup(from->host),
                          .path = xstrdup(from->path),
                          .signing_region = xstrdup(from->signing_region),
                          .signing_name = from->signing_name,
                          .custom = from->custom};
}
