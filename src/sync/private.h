/* The poller's books. For this folder only. */
#ifndef GLUETOP_SYNC_PRIVATE_H
#define GLUETOP_SYNC_PRIVATE_H

#include "sync/poller.h"

/* One paged reading of one list. */
struct reading {
  bool active;
  char *token; /* of the next page; NULL: the first */
  int pages;
  int64_t began_wall_ms;
  uint64_t *seen; /* hashes of the tokens so far */
  size_t seen_count, seen_cap;
  /* runs */
  int64_t newest_ms, last_oldest_ms; /* WHEN_NONE: none yet */
  int64_t known_newest_ms;           /* the newest run that an earlier reading reached; WHEN_NONE: none */
  int64_t known_from_ms;             /* how deep history is known from there without a hole */
  bool unordered;
  bool left_out; /* a page held rows that nothing could be made of */
};
void reading_begin(struct reading *r, int64_t wall_ms);
void reading_end(struct reading *r);
/* Takes the next token. False: it came before in this reading. */
bool reading_go_on(struct reading *r, const char *token);

/* Anything that is asked again and again. */
struct resource {
  bool in_flight;
  bool answered;            /* since the start or the last refresh by hand: well, or given up */
  bool failed;              /* the last try was given up */
  bool cut;                 /* the last reading ended early: by the page budget or a repeated token */
  bool resumed;             /* the reading's present page was tried before */
  unsigned failures;        /* in a row */
  int64_t sent_mono_ms;     /* when the last ask left */
  int64_t failing_since_ms; /* mono, when the first of these left */
  int64_t due_mono_ms;      /* not before; INT64_MIN: at once */
  int64_t read_mono_ms;     /* when the last good reading ended; INT64_MIN: never */
  int64_t asked_mono_ms;    /* since when somebody waits for the first answer; INT64_MIN: nobody */
  struct reading reading;
};
void resource_init(struct resource *r);
void resource_fini(struct resource *r);
void resource_again(struct resource *r); /* refresh by hand */

#define STRAGGLERS_MAX 16

struct job_poll {
  struct resource runs;
  int64_t
      sleep_mono_ms;    /* nothing of this job is due before, unless one of the next two has changed; INT64_MIN: look */
  uint64_t sleep_key;   /* what of the model the decision hung on */
  uint64_t sleep_wants; /* poller.wants_hash */
  uint64_t
      read_generation; /* of the job's runs, when its history was found to be read down to read_goal_ms; 0: not yet */
  uint64_t
      settled_generation; /* of the job's runs, when all of them were found to be settled, which they stay; 0: not yet */
  int64_t read_goal_ms;
  struct resource *doc; /* WANT_JOB; made when first wanted */
  uint64_t doc_wanted_tick;
  uint64_t wanted_tick; /* the tick whose wants named this job itself */
  int64_t wanted_since_ms, wanted_until_ms;
  bool on_screen; /* of that tick */
  int64_t watch_until_mono_ms;
  int64_t schedule_next_ms; /* wall: the next start that its triggers plan; WHEN_NONE: none */
  int64_t schedule_due_ms;  /* wall: a planned start that has come and has not shown yet; WHEN_NONE */
  int64_t batch_began_ms;   /* of the names reading for which its definition was asked; WHEN_NONE */
  uint8_t batch_max;        /* of the batch it may be part of: one bad name fails all of it; 0: GetJob, by itself */
  bool look_for_stragglers;
  strid stragglers[STRAGGLERS_MAX]; /* live runs that the last reading did not reach */
  size_t straggler_count;
  bool straggler_in_flight;
};

enum list_mode { LIST_FULL, LIST_NAMES, LIST_NONE };

struct place_poll {
  uint32_t epoch;
  struct budget budget;
  enum list_mode mode;
  bool names_for_trouble; /* LIST_NAMES since GetJobs fails, not since it is refused */
  struct resource list;   /* GetJobs or ListJobs, by mode */
  struct resource triggers;
  struct job_poll *jobs;
  size_t job_count, job_cap;
  unsigned batches_in_flight;                          /* BatchGetJobs, and GetJob where that fails */
  unsigned batches_failed;                             /* definitions that were given up, since the names were read */
  unsigned batches_good, singles_good, split_failures; /* since then as well */
  bool batch_refused;                                  /* BatchGetJobs is not for us: GetJob of each */
  bool definitions_refused;                            /* nor is GetJob: names alone, until they are read again */
  int64_t batch_due_mono_ms;
  int64_t batch_throttled_mono_ms; /* since when every batch was refused for the rate; INT64_MIN: not */
  uint64_t timetable_key;          /* the triggers it was made from */
  int64_t timetable_next_ms;
  int64_t names_began_ms; /* of the present or last names reading; WHEN_NONE: none */
  bool names_read;        /* ... which has ended */
  /* of the present tick */
  bool want_jobs, want_triggers, want_all_runs;
  bool jobs_on_screen, triggers_on_screen, runs_on_screen;
  int64_t since_ms, until_ms;
  int context;          /* who asks; -1: no login is ready */
  bool hope;            /* a login may become ready */
  int64_t gate_mono_ms; /* nothing but the identity is asked before; INT64_MIN: no gate */
  int64_t balanced_mono_ms;
  uint64_t balanced_wants; /* poller.wants_hash of then */
  double rest_stretch, live_stretch;
  unsigned in_flight;
  /* Between two answers nothing becomes due but by time: with thousands of jobs, to look at each of them in every turn of the loop would be
   * most of what an idle program does. */
  struct {
    bool asleep;         /* no job, list or document had anything to ask; and what follows is as it was then */
    uint64_t generation; /* of the model */
    uint64_t wants;      /* poller.wants_hash */
    int64_t until_mono_ms;
  } nap;
  struct {
    bool known; /* everything that somebody waits for was answered, and what follows is as it was then */
    uint64_t generation, wants;
  } quiet;
};

struct run_poll {
  int place;
  uint32_t place_epoch;
  strid job, run_id;
  uint64_t wanted_tick;
  bool on_screen;
  struct resource doc;
};

struct poller {
  struct poller_options options;
  uint64_t tick, last_id;
  uint64_t wants_hash; /* of the present wants, and of who looks */
  struct identity_poll {
    struct resource resource;
    uint32_t epoch;
    uint64_t wanted_tick;
    int64_t gate_mono_ms; /* a remembered account is not read before STS agrees, or until then; INT64_MIN: not set */
  } * identities;
  size_t context_count;
  struct place_poll *places;
  size_t place_count;
  struct run_poll *runs;
  size_t run_count, run_cap;
  unsigned in_flight;
  int64_t next_ms;
  int64_t last_wall_ms, last_mono_ms; /* to notice a suspend */
  int64_t slept_ms;                   /* time that passed though the monotonic clock stood still */
};

/* books.c */
/* The books of the place are changed otherwise than by time: whatever was concluded from them must be found out anew. */
void place_poll_changed(struct place_poll *pp);
void poller_sync(struct poller *p, const struct model *m, const struct wants *w, const struct poller_now *now);
struct run_poll *poller_run_doc(struct poller *p, int place, uint32_t place_epoch, strid job, strid run_id, bool make);
struct job_poll *poller_job(struct poller *p, const struct model *m, int place,
                            strid job); /* NULL when unknown; awake */
bool place_batch_pending(const struct place_poll *pp, const struct model *m, int place, int64_t wall_ms);
/* Its definition is to be asked, since GetJobs does not give it; by BatchGetJobs or, if job_asked_alone, by GetJob. */
bool job_asked_alone(const struct place_poll *pp, const struct job_poll *jp);
bool job_needs_batch(const struct place_poll *pp, const struct job *j, const struct job_poll *jp, int64_t wall_ms);
/* now, with the monotonic time that a suspend swallowed added */
struct poller_now poller_time(struct poller *p, const struct poller_now *now);

/* rhythm.c: how long after a reading the next is due. */
int64_t rhythm_runs_ms(const struct poller *p, const struct place_poll *pp, const struct job *j, struct job_poll *jp,
                       const struct poller_now *now, enum ask_why *why);
int64_t rhythm_list_ms(const struct poller *p, bool on_screen);
int64_t rhythm_doc_ms(const struct poller *p, bool live);
int64_t rhythm_backoff_ms(struct budget *b, enum err_kind kind, unsigned failures);
bool rhythm_gives_up(const struct budget *b, enum err_kind kind, const struct resource *r, int64_t mono_ms);
bool rhythm_tells(enum err_kind kind, int64_t failing_ms); /* given up or not: is it time to say it? */
bool rhythm_is_out_of_date(const struct poller *p, const struct place_poll *pp, int64_t mono_ms);
void rhythm_balance(struct poller *p, struct place_poll *pp, const struct model *m, int place,
                    const struct poller_now *now);

/* timetable.c */
void timetable_update(struct place_poll *pp, const struct model *m, int place, int64_t wall_ms);
bool timetable_waits(struct job_poll *jp, const struct job *j, int64_t wall_ms); /* a start is due and has not shown */
int64_t timetable_look_ms(const struct job_poll *jp, size_t index); /* wall: when to look for it; INT64_MAX: never */

/* depth.c: is a job read as deep as the present wants ask? */
bool job_is_polled(const struct place_poll *pp, const struct job *j, const struct job_poll *jp, uint64_t tick);
int64_t job_goal_ms(const struct place_poll *pp, const struct job *j, const struct job_poll *jp, uint64_t tick);
bool job_is_read(const struct place_poll *pp, const struct job *j, struct job_poll *jp, uint64_t tick);
int job_page_size(const struct job *j, const struct job_poll *jp, bool deep, int64_t wall_ms);
/* A run that is not over, or whose DPU-seconds have not arrived yet although they will. */
bool run_is_unsettled(const struct run *r, int64_t wall_ms);

#endif
