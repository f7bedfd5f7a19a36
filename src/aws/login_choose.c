/* Which profile, which Region, whose keys: decided from the files and the environment alone, before anything is asked of anybody.
 *
 * The order is that of the AWS CLI: environment keys (unless a profile was given on the command line), then, of the profile in force, assumed
 * role, web identity, SSO, keys in the credentials file, console login, process, keys in the config file; then the container's and the
 * instance's endpoints. The first that is there is used, and its failure is told: to go on to the next would lead to another account. */
#include "aws/provider.h"

#include <stdlib.h>
#include <string.h>
#include "base/xalloc.h"

/* Longest chain of source profiles followed; longer ones are loops or worse. */
#define CHAIN_MAX 16

struct chain {
  const char *profiles[CHAIN_MAX];
  size_t count;
};

static bool has_static(const struct aws_config *c, const char *profile)
{
  return aws_config_get(c, profile, "aws_access_key_id") != NULL ||
         aws_config_get(c, profile, "aws_secret_access_key") != NULL;
}

static bool has_static_in(const struct aws_config *c, enum aws_config_file file, const char *profile)
{
  return aws_config_get_in(c, file, profile, "aws_access_key_id") != NULL ||
         aws_config_get_in(c, file, profile, "aws_secret_access_key") != NULL;
}

static bool has_role(const struct aws_config *c, const char *profile)
{
  return aws_config_get(c, profile, "role_arn") != NULL &&
         aws_config_get(c, profile, "web_identity_token_file") == NULL;
}

static bool has_sso(const struct aws_config *c, const char *profile)
{
  return aws_config_get(c, profile, "sso_session") != NULL || aws_config_get(c, profile, "sso_start_url") != NULL ||
         aws_config_get(c, profile, "sso_account_id") != NULL || aws_config_get(c, profile, "sso_role_name") != NULL;
}

static struct err no_such_profile(const struct login *l, const char *profile, const char *named_by)
{
  struct err e = err_new(ERR_CONFIG, "there is no profile %s, which %s names: it is neither in %s nor in %s", profile,
                         named_by, aws_config_path(l->config), aws_credentials_path(l->config));
  err_set_hint(&e, "Correct the name, or add the profile (`aws configure --profile %s`).", profile);
  return e;
}

/* What a profile holds besides a role. *out stays NULL when it holds no keys of any kind. */
static struct err choose_plain(struct login *l, const char *profile, struct source **out)
{
  const struct aws_config *c = l->config;
  if (aws_config_get(c, profile, "web_identity_token_file") != NULL)
    return source_web_identity(l, profile, out);
  if (has_sso(c, profile))
    return source_sso(l, profile, out);
  if (has_static_in(c, AWS_FILE_CREDENTIALS, profile))
    return source_static(l, AWS_FILE_CREDENTIALS, profile, out);
  if (aws_config_get(c, profile, "login_session") != NULL)
    return source_console_login(l, profile, out);
  if (aws_config_get(c, profile, "credential_process") != NULL)
    return source_process(l, profile, out);
  if (has_static_in(c, AWS_FILE_CONFIG, profile))
    return source_static(l, AWS_FILE_CONFIG, profile, out);
  return err_ok();
}

static struct err choose_role(struct login *l, const char *profile, struct chain *chain, struct source **out);

static struct err loop_error(const struct chain *chain, const char *profile)
{
  char *path = xstrdup("");
  bool inside = false;
  for (size_t i = 0; i < chain->count; i++) {
    inside = inside || strcmp(chain->profiles[i], profile) == 0;
    if (!inside)
      continue;
    char *longer = xasprintf("%s%s -> ", path, chain->profiles[i]);
    free(path);
    path = longer;
  }
  struct err e = err_new(ERR_CONFIG, "the source profiles go round in a loop: %s%s", path, profile);
  err_set_hint(&e, "One of them must hold keys, or lead to SSO, a process or a credential_source.");
  free(path);
  return e;
}

static struct err choose_source_profile(struct login *l, const char *profile, struct chain *chain, struct source **out)
{
  const struct aws_config *c = l->config;
  const char *parent = chain->profiles[chain->count - 1];
  if (!aws_config_has_profile(c, profile)) {
    char *named_by = xasprintf("source_profile of profile %s", parent);
    struct err e = no_such_profile(l, profile, named_by);
    free(named_by);
    return e;
  }
  /* A profile with keys ends the chain, whatever else it holds: so may a profile be its own source. */
  if (has_static(c, profile)) {
    bool credentials = has_static_in(c, AWS_FILE_CREDENTIALS, profile);
    return source_static(l, credentials ? AWS_FILE_CREDENTIALS : AWS_FILE_CONFIG, profile, out);
  }
  for (size_t i = 0; i < chain->count; i++) {
    if (strcmp(chain->profiles[i], profile) == 0)
      return loop_error(chain, profile);
  }
  if (chain->count == CHAIN_MAX)
    return err_new(ERR_CONFIG, "more than %d source profiles in a row", CHAIN_MAX);
  chain->profiles[chain->count++] = profile;
  if (has_role(c, profile))
    return choose_role(l, profile, chain, out);
  struct err e = choose_plain(l, profile, out);
  if (!err_is(&e) && *out == NULL) {
    e = err_new(ERR_CREDENTIALS, "profile %s, the source of profile %s, holds no keys and no way to get them", profile,
                parent);
    err_set_hint(&e, "Log in there first, or name another source_profile.");
  }
  return e;
}

static struct err choose_credential_source(struct login *l, const char *profile, const char *name, struct source **out)
{
  if (strcmp(name, "Environment") == 0) {
    if (source_environment_there(l))
      return source_environment(l, out);
    return err_new(
        ERR_CREDENTIALS,
        "profile %s takes its keys from the environment, but AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set",
        profile);
  }
  if (strcmp(name, "EcsContainer") == 0) {
    if (source_container_there(l))
      return source_container(l, out);
    return err_new(ERR_CREDENTIALS,
                   "profile %s takes its keys from the container, but AWS_CONTAINER_CREDENTIALS_RELATIVE_URI and "
                   "AWS_CONTAINER_CREDENTIALS_FULL_URI are not set",
                   profile);
  }
  if (strcmp(name, "Ec2InstanceMetadata") == 0)
    return source_instance(l, out);
  return err_new(ERR_CONFIG,
                 "credential_source of profile %s is none of Environment, Ec2InstanceMetadata, EcsContainer", profile);
}

static struct err choose_role(struct login *l, const char *profile, struct chain *chain, struct source **out)
{
  const char *source_profile = aws_config_get(l->config, profile, "source_profile");
  const char *credential_source = aws_config_get(l->config, profile, "credential_source");
  struct source *base = NULL;
  struct err e = err_ok();
  if (source_profile != NULL && credential_source != NULL)
    e = err_new(ERR_CONFIG, "profile %s has both source_profile and credential_source; one of them is needed", profile);
  else if (source_profile == NULL && credential_source == NULL)
    e = err_new(ERR_CONFIG,
                "profile %s has a role_arn, but neither source_profile nor credential_source to assume it with",
                profile);
  else if (source_profile != NULL)
    e = choose_source_profile(l, source_profile, chain, &base);
  else
    e = choose_credential_source(l, profile, credential_source, &base);
  if (!err_is(&e))
    e = source_role(l, profile, base, out);
  return e;
}

static struct err choose_of_profile(struct login *l, const char *profile, struct source **out)
{
  if (has_role(l->config, profile)) {
    struct chain chain = {.profiles = {profile}, .count = 1};
    return choose_role(l, profile, &chain, out);
  }
  return choose_plain(l, profile, out);
}

static struct err nothing_found(const struct login *l, const char *profile)
{
  struct err e =
      err_new(ERR_CREDENTIALS, "no credentials: none in the environment, in profile %s (%s, %s), or from a container",
              profile, aws_config_path(l->config), aws_credentials_path(l->config));
  err_set_hint(
      &e, "Choose a profile (--profile, AWS_PROFILE), or log in: `aws configure sso`, `aws sso login` or `aws login`.");
  return e;
}

static struct err choose_source(struct login *l, const char *profile, const char *profile_from, struct source **out)
{
  const struct aws_config *c = l->config;
  bool exists = aws_config_has_profile(c, profile);
  bool environment = source_environment_there(l);
  if (!exists && profile_from != NULL)
    return no_such_profile(l, profile, profile_from);
  if (environment && l->option_profile == NULL) {
    if (profile_from != NULL) {
      free(l->choice_notice);
      l->choice_notice =
          xasprintf("keys of the environment are used, not those of profile %s, which %s names", profile, profile_from);
    }
    return source_environment(l, out);
  }
  if (l->option_profile == NULL && !has_role(c, profile) && aws_config_env(c, "AWS_WEB_IDENTITY_TOKEN_FILE") != NULL)
    return source_web_identity(l, NULL, out);
  struct err e = exists ? choose_of_profile(l, profile, out) : err_ok();
  if (err_is(&e) || *out != NULL)
    return e;
  if (source_container_there(l))
    return source_container(l, out);
  if (source_instance_allowed(l))
    return source_instance(l, out);
  return nothing_found(l, profile);
}

static void put(char **to, const char *text)
{
  char *copy = xstrdup(text);
  free(*to);
  *to = copy;
}

static void choose_region(struct login *l, const char *profile)
{
  const struct aws_config *c = l->config;
  if (l->region != NULL)
    return;
  static const char *const variables[] = {"AWS_REGION", "AWS_DEFAULT_REGION"};
  if (l->option_region != NULL && l->option_region[0] != '\0') {
    put(&l->region, l->option_region);
    put(&l->region_source, "option");
  }
  for (size_t i = 0; l->region == NULL && i < sizeof variables / sizeof *variables; i++) {
    if (aws_config_env(c, variables[i]) != NULL) {
      put(&l->region, aws_config_env(c, variables[i]));
      put(&l->region_source, variables[i]);
    }
  }
  if (l->region == NULL && aws_config_get(c, profile, "region") != NULL) {
    put(&l->region, aws_config_get(c, profile, "region"));
    free(l->region_source);
    l->region_source = xasprintf("profile %s", profile);
  }
  l->region_settled = l->region != NULL || !source_instance_allowed(l);
  if (!l->region_settled && l->region_probe == NULL)
    l->region_probe = source_instance_region(l);
}

void login_choose(struct login *l)
{
  const struct aws_config *c = l->config;
  err_fini(&l->choice_err);
  put(&l->choice_notice, NULL);
  const char *from = NULL;
  const char *profile = aws_config_profile_in_force(c, l->option_profile, &from);
  const char *second = aws_config_env(c, "AWS_DEFAULT_PROFILE");
  if (from != NULL && strcmp(from, "AWS_PROFILE") == 0 && second != NULL && strcmp(profile, second) != 0)
    l->choice_notice = xasprintf("AWS_PROFILE (%s) is used, not AWS_DEFAULT_PROFILE (%s)", profile, second);
  put(&l->settings_profile, from != NULL || aws_config_has_profile(c, profile) ? profile : "");
  choose_region(l, profile);
  struct source *chosen = NULL;
  l->choice_err = choose_source(l, profile, from, &chosen);
  l->source = chosen;
}

struct err login_endpoint(const struct login *l, enum aws_service service, const char *profile, const char *region,
                          struct endpoint *out)
{
  struct endpoint_options options = {
      .option_url = l->endpoint_url, .profile = profile != NULL ? profile : l->settings_profile, .region = region};
  return endpoint_resolve(l->config, service, &options, out);
}
