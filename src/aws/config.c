#include "aws/config.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include "aws/config_parse.h"
#include "base/log.h"
#include "base/xalloc.h"

/* Larger than any such file has a right to be; beyond it the name is wrong (a device, a log). */
#define CONFIG_FILE_MAX ((size_t)8 * 1024 * 1024)

struct aws_config {
  aws_getenv_fn *get;
  void *user;
  bool from_files;
  struct config_sections sections;
  struct config_faults faults;
  const char **profiles; /* names, owned by the sections */
  size_t profile_count;
  char *shown[2]; /* by enum aws_config_file */
};

static const char *env_of_process(void *user, const char *name)
{
  (void)user;
  return getenv(name);
}

static struct aws_config *config_new(aws_getenv_fn *get, void *user)
{
  struct aws_config *c = xcalloc(1, sizeof *c);
  c->get = get != NULL ? get : env_of_process;
  c->user = user;
  return c;
}

static void section_fini(struct config_section *s)
{
  for (size_t i = 0; i < s->count; i++) {
    free(s->entries[i].parent);
    free(s->entries[i].name);
    secret_fini(&s->entries[i].value);
  }
  free(s->entries);
  free(s->name);
}

void aws_config_free(struct aws_config *c)
{
  if (c == NULL)
    return;
  for (size_t i = 0; i < c->sections.count; i++)
    section_fini(&c->sections.items[i]);
  free(c->sections.items);
  for (size_t i = 0; i < c->faults.count; i++)
    free(c->faults.items[i]);
  free(c->faults.items);
  free(c->profiles);
  free(c->shown[AWS_FILE_CONFIG]);
  free(c->shown[AWS_FILE_CREDENTIALS]);
  free(c);
}

const char *aws_config_env(const struct aws_config *c, const char *name)
{
  const char *value = c->get(c->user, name);
  return value != NULL && value[0] != '\0' ? value : NULL;
}

static const char *config_home(const struct aws_config *c)
{
  const char *home = aws_config_env(c, "HOME");
  if (home == NULL) {
    const struct passwd *user = getpwuid(getuid());
    if (user != NULL && user->pw_dir != NULL && user->pw_dir[0] != '\0')
      home = user->pw_dir;
  }
  return home;
}

char *aws_config_expand_path(const struct aws_config *c, const char *path)
{
  if (path[0] != '~' || (path[1] != '/' && path[1] != '\0'))
    return xstrdup(path);
  const char *home = config_home(c);
  return home != NULL ? xasprintf("%s%s", home, path + 1) : NULL;
}

/* The other way round, for messages. */
static char *shorten_path(const struct aws_config *c, const char *path)
{
  const char *home = config_home(c);
  size_t len = home != NULL ? strlen(home) : 0;
  while (len > 1 && home[len - 1] == '/')
    len--;
  if (len > 1 && strncmp(path, home, len) == 0 && path[len] == '/')
    return xasprintf("~%s", path + len);
  return xstrdup(path);
}

/* Whole contents in wiped-later memory; false and errno when it cannot be read. */
static bool read_whole(int fd, char **out, size_t *out_len)
{
  size_t cap = (size_t)16 * 1024;
  size_t len = 0;
  char *data = xmalloc(cap);
  for (;;) {
    ssize_t n = read(fd, data + len, cap - len);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 || len + (size_t)n > CONFIG_FILE_MAX) {
      int number = n < 0 ? errno : EFBIG;
      secret_wipe(data, len);
      free(data);
      errno = number;
      return false;
    }
    if (n == 0)
      break;
    len += (size_t)n;
    if (len == cap) {
      /* Not realloc: it would leave a copy behind that nobody wipes. */
      char *larger = xmalloc(cap * 2);
      memcpy(larger, data, len);
      secret_wipe(data, len);
      free(data);
      data = larger;
      cap *= 2;
    }
  }
  *out = data;
  *out_len = len;
  return true;
}

static bool sections_hold_secrets(const struct aws_config *c, enum aws_config_file file)
{
  for (size_t i = 0; i < c->sections.count; i++) {
    const struct config_section *s = &c->sections.items[i];
    for (size_t k = 0; s->file == file && k < s->count; k++) {
      if (strcmp(s->entries[k].name, "aws_secret_access_key") == 0)
        return true;
    }
  }
  return false;
}

static void load_file(struct aws_config *c, enum aws_config_file file, const char *variable, const char *fallback)
{
  const char *given = aws_config_env(c, variable);
  char *path = aws_config_expand_path(c, given != NULL ? given : fallback);
  c->shown[file] = path != NULL ? shorten_path(c, path) : xstrdup(fallback);
  char *text = NULL;
  size_t len = 0;
  int fd = -1;
  struct stat st = {0};
  if (path == NULL) {
    config_fault_add(&c->faults, c->shown[file], 0, "not read: there is no home directory (HOME is not set)");
    goto out;
  }
  fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    if (errno == ENOENT || errno == ENOTDIR) {
      if (given != NULL)
        config_fault_add(&c->faults, c->shown[file], 0, "there is no such file, though %s names it", variable);
    } else {
      config_fault_add(&c->faults, c->shown[file], 0, "cannot be read: %s", strerror(errno));
    }
    goto out;
  }
  if (!read_whole(fd, &text, &len)) {
    config_fault_add(&c->faults, c->shown[file], 0, "cannot be read: %s", strerror(errno));
    goto out;
  }
  config_parse_file(text, len, file, c->shown[file], &c->sections, &c->faults);
  if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & (S_IRGRP | S_IROTH)) != 0 &&
      (file == AWS_FILE_CREDENTIALS || sections_hold_secrets(c, file)))
    config_fault_add(&c->faults, c->shown[file], 0,
                     "others can read it (mode %04o); it is used all the same. Run: chmod 600 %s",
                     (unsigned)(st.st_mode & 07777), c->shown[file]);
out:
  if (fd >= 0)
    close(fd);
  if (text != NULL) {
    secret_wipe(text, len);
    free(text);
  }
  free(path);
}

static bool profile_listed(const struct aws_config *c, const char *name)
{
  for (size_t i = 0; i < c->profile_count; i++) {
    if (strcmp(c->profiles[i], name) == 0)
      return true;
  }
  return false;
}

/* After both files are parsed: [profile default] takes the place of [default], and the names are listed once. */
static void config_finish(struct aws_config *c)
{
  size_t plain = SIZE_MAX;
  bool prefixed = false;
  for (size_t i = 0; i < c->sections.count; i++) {
    const struct config_section *s = &c->sections.items[i];
    if (s->kind != CONFIG_PROFILE || s->file != AWS_FILE_CONFIG || strcmp(s->name, "default") != 0)
      continue;
    if (s->plain_default)
      plain = i;
    else
      prefixed = true;
  }
  if (plain != SIZE_MAX && prefixed) {
    struct config_section *s = &c->sections.items[plain];
    config_fault_add(&c->faults, c->shown[AWS_FILE_CONFIG], s->line,
                     "[default] is ignored: there is [profile default] too");
    section_fini(s);
    memmove(s, s + 1, (c->sections.count - plain - 1) * sizeof *s);
    c->sections.count--;
  }
  c->profiles = xcalloc(c->sections.count + 1, sizeof *c->profiles);
  for (size_t i = 0; i < c->sections.count; i++) {
    const struct config_section *s = &c->sections.items[i];
    if (s->kind == CONFIG_PROFILE && !profile_listed(c, s->name))
      c->profiles[c->profile_count++] = s->name;
  }
}

struct err aws_config_load(aws_getenv_fn *get, void *user, struct aws_config **out)
{
  struct aws_config *c = config_new(get, user);
  c->from_files = true;
  load_file(c, AWS_FILE_CONFIG, "AWS_CONFIG_FILE", "~/.aws/config");
  load_file(c, AWS_FILE_CREDENTIALS, "AWS_SHARED_CREDENTIALS_FILE", "~/.aws/credentials");
  config_finish(c);
  for (size_t i = 0; i < c->faults.count; i++)
    log_write(LOG_WARN, "%s", c->faults.items[i]);
  *out = c;
  return err_ok();
}

struct err aws_config_parse(const char *config_text, size_t config_len, const char *credentials_text,
                            size_t credentials_len, aws_getenv_fn *get, void *user, struct aws_config **out)
{
  struct aws_config *c = config_new(get, user);
  c->shown[AWS_FILE_CONFIG] = xstrdup("~/.aws/config");
  c->shown[AWS_FILE_CREDENTIALS] = xstrdup("~/.aws/credentials");
  if (config_text != NULL)
    config_parse_file(config_text, config_len, AWS_FILE_CONFIG, c->shown[AWS_FILE_CONFIG], &c->sections, &c->faults);
  if (credentials_text != NULL)
    config_parse_file(credentials_text, credentials_len, AWS_FILE_CREDENTIALS, c->shown[AWS_FILE_CREDENTIALS],
                      &c->sections, &c->faults);
  config_finish(c);
  *out = c;
  return err_ok();
}

struct err aws_config_reload(const struct aws_config *c, struct aws_config **out)
{
  *out = NULL;
  return c->from_files ? aws_config_load(c->get, c->user, out) : err_ok();
}

static const struct config_section *find_section(const struct aws_config *c, enum config_section_kind kind,
                                                 enum aws_config_file file, const char *name)
{
  for (size_t i = 0; name != NULL && i < c->sections.count; i++) {
    const struct config_section *s = &c->sections.items[i];
    if (s->kind == kind && s->file == file && strcmp(s->name, name) == 0)
      return s;
  }
  return NULL;
}

static const char *find_value(const struct config_section *s, const char *parent, const char *key)
{
  for (size_t i = 0; s != NULL && i < s->count; i++) {
    const struct config_entry *e = &s->entries[i];
    bool here = parent == NULL ? e->parent == NULL : e->parent != NULL && strcasecmp(e->parent, parent) == 0;
    if (here && strcasecmp(e->name, key) == 0)
      return secret_empty(&e->value) ? NULL : e->value.bytes;
  }
  return NULL;
}

bool aws_config_has_profile(const struct aws_config *c, const char *profile)
{
  return profile_listed(c, profile);
}

const char *aws_config_get_in(const struct aws_config *c, enum aws_config_file file, const char *profile,
                              const char *key)
{
  return find_value(find_section(c, CONFIG_PROFILE, file, profile), NULL, key);
}

const char *aws_config_get(const struct aws_config *c, const char *profile, const char *key)
{
  const char *value = aws_config_get_in(c, AWS_FILE_CREDENTIALS, profile, key);
  return value != NULL ? value : aws_config_get_in(c, AWS_FILE_CONFIG, profile, key);
}

bool aws_config_flag(const struct aws_config *c, const char *variable, const char *profile, const char *key)
{
  const char *value = variable != NULL ? aws_config_env(c, variable) : NULL;
  if (value == NULL)
    value = aws_config_get(c, profile, key);
  return value != NULL && strcasecmp(value, "true") == 0;
}

const char *aws_config_profile_in_force(const struct aws_config *c, const char *option, const char **from)
{
  static const char *const variables[] = {"AWS_PROFILE", "AWS_DEFAULT_PROFILE"};
  *from = option != NULL ? "--profile or a context" : NULL;
  for (size_t i = 0; option == NULL && i < sizeof variables / sizeof *variables; i++) {
    option = aws_config_env(c, variables[i]);
    *from = option != NULL ? variables[i] : NULL;
  }
  return option != NULL ? option : "default";
}

const char *aws_config_ca_bundle(const struct aws_config *c, const char *option_profile)
{
  const char *from = NULL;
  const char *path = aws_config_env(c, "AWS_CA_BUNDLE");
  return path != NULL ? path : aws_config_get(c, aws_config_profile_in_force(c, option_profile, &from), "ca_bundle");
}

bool aws_config_has_sso_session(const struct aws_config *c, const char *session)
{
  return find_section(c, CONFIG_SSO_SESSION, AWS_FILE_CONFIG, session) != NULL;
}

const char *aws_config_sso_session(const struct aws_config *c, const char *session, const char *key)
{
  return find_value(find_section(c, CONFIG_SSO_SESSION, AWS_FILE_CONFIG, session), NULL, key);
}

const char *aws_config_service(const struct aws_config *c, const char *services, const char *service, const char *key)
{
  return find_value(find_section(c, CONFIG_SERVICES, AWS_FILE_CONFIG, services), service, key);
}

size_t aws_config_profile_count(const struct aws_config *c)
{
  return c->profile_count;
}

const char *aws_config_profile_name(const struct aws_config *c, size_t index)
{
  return index < c->profile_count ? c->profiles[index] : NULL;
}

size_t aws_config_fault_count(const struct aws_config *c)
{
  return c->faults.count;
}

const char *aws_config_fault(const struct aws_config *c, size_t index)
{
  return index < c->faults.count ? c->faults.items[index] : NULL;
}

const char *aws_config_path(const struct aws_config *c)
{
  return c->shown[AWS_FILE_CONFIG];
}

const char *aws_credentials_path(const struct aws_config *c)
{
  return c->shown[AWS_FILE_CREDENTIALS];
}
