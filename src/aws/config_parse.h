/* Only for config.c: one file's text into sections and faults. */
#ifndef GLUETOP_AWS_CONFIG_PARSE_H
#define GLUETOP_AWS_CONFIG_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include "aws/config.h"
#include "base/secret.h"

struct config_entry {
  char *parent; /* lower case: the key it is nested below; NULL for a key of the section itself */
  char *name;   /* lower case */
  struct secret value;
  int line;
};

enum config_section_kind { CONFIG_PROFILE, CONFIG_SSO_SESSION, CONFIG_SERVICES, CONFIG_OTHER };

struct config_section {
  enum config_section_kind kind;
  enum aws_config_file file;
  char *name;
  int line;
  bool plain_default; /* [default] of the config file: gives way to [profile default] */
  struct config_entry *entries;
  size_t count, cap;
};

struct config_sections {
  struct config_section *items;
  size_t count, cap;
};

struct config_faults {
  char **items;
  size_t count, cap;
};

/* `shown` is the file's name in faults. */
void config_parse_file(const char *text, size_t len, enum aws_config_file file, const char *shown,
                       struct config_sections *sections, struct config_faults *faults);
/* line 0: of the file as a whole. Only so many are kept. */
void config_fault_add(struct config_faults *faults, const char *shown, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
