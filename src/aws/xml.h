/* Answers of the query protocol (STS), read with expat: a handful of texts by path, nothing more. A document type declaration
 * ends the reading, so there are no entities to expand. */
#ifndef GLUETOP_AWS_XML_H
#define GLUETOP_AWS_XML_H

#include <stddef.h>
#include "base/err.h"

struct xml_want {
  const char *path; /* last parts of the element's path, "Error/Code"; prefixes of names are ignored */
  char *text; /* malloced, blanks around trimmed; NULL when the document has no such element. The first one wins. */
};
/* Errors are ERR_PARSE with line and reason; texts read before the fault are kept. Free with xml_wants_fini either way. */
struct err xml_read(const char *text, size_t len, struct xml_want *wants, size_t count) ERR_MUST_CHECK;
void xml_wants_fini(struct xml_want *wants, size_t count);
void xml_wants_wipe(struct xml_want *wants, size_t count); /* the same for answers that hold secrets */

#endif
