/* STS's answer to "who am I". */
#include "aws/sts.h"

#include "aws/xml.h"

struct err sts_decode_identity(const char *text, size_t len, struct arena *arena, struct identity *out)
{
  enum { ACCOUNT, ARN, USER_ID, WANTS };
  struct xml_want wants[WANTS] = {[ACCOUNT] = {.path = "GetCallerIdentityResult/Account"},
                                  [ARN] = {.path = "GetCallerIdentityResult/Arn"},
                                  [USER_ID] = {.path = "GetCallerIdentityResult/UserId"}};
  *out = (struct identity){.account = NULL};
  struct err e = xml_read(text, len, wants, WANTS);
  if (!err_is(&e)) {
    out->account = arena_strdup(arena, wants[ACCOUNT].text);
    out->arn = arena_strdup(arena, wants[ARN].text);
    out->user_id = arena_strdup(arena, wants[USER_ID].text);
    if (out->account == NULL || out->account[0] == '\0')
      e = err_new(ERR_PARSE, "the answer names no account");
  }
  xml_wants_fini(wants, WANTS);
  return e;
}
