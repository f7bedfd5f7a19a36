/* Text that holds secrets for a moment: bodies of requests, answers, files. Wiped whenever it moves or ends. */
#ifndef GLUETOP_AWS_SECRET_TEXT_H
#define GLUETOP_AWS_SECRET_TEXT_H

#include <stddef.h>
#include "base/err.h"
#include "base/secret.h"

struct cJSON;

/* A growing text. struct buf would leave copies behind when it grows. */
struct secret_text {
  char *data; /* NUL-terminated; NULL until the first write */
  size_t len, cap;
};
void secret_text_add(struct secret_text *t, const char *bytes, size_t len);
void secret_text_adds(struct secret_text *t, const char *s);
/* name=value of a form, with & before all but the first; value NULL adds nothing. */
void secret_text_form(struct secret_text *t, const char *name, const char *value);
/* "value" with escapes, as JSON. */
void secret_text_json(struct secret_text *t, const char *value);
/* "name":"value", with a comma before all but the first after '{'; value NULL adds nothing. */
void secret_text_member(struct secret_text *t, const char *name, const char *value);
void secret_text_fini(struct secret_text *t);

/* cJSON trees whose strings are wiped before they go. NULL: not JSON, or something behind it. */
struct cJSON *secret_json_parse(const char *text, size_t len);
void secret_json_free(struct cJSON *tree);

/* A whole file of at most max bytes. ERR_NOT_FOUND when it is not there, ERR_IO for the rest; both name the path. */
struct err secret_file_read(const char *path, size_t max, struct secret *out) ERR_MUST_CHECK;
/* Write beside it (mode 0600) and rename: readers see the old or the new one. make_folders: also the folders above it (mode 0700). */
struct err secret_file_write(const char *path, const char *bytes, size_t len, bool make_folders) ERR_MUST_CHECK;

#endif
