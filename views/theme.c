#include "views/theme.h"

#include <stddef.h>
#include <string.h>

enum { BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE, GREY };
#define OWN (-1)

struct entry {
  const char *name;
  short fg8, fg16, fg256;
  bool bold, dim, reverse, underline; /* at every depth */
  bool dim_few;                       /* dim where there is no grey to be had: 0 and 8 colours */
};

/* clang-format off */
/* Background stays the terminal's own everywhere: a background of ours is what makes text vanish in somebody else's palette. */
static const struct entry dark[ROLE_COUNT] = {
    [ROLE_TEXT] = {"text", OWN, OWN, OWN, false, false, false, false, false},
    [ROLE_DIM] = {"dim", OWN, GREY, 245, false, false, false, false, true},
    [ROLE_ACCENT] = {"accent", CYAN, CYAN, 74, false, false, false, false, false},
    [ROLE_GOOD] = {"good", GREEN, GREEN, 71, false, false, false, false, false},
    [ROLE_WARN] = {"warn", YELLOW, YELLOW, 179, true, false, false, false, false},
    [ROLE_BAD] = {"bad", RED, RED + 8, 203, true, false, false, false, false},
    [ROLE_RUNNING] = {"running", CYAN, CYAN + 8, 80, false, false, false, false, false},
    [ROLE_MONEY] = {"money", OWN, OWN, OWN, false, false, false, false, false},
    [ROLE_SELECTED] = {"selected", OWN, OWN, OWN, false, false, true, false, false},
    [ROLE_CONTEXT] = {"context", OWN, OWN, OWN, true, false, false, false, false},
    [ROLE_HEADING] = {"heading", OWN, OWN, 250, true, false, false, false, false},
    [ROLE_FRAME] = {"frame", OWN, GREY, 240, false, false, false, false, true},
    [ROLE_KEY] = {"key", CYAN, CYAN, 74, true, false, false, false, false},
    [ROLE_DANGER] = {"danger", RED, RED + 8, 203, true, false, false, false, false},
    [ROLE_MATCH] = {"match", YELLOW, YELLOW, 179, false, false, false, true, false},
};

/* On a light background yellow and light cyan cannot be read; darker neighbours stand in. */
static const struct entry light[ROLE_COUNT] = {
    [ROLE_TEXT] = {"text", OWN, OWN, OWN, false, false, false, false, false},
    [ROLE_DIM] = {"dim", OWN, GREY, 243, false, false, false, false, true},
    [ROLE_ACCENT] = {"accent", BLUE, BLUE, 25, false, false, false, false, false},
    [ROLE_GOOD] = {"good", GREEN, GREEN, 28, false, false, false, false, false},
    [ROLE_WARN] = {"warn", MAGENTA, MAGENTA, 130, true, false, false, false, false},
    [ROLE_BAD] = {"bad", RED, RED, 160, true, false, false, false, false},
    [ROLE_RUNNING] = {"running", BLUE, BLUE, 26, false, false, false, false, false},
    [ROLE_MONEY] = {"money", OWN, OWN, OWN, false, false, false, false, false},
    [ROLE_SELECTED] = {"selected", OWN, OWN, OWN, false, false, true, false, false},
    [ROLE_CONTEXT] = {"context", OWN, OWN, OWN, true, false, false, false, false},
    [ROLE_HEADING] = {"heading", OWN, OWN, 238, true, false, false, false, false},
    [ROLE_FRAME] = {"frame", OWN, GREY, 250, false, false, false, false, true},
    [ROLE_KEY] = {"key", BLUE, BLUE, 25, true, false, false, false, false},
    [ROLE_DANGER] = {"danger", RED, RED, 160, true, false, false, false, false},
    [ROLE_MATCH] = {"match", MAGENTA, MAGENTA, 130, false, false, false, true, false},
};

/* clang-format on */

static const struct entry *chosen = dark;
static bool mono;

bool theme_choose(const char *name)
{
  bool known = true;
  if (name == NULL || strcmp(name, "default") == 0 || strcmp(name, "dark") == 0) {
    chosen = dark;
    mono = false;
  } else if (strcmp(name, "light") == 0) {
    chosen = light;
    mono = false;
  } else if (strcmp(name, "mono") == 0) {
    mono = true;
  } else {
    known = false;
  }
  return known;
}

bool theme_known(const char *name)
{
  static const char *const names[] = {"default", "dark", "light", "mono"};
  bool known = false;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    known = known || strcmp(name, names[i]) == 0;
  }
  return known;
}

const char *theme_role_name(enum role r)
{
  return r < ROLE_COUNT ? dark[r].name : "?";
}

struct look theme_look(unsigned style, enum colour_depth depth)
{
  unsigned role = style & STYLE_ROLE;
  const struct entry *e = &chosen[role < ROLE_COUNT ? role : ROLE_TEXT];
  struct look look = {.fg = OWN, .bg = OWN};
  if (mono) {
    depth = COLOURS_NONE;
  }
  switch (depth) {
  case COLOURS_8:
    look.fg = e->fg8;
    break;
  case COLOURS_16:
    look.fg = e->fg16;
    break;
  case COLOURS_256:
    look.fg = e->fg256;
    break;
  case COLOURS_NONE:
    break;
  }
  look.bold = e->bold || (style & STYLE_BOLD) != 0;
  look.dim = e->dim || (e->dim_few && depth <= COLOURS_8);
  look.reverse = e->reverse != ((style & STYLE_REVERSE) != 0);
  look.underline = e->underline || (style & STYLE_UNDERLINE) != 0;
  return look;
}
