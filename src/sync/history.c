#include "sync/history.h"

#include <stdlib.h>
#include "base/xalloc.h"
#include "sync/history_private.h"

struct history *history_open(const char *path)
{
  struct history *h = xcalloc(1, sizeof *h);
  buf_init(&h->block, BLOCK_BYTES_MAX);
  if (path == NULL)
    return h;
  bool read_only = false;
  h->trouble = store_open(path, &h->store, &read_only);
  h->writable = h->store != NULL && !read_only;
  if (h->store != NULL && read_only) {
    h->trouble = err_new(ERR_IO, "the store %s can only be read: what is read now is not kept", path);
    err_set_hint(&h->trouble, "check its owner and mode, and the disk");
  }
  return h;
}

void history_forget_place(struct history_place *hp)
{
  for (size_t i = 0; i < hp->job_count; i++)
    free(hp->jobs[i].blocks);
  free(hp->jobs);
  *hp = (struct history_place){0};
}

void history_close(struct history *h)
{
  if (h == NULL)
    return;
  for (size_t i = 0; i < h->place_count; i++)
    history_forget_place(&h->places[i]);
  free(h->places);
  free(h->string_of);
  free(h->stored_of);
  free(h->scratch);
  buf_fini(&h->block);
  err_fini(&h->trouble);
  store_close(h->store);
  free(h);
}

struct err history_trouble(struct history *h)
{
  struct err e = h->trouble;
  h->trouble = err_ok();
  return e;
}

void history_failed(struct history *h, const char *what)
{
  h->writable = false;
  if (err_is(&h->trouble))
    return;
  h->trouble = err_new(ERR_IO, "the store %s: %s", what, store_why(h->store));
  err_set_hint(&h->trouble, "gluetop goes on without it; nothing that was in it is lost");
}

bool history_login(struct history *h, const char *key, char **account, char **arn)
{
  *account = *arn = NULL;
  if (h->store == NULL)
    return false;
  struct buf a, b;
  buf_init(&a, 200);
  buf_init(&b, 4000);
  bool found = store_login_get(h->store, key, &a, &b) == STORE_OK;
  if (found) {
    *account = buf_take(&a);
    *arn = buf_take(&b);
  }
  buf_fini(&a);
  buf_fini(&b);
  return found;
}

void history_remember_login(struct history *h, const char *key, const char *account, const char *arn)
{
  if (!h->writable)
    return;
  if (store_login_put(h->store, key, account, arn) == STORE_FAILED) /* busy: the next start will ask STS first */
    history_failed(h, "could not be written");
}

struct history_place *history_place(struct history *h, const struct model *m, int place)
{
  if ((size_t)place >= h->place_count) {
    size_t count = (size_t)place + 1;
    h->places = xreallocarray(h->places, count, sizeof *h->places);
    for (; h->place_count < count; h->place_count++)
      h->places[h->place_count] = (struct history_place){0};
  }
  struct history_place *hp = &h->places[place];
  if (hp->known && hp->epoch != m->places[place].epoch)
    history_forget_place(hp);
  return hp;
}

struct history_job *history_job(struct history_place *hp, const struct model *m, int place, size_t index)
{
  size_t count = m->places[place].job_count;
  if (hp->job_count < count) {
    hp->jobs = xgrow(hp->jobs, &hp->job_cap, count, sizeof *hp->jobs);
    for (; hp->job_count < count; hp->job_count++)
      hp->jobs[hp->job_count] = (struct history_job){0};
  }
  return &hp->jobs[index];
}

bool history_is_painting(const struct history *h)
{
  for (size_t i = 0; i < h->place_count; i++)
    if (h->places[i].painting)
      return true;
  return false;
}

struct history_figures history_figures(const struct history *h)
{
  struct history_figures f = h->figures;
  f.usable = h->store != NULL;
  f.writable = h->writable;
  return f;
}
