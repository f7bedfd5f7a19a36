/* Words of the config file that only other rooms can judge: themes, views, actions and keys, classes of prices. What means nothing is a
 * fault with its line and is left out, so that one wrong word does not keep the screen from opening. */
#include "settings.h"

#include <stdlib.h>
#include <string.h>

#include "model/quota.h"
#include "views/front.h"

static bool is_quota(const char *key)
{
  bool good = false;
  for (int i = 0; i < QUOTA_KIND_COUNT; i++) {
    good = good || strcmp(key, quota_info((enum quota_kind)i)->word) == 0;
  }
  return good;
}

static struct err check(const struct setting *x)
{
  struct err e = err_ok();
  if (strcmp(x->section, "") == 0 && strcmp(x->key, "theme") == 0) {
    e = views_check_theme(x->value);
  } else if (strcmp(x->section, "") == 0 && strcmp(x->key, "view") == 0) {
    e = views_check_view(x->value);
  } else if (strcmp(x->section, "keys") == 0) {
    e = views_check_keys(x->key, x->value);
  } else if (strcmp(x->section, "price") == 0 && !settings_is_price(x->key)) {
    e = err_new(ERR_CONFIG, "'%s' is no price: standard, flex, memory, python, ray, or one of them with _gen2", x->key);
  } else if (strcmp(x->section, "quota") == 0 && !is_quota(x->key)) {
    e = err_new(ERR_CONFIG, "'%s' is no quota: runs, runs_of_job, dpu, flex_dpu, queued_runs", x->key);
  } else if (strcmp(x->section, "notify") == 0 && strcmp(x->key, "osc") == 0 && strcmp(x->value, "9") != 0 &&
             strcmp(x->value, "777") != 0) {
    e = err_new(ERR_CONFIG, "'%s' is no value for osc: 9 or 777", x->value);
  }
  return e;
}

void settings_check(struct settings *s)
{
  size_t kept = 0;
  for (size_t i = 0; i < s->count; i++) {
    struct setting x = s->items[i];
    struct err e = check(&x);
    if (!err_is(&e)) {
      s->items[kept++] = x;
      continue;
    }
    const char *hint = e.detail != NULL ? e.detail->hint : NULL;
    settings_fault(s, x.line, "%s%s%s", err_message(&e), hint != NULL ? "; " : "", hint != NULL ? hint : "");
    free(x.section);
    free(x.name);
    free(x.key);
    free(x.value);
    err_fini(&e);
  }
  s->count = kept;
}
