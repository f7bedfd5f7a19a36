/* A server that does what a script says, for the faults that a real one has only on bad days. One thread, one poll; it never sleeps. It
 * takes whole requests in order of arrival, over all connections, and meets each with the next step. */
#ifndef GLUETOP_TESTS_FAULTS_SERVER_H
#define GLUETOP_TESTS_FAULTS_SERVER_H

#include <stddef.h>

enum step_kind {
  STEP_ANSWER,       /* and keep the connection */
  STEP_ANSWER_CLOSE, /* and close it, having said so */
  STEP_CLOSE,        /* no answer */
  STEP_RESET,        /* no answer, RST */
  STEP_HANG,         /* no answer, connection kept open */
  STEP_CUT,          /* the first `cut` bytes of the answer, then close */
  STEP_CUT_HANG,     /* the first `cut` bytes, then one more with every server_poke */
  STEP_RAW,          /* `body` as it is, then close */
  STEP_ENDLESS       /* a chunked answer that never ends */
};
struct step {
  enum step_kind kind;
  int status;          /* 0: 200 */
  const char *headers; /* whole lines with CR LF; or NULL */
  const char *body;    /* or NULL for "{}" */
  size_t body_len;     /* 0: of the string */
  size_t cut;
};

struct server;
/* The steps are used, not copied. Requests beyond them are met with 599. */
struct server *server_new(const struct step *steps, size_t count);
void server_free(struct server *s);
const char *server_url(const struct server *s);  /* http://127.0.0.1:PORT */
const char *server_host(const struct server *s); /* 127.0.0.1:PORT */
int server_event_fd(const struct server *s);     /* readable after each request; 'H' where the answer hangs, else '.' */
void server_poke(struct server *s);
size_t server_connections(struct server *s);
size_t server_request_count(struct server *s);
/* Head and body as they came, and on which connection (from 1). Valid until server_free. */
const char *server_request(struct server *s, size_t index, size_t *connection);

#endif
