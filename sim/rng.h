/* Numbers that look like chance and are the same every time: all of gluesim's variety comes from here. */
#ifndef GLUETOP_SIM_RNG_H
#define GLUETOP_SIM_RNG_H

#include <stdint.h>

/* One step of splitmix64 as a hash: any two inputs that differ give unrelated outputs. */
static inline uint64_t sim_mix(uint64_t x)
{
  x += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

static inline uint64_t sim_mix2(uint64_t a, uint64_t b)
{
  return sim_mix(sim_mix(a) ^ (b * UINT64_C(0xd6e8feb86659fd93)));
}

static inline uint64_t sim_hash(uint64_t seed, const char *s)
{
  for (; *s != '\0'; s++)
    seed = (seed ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
  return sim_mix(seed);
}

static inline uint64_t sim_rng_next(uint64_t *state)
{
  *state += UINT64_C(0x9e3779b97f4a7c15);
  return sim_mix(*state);
}

/* 0 <= result < 1 */
static inline double sim_rng_unit(uint64_t *state)
{
  return (double)(sim_rng_next(state) >> 11) * 0x1p-53;
}

/* low <= result <= high */
static inline int64_t sim_rng_range(uint64_t *state, int64_t low, int64_t high)
{
  return high <= low ? low : low + (int64_t)(sim_rng_next(state) % (uint64_t)(high - low + 1));
}

#endif
