#include "tests/faults/login_double.h"

#include <stdio.h>
#include "base/when.h"

static void login_double_keys(struct login *l)
{
  static char key[] = "secret-of-the-double";
  snprintf(l->id, sizeof l->id, "AKIDDOUBLE%d", ++l->keys);
  l->credentials = (struct credentials){
      .access_key_id = l->id, .secret_access_key = {.bytes = key, .len = sizeof key - 1}, .expires_ms = WHEN_NONE};
}

void login_double_init(struct login *l, enum login_state state)
{
  *l = (struct login){.state = state, .next_ms = WHEN_NONE};
  login_double_keys(l);
  l->err = err_ok();
}

void login_double_fini(struct login *l)
{
  err_fini(&l->err);
}

enum login_state login_turn(struct login *l)
{
  return l->state;
}

int64_t login_next_turn_ms(const struct login *l)
{
  return l->next_ms;
}

const struct credentials *login_credentials(const struct login *l)
{
  return l->state == LOGIN_READY ? &l->credentials : NULL;
}

const struct err *login_error(const struct login *l)
{
  return &l->err;
}

void login_invalidate(struct login *l, const struct credentials *used)
{
  l->invalidated++;
  snprintf(l->used, sizeof l->used, "%s", used != NULL ? used->access_key_id : "");
  if (l->invalidated == l->dead_after) {
    l->state = LOGIN_FAILED;
    l->err = err_new(ERR_EXPIRED, "the session has ended");
    return;
  }
  login_double_keys(l);
}

const char *login_where(const struct login *l)
{
  (void)l;
  return "a double";
}
