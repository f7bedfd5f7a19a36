/* The demo account as data: a retail company's data platform, its jobs, its schedules, its troubles. Times in seconds
 * relative to the present at start, so that the story is the same whenever it is told. */
#ifndef GLUETOP_SIM_STORY_H
#define GLUETOP_SIM_STORY_H

#include "sim/account.h"

#define STORY_MINUTE 60
#define STORY_HOUR   3600
#define STORY_DAY    86400

#define STORY_NO_TIMEOUT (-1) /* Timeout 0 */

struct story_job {
  const char *name, *description, *team;
  const char *command;   /* NULL: glueetl */
  const char *version;   /* NULL: none (Python shell) */
  const char *worker;    /* NULL: capacity */
  const char *bookmark;  /* enable, disable, pause; NULL: not told */
  const char *mode;      /* NULL: SCRIPT */
  const char *script;    /* NULL: s3://nordkap-etl-code/TEAM/NAME.py */
  const char *arguments; /* "--key=value" lines */
  const char *fixed;     /* the same, NonOverridableArguments */
  const char *connection, *security, *window;
  const struct sim_deviation *deviations;
  size_t deviation_count;
  double capacity; /* Python shell */
  struct sim_behaviour behaviour;
  int workers;
  int timeout; /* minutes; 0: not set */
  int concurrent, retries, notify;
  bool queuing, flex, scaling;
};
#define STORY_DEVIATIONS(list) .deviations = (list), .deviation_count = sizeof(list) / sizeof((list)[0])

struct story_trigger {
  const char *name;
  const char *starts; /* job names, blanks between */
  /* Of scheduled ones. @M and @H stand for minute and hour of start + offset_s, @15 and @30 for that minute modulo. */
  const char *schedule;
  const char *on;    /* of conditional ones: "job=STATE" with blanks between */
  const char *state; /* NULL: ACTIVATED */
  const char *type;  /* NULL: by schedule and on */
  const char *description;
  const char *arguments;
  const char *workflow;
  int offset_s;
  int off_s; /* somebody switched it off then; 0: nobody */
  int timeout;
  bool any;
};

struct story_call {
  const char *job;
  int first_s, every_s, last_s; /* every_s 0: once */
  int run_s;                    /* 0: as the job behaves */
};

extern const struct story_job story_shop[], story_platform[];
extern const size_t story_shop_count, story_platform_count;
extern const struct story_trigger story_triggers[];
extern const size_t story_trigger_count;
extern const struct story_call story_calls[];
extern const size_t story_call_count;
/* The graph of a visual job, as JSON. */
extern const char story_visual_nodes[];

#endif
