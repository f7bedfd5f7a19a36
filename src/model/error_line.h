/* The telling line of a run's error. ErrorMessage often begins with a wrapper ("An error occurred while calling o97.getDynamicFrame.") while
 * the cause stands in its last "Caused by:". Lists have room for one line: it is the cause. Detail views show the whole text. */
#ifndef GLUETOP_MODEL_ERROR_LINE_H
#define GLUETOP_MODEL_ERROR_LINE_H

#include "base/buf.h"

/* Appends one line of the text, not cleaned, and " ..." when there is more than this line to read. error may be NULL: nothing is appended. */
void error_line(struct buf *out, const char *error);

#endif
