/* Sums that stay at the end of their scale instead of running over: a service that lies must not turn money negative. */
#ifndef GLUETOP_BASE_SUM_H
#define GLUETOP_BASE_SUM_H

#include <stdbool.h>
#include <stdint.h>

static inline int64_t sum_of(int64_t a, int64_t b)
{
  int64_t sum = 0;
  return !__builtin_add_overflow(a, b, &sum) ? sum : b < 0 ? INT64_MIN : INT64_MAX;
}

/* a - b */
static inline int64_t sum_less(int64_t a, int64_t b)
{
  int64_t rest = 0;
  return !__builtin_sub_overflow(a, b, &rest) ? rest : b < 0 ? INT64_MAX : INT64_MIN;
}

static inline int64_t sum_times(int64_t a, int64_t b)
{
  int64_t product = 0;
  return !__builtin_mul_overflow(a, b, &product) ? product : (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

static inline void sum_add(int64_t *sum, int64_t more)
{
  *sum = sum_of(*sum, more);
}

/* A sum from which everything can be taken back again, however large it was in between. 2^63 additions fit. */
struct sum_wide {
  int64_t high;
  uint64_t low;
};

static inline void sum_wide_add(struct sum_wide *w, int64_t more)
{
  uint64_t before = w->low;
  w->low += (uint64_t)more;
  w->high += (more < 0 ? -1 : 0) + (w->low < before ? 1 : 0);
}

static inline void sum_wide_take(struct sum_wide *w, int64_t less)
{
  uint64_t before = w->low;
  w->low -= (uint64_t)less;
  w->high -= (less < 0 ? -1 : 0) + (w->low > before ? 1 : 0);
}

static inline int64_t sum_wide_get(const struct sum_wide *w)
{
  if (w->high == 0 && w->low <= INT64_MAX)
    return (int64_t)w->low;
  if (w->high == -1 && w->low > INT64_MAX)
    return -(int64_t)(UINT64_MAX - w->low) - 1;
  return w->high < 0 ? INT64_MIN : INT64_MAX;
}

#endif
