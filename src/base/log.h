/* The log file (--log-file, -v). Lines are cleaned with text_clean; the caller never passes secrets (there is no format for
 * struct secret). Without a log file nothing is written: the screen belongs to the views. */
#ifndef GLUETOP_BASE_LOG_H
#define GLUETOP_BASE_LOG_H

#include "base/err.h"

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

struct err log_open(const char *path, enum log_level level) ERR_MUST_CHECK; /* mode 0600, appended */
void log_to_stderr(enum log_level level);                                   /* commands with -v */
void log_close(void);
bool log_enabled(enum log_level level);
void log_write(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
