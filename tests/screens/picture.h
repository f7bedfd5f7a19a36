/* A screen as a picture: SVG by ourselves, PNG through rsvg-convert where that is installed. */
#ifndef GLUETOP_TESTS_PICTURE_H
#define GLUETOP_TESTS_PICTURE_H

#include <stdbool.h>

#include "screens/vt.h"

/* Writes PATH.svg and perhaps PATH.png. The same screen gives the same bytes: files that would not change are left alone. */
bool picture_write(const struct vt *vt, const char *path);

#endif
