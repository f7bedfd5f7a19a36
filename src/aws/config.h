/* AWS's own config files, in AWS's dialect (it is not INI): ~/.aws/config and ~/.aws/credentials, or the files that AWS_CONFIG_FILE and
 * AWS_SHARED_CREDENTIALS_FILE name. One bad line or profile never hides the others: faults are kept with file and line.
 *
 * The dialect: [profile NAME], [sso-session NAME], [services NAME] and [default] in the config file (a name may be quoted), [NAME] in the
 * credentials file. Keys compare without case. '#' or ';' begins a comment at the start of a line, and behind a blank in a value that is
 * neither a key, a token nor a command. A line indented more than the key above it goes on with that key: below an empty "key =" it is a
 * nested "sub = value", below a value it is more of the value. Of duplicates the last wins, and is told. [profile default] takes the place
 * of [default]. Where a profile stands in both files, the credentials file wins key by key.
 * Source: AWS SDK reference guide "Shared config and credentials files", and what the AWS CLI reads. */
#ifndef GLUETOP_AWS_CONFIG_H
#define GLUETOP_AWS_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"

struct aws_config;
/* Environment access is injected so that tests need no setenv; NULL uses getenv. Must live as long as the config. */
typedef const char *aws_getenv_fn(void *user, const char *name);
/* A missing or unreadable file is no error here: the first is usual, the second a fault. Errors are left for what makes both files useless. */
struct err aws_config_load(aws_getenv_fn *get, void *user, struct aws_config **out) ERR_MUST_CHECK;
struct err aws_config_parse(const char *config_text, size_t config_len, const char *credentials_text,
                            size_t credentials_len, aws_getenv_fn *get, void *user,
                            struct aws_config **out) ERR_MUST_CHECK;
/* Read the same files again, with the same environment: somebody may have edited them since. A config made by aws_config_parse is read
 * again from nowhere: *out is NULL. */
struct err aws_config_reload(const struct aws_config *c, struct aws_config **out) ERR_MUST_CHECK;
void aws_config_free(struct aws_config *c); /* wipes every value: the reader does not know which ones are secrets */

const char *aws_config_env(const struct aws_config *c, const char *name); /* NULL when unset or empty */
bool aws_config_has_profile(const struct aws_config *c, const char *profile);
/* Value of a key (compared without case) of a profile, merged over both files; NULL when absent or empty. */
const char *aws_config_get(const struct aws_config *c, const char *profile, const char *key);
/* The same out of one file alone: keys that belong together must not be mixed from two files. */
enum aws_config_file { AWS_FILE_CONFIG, AWS_FILE_CREDENTIALS };
const char *aws_config_get_in(const struct aws_config *c, enum aws_config_file file, const char *profile,
                              const char *key);
/* True for "true" in any case; the environment variable (or NULL) comes first. */
bool aws_config_flag(const struct aws_config *c, const char *variable, const char *profile, const char *key);
/* The profile that holds: as given on the command line (NULL: not given), by AWS_PROFILE, by AWS_DEFAULT_PROFILE, or "default". *from is
 * what names it ("--profile or a context", a variable's name), or NULL. */
const char *aws_config_profile_in_force(const struct aws_config *c, const char *option, const char **from);
/* Certificates to trust instead of the system's: AWS_CA_BUNDLE, or ca_bundle of the profile in force; NULL: the system's. */
const char *aws_config_ca_bundle(const struct aws_config *c, const char *option_profile);
/* Value in [sso-session NAME]; nested value in [services NAME] (service id in lower case with underscores, key). */
bool aws_config_has_sso_session(const struct aws_config *c, const char *session);
const char *aws_config_sso_session(const struct aws_config *c, const char *session, const char *key);
const char *aws_config_service(const struct aws_config *c, const char *services, const char *service, const char *key);
size_t aws_config_profile_count(const struct aws_config *c);
const char *aws_config_profile_name(const struct aws_config *c, size_t index); /* in order of the files */
/* Faults found: "~/.aws/config:12: a line that is neither a section nor key = value". They never quote a value. */
size_t aws_config_fault_count(const struct aws_config *c);
const char *aws_config_fault(const struct aws_config *c, size_t index);
/* The two files as a person writes them ("~/.aws/config"), for messages. */
const char *aws_config_path(const struct aws_config *c);
const char *aws_credentials_path(const struct aws_config *c);
/* "~/x" as a path that can be opened; anything else as it is. Caller frees. NULL when there is no home. */
char *aws_config_expand_path(const struct aws_config *c, const char *path);

#endif
