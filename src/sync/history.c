#include "sync/history.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/xalloc.h"
#include "sync/history_private.h"

void history_tell(struct history *h, struct err take)
{
  if (!err_is(&take))
    return;
  h->troubles = xreallocarray(h->troubles, h->trouble_count + 1, sizeof *h->troubles);
  h->troubles[h->trouble_count++] = take;
}

static struct store *open_file(struct history *h, const char *path, bool *writable)
{
  struct store *s = NULL;
  bool read_only = false;
  history_tell(h, store_open(path, &s, &read_only));
  *writable = s != NULL && !read_only;
  if (s != NULL && read_only) {
    struct err e = err_new(ERR_IO, "the store %s can only be read: what is read now is not kept", path);
    err_set_hint(&e, "check its owner and mode, and the disk");
    history_tell(h, e);
  }
  return s;
}

struct history *history_open(const char *folder)
{
  struct history *h = xcalloc(1, sizeof *h);
  struct stat st;
  if (folder == NULL)
    return h;
  if (stat(folder, &st) == 0 && !S_ISDIR(st.st_mode)) {
    struct err e = err_new(ERR_IO, "cannot keep a store in %s: it is no folder", folder);
    err_set_hint(&e, "each place has a file of its own in it; gluetop works without");
    history_tell(h, e);
    return h;
  }
  h->folder = xstrdup(folder);
  char *path = store_logins_path(folder);
  h->logins = open_file(h, path, &h->logins_writable);
  if (h->logins_writable)
    history_tell(h, store_carry_logins(folder, path));
  free(path);
  return h;
}

static void history_forget_place(struct history_place *hp)
{
  for (size_t i = 0; i < hp->job_count; i++)
    free(hp->jobs[i].blocks);
  free(hp->jobs);
  free(hp->string_of);
  free(hp->stored_of);
  free(hp->path);
  store_close(hp->store);
  *hp = (struct history_place){0};
}

void history_close(struct history *h)
{
  if (h == NULL)
    return;
  for (size_t i = 0; i < h->place_count; i++)
    history_forget_place(&h->places[i]);
  free(h->places);
  for (size_t i = 0; i < h->trouble_count; i++)
    err_fini(&h->troubles[i]);
  free(h->troubles);
  store_close(h->logins);
  free(h->folder);
  free(h);
}

struct err history_trouble(struct history *h)
{
  if (h->trouble_count == 0)
    return err_ok();
  struct err e = h->troubles[0];
  h->trouble_count--;
  memmove(h->troubles, h->troubles + 1, h->trouble_count * sizeof *h->troubles);
  return e;
}

static struct err failure(const char *path, const struct store *s, const char *what)
{
  struct err e = err_new(ERR_IO, "the store %s %s: %s", path, what, store_why(s));
  err_set_hint(&e, "gluetop goes on without it; nothing that was in it is lost");
  return e;
}

void history_failed(struct history *h, struct history_place *hp, const char *what)
{
  if (hp->writable)
    history_tell(h, failure(hp->path, hp->store, what));
  hp->writable = false;
}

bool history_login(struct history *h, const char *key, char **account, char **arn)
{
  *account = *arn = NULL;
  if (h->logins == NULL)
    return false;
  struct buf a, b;
  buf_init(&a, 200);
  buf_init(&b, 4000);
  bool found = store_login_get(h->logins, key, &a, &b) == STORE_OK;
  if (found) {
    *account = buf_take(&a);
    *arn = buf_take(&b);
  }
  buf_fini(&a);
  buf_fini(&b);
  return found;
}

static void logins_failed(struct history *h)
{
  char *path = store_logins_path(h->folder);
  history_tell(h, failure(path, h->logins, "could not be written"));
  free(path);
  h->logins_writable = false;
}

void history_remember_login(struct history *h, const char *key, const char *account, const char *arn)
{
  if (!h->logins_writable)
    return;
  if (store_login_put(h->logins, key, account, arn) != STORE_FAILED) /* busy: the next start will ask STS first */
    return;
  logins_failed(h);
}

/* The file of the place whose account is known now. */
static void place_open(struct history *h, const struct model *m, int place, struct history_place *hp)
{
  const struct place *p = &m->places[place];
  struct store_place_key key = {
      .partition = p->partition, .account = p->account, .region = p->region, .endpoint = p->endpoint};
  hp->known = true;
  hp->epoch = p->epoch;
  hp->path = store_place_path(h->folder, &key);
  hp->store = open_file(h, hp->path, &hp->writable);
  if (hp->store == NULL || !hp->writable)
    return;
  struct err e = store_carry_place(h->folder, hp->path, &key);
  if (err_is(&e)) {
    /* What is written now would stand in the way of what is to be carried over later. */
    store_close(hp->store);
    hp->store = NULL;
    hp->writable = false;
  }
  history_tell(h, e);
}

bool history_begin(struct history *h, const struct model *m, int place)
{
  struct history_place *hp = history_place(h, m, place);
  if (h->folder == NULL || hp->known || m->places[place].account[0] == '\0')
    return false;
  place_open(h, m, place, hp);
  return hp->store != NULL;
}

bool history_daily(struct history *h, const char *key, struct buf *out)
{
  return h->logins != NULL && store_daily_get(h->logins, key, out) == STORE_OK && !out->overflow;
}

void history_remember_daily(struct history *h, const char *key, const struct buf *data)
{
  if (!h->logins_writable || data->overflow)
    return;
  if (store_daily_put(h->logins, key, data) == STORE_FAILED) /* busy: the next start will ask again */
    logins_failed(h);
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
  f.usable = f.writable = false;
  for (size_t i = 0; i < h->place_count; i++) {
    f.usable = f.usable || h->places[i].store != NULL;
    f.writable = f.writable || h->places[i].writable;
  }
  return f;
}
