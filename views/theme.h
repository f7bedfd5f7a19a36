/* Roles, and what they look like. One table maps a role to the attributes of each colour depth (0, 8, 16, 256 colours); everything
 * must read without colour, so no view may tell something by a role alone. */
#ifndef GLUETOP_VIEWS_THEME_H
#define GLUETOP_VIEWS_THEME_H

#include <stdbool.h>

enum role {
  ROLE_TEXT,
  ROLE_DIM,
  ROLE_ACCENT,
  ROLE_GOOD,
  ROLE_WARN,
  ROLE_BAD,
  ROLE_RUNNING,
  ROLE_MONEY,
  ROLE_SELECTED, /* the name under the cursor */
  ROLE_CONTEXT,  /* account, Region, label */
  ROLE_HEADING,  /* column titles, section titles */
  ROLE_FRAME,    /* lines and boxes */
  ROLE_KEY,      /* a key in footer and help */
  ROLE_DANGER,   /* what changes AWS */
  ROLE_MATCH,    /* what the search found */
  ROLE_COUNT
};

/* A style is a role and marks on top of it: ROLE_BAD | STYLE_BOLD. */
#define STYLE_ROLE      0x1fu
#define STYLE_BOLD      0x20u
#define STYLE_REVERSE   0x40u
#define STYLE_UNDERLINE 0x80u

enum colour_depth { COLOURS_NONE, COLOURS_8, COLOURS_16, COLOURS_256 };

struct look {
  short fg, bg; /* colour numbers; -1: the terminal's own */
  bool bold, dim, reverse, underline;
};

/* The look of a style at that depth. */
struct look theme_look(unsigned style, enum colour_depth depth);
const char *theme_role_name(enum role r);
/* False: no theme of that name. Themes: "default", "light" (for light backgrounds), "mono". */
bool theme_choose(const char *name);
bool theme_known(const char *name);

#endif
