/* The gzip wrapping without the compression: stored blocks, which every reader of Content-Encoding: gzip must take. */
#ifndef GLUETOP_SIM_GZIP_H
#define GLUETOP_SIM_GZIP_H

#include "base/buf.h"

void sim_gzip(struct buf *body); /* replaces the bytes by their gzip form (RFC 1951, 1952) */

#endif
