/* A whole answer of the service (GetJob, GetJobRun) as lines of a text: every member that it gave, those that we do not know included, and the
 * values of arguments masked. */
#ifndef GLUETOP_VIEWS_ANSWER_H
#define GLUETOP_VIEWS_ANSWER_H

#include "base/when.h"
#include "model/model.h"
#include "views/doc.h"

/* Index of the first member of that name near the root (the answer may be wrapped once); -1. */
long answer_find(const struct doc *d, const char *name);
/* The members of an object whose values are strings, as arguments: one field each. Returns how many. */
size_t answer_add_arguments(struct doc_text *out, const struct doc *d, const char *name);
/* Every member but those in skip (ends with NULL). Numbers of members that are times get the time as well. */
void answer_add_all(struct doc_text *out, const struct doc *d, const char *const *skip, enum when_zone zone);
/* "read 14:03", "reading…", "could not be read: …" as a dim line. */
void answer_add_freshness(struct doc_text *out, const struct doc_holder *holder, const struct freshness *fresh,
                          int64_t now_ms);
/* Pretty JSON, masked. */
void answer_add_json(struct doc_text *out, const struct doc *d);

#endif
