/* The commands of the palette, for help. */
#ifndef GLUETOP_VIEWS_COMMANDS_H
#define GLUETOP_VIEWS_COMMANDS_H

enum command_arg { ARG_NONE, ARG_JOB, ARG_COLUMN, ARG_SPAN, ARG_CONTEXT, ARG_CHOICE, ARG_REGION };

void commands_visit(void (*fn)(void *user, const char *word, const char *about), void *user);

#endif
