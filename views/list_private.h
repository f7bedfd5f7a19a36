/* What list.c and list_draw.c share. */
#ifndef GLUETOP_VIEWS_LIST_PRIVATE_H
#define GLUETOP_VIEWS_LIST_PRIVATE_H

#include "views/list.h"

/* Filter and sort anew, and put the cursor where its row went. */
void list_refilter(struct list *l);

#endif
