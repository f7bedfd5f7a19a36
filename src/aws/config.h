/* AWS's own config files, in AWS's dialect (it is not INI): ~/.aws/config and ~/.aws/credentials, or the files that AWS_CONFIG_FILE and
 * AWS_SHARED_CREDENTIALS_FILE name. One bad line or profile never hides the others: faults are kept with file and line. */
#ifndef GLUETOP_AWS_CONFIG_H
#define GLUETOP_AWS_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"

struct aws_config;
/* Environment access is injected so that tests need no setenv; NULL uses getenv. */
typedef const char *aws_getenv_fn(void *user, const char *name);
struct err aws_config_load(aws_getenv_fn *get, void *user, struct aws_config **out) ERR_MUST_CHECK;
struct err aws_config_parse(const char *config_text, size_t config_len, const char *credentials_text, size_t credentials_len,
                            aws_getenv_fn *get, void *user, struct aws_config **out) ERR_MUST_CHECK;
void aws_config_free(struct aws_config *c);

const char *aws_config_env(const struct aws_config *c, const char *name); /* NULL when unset or empty */
bool aws_config_has_profile(const struct aws_config *c, const char *profile);
/* Value of a key (compared without case) of a profile, merged over both files; NULL when absent. */
const char *aws_config_get(const struct aws_config *c, const char *profile, const char *key);
/* Value in [sso-session NAME]; nested value in [services NAME] (service id in lower case with underscores, key). */
const char *aws_config_sso_session(const struct aws_config *c, const char *session, const char *key);
const char *aws_config_service(const struct aws_config *c, const char *services, const char *service, const char *key);
size_t aws_config_profile_count(const struct aws_config *c);
const char *aws_config_profile_name(const struct aws_config *c, size_t index); /* in order of the files */
/* Faults found: "~/.aws/config:12: a line that is neither a section nor key = value". */
size_t aws_config_fault_count(const struct aws_config *c);
const char *aws_config_fault(const struct aws_config *c, size_t index);
const char *aws_config_path(const struct aws_config *c);
const char *aws_credentials_path(const struct aws_config *c);

#endif
