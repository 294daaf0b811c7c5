/*
 * Complete answers, by the requests that they answer, and the callers to whom they are given. No sockets, no
 * JavaScript.
 *
 * A request has two parts: its first line, and the rest of its head with caller and options. Both are identified by
 * keyed hashes alone (SipHash-2-4 with 128 bits, whose key is made at the start), so no credentials are kept. The rest
 * leads to an audience: all requests of one audience have the same answers. No client finds an answer without
 * credentials of its audience; the time of a search reveals nothing about others, since no client knows the hashes of
 * another one's requests. Requests without credentials have a table of their own: they take no place of a caller, and
 * do not see whether one was taken.
 *
 * The user of this module decides which answers are kept, and drops those that may have changed.
 */
#ifndef MINNOW_HTTPS_REPEATS_H
#define MINNOW_HTTPS_REPEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REPEAT_HASH = 16, REPEAT_WAYS = 8, REPEAT_CALLER_SETS = 64, REPEAT_CALLER_WAYS = 4 };

/* Something in an answer that moves with the time. */
struct repeat_moment {
  uint32_t at;     /* the byte at which it begins */
  int32_t minutes; /* of a time in ISO 8601: how far its clock is from universal time; REPEAT_TAG: see there */
};

/*
 * The most moments of an answer. REPEAT_TAG: the last 11 hexadecimal digits of its entity tag, which are the time in
 * milliseconds; they also stand in its head.
 */
enum { REPEAT_MOMENTS = 8, REPEAT_TAG = INT32_MAX };

/* The answer to a request. */
struct repeat {
  uint8_t hash[REPEAT_HASH];    /* of the request's first line, and of its audience */
  uint8_t subject[REPEAT_HASH]; /* of that which it shows */
  uint8_t *data;                /* head and body; NULL: a free place */
  size_t length;
  size_t date;    /* where the line of the date begins; its length is that of any other time */
  size_t moments; /* as many follow `data`, by their places in it */
  uint64_t used;  /* when it was found or added last: a count */
};

/* Who asks. */
struct repeat_caller {
  uint8_t hash[REPEAT_HASH]; /* of a head without its first line */
  uint8_t audience[REPEAT_HASH];
  uint64_t until;  /* good before this time, on the clock of repeats_caller's `now`; 0: a free place */
  uint64_t used;   /* as above */
  double *session; /* where the use of a session is noted, by `performance.now()`; NULL: no session */
};

struct repeats {
  uint8_t key[REPEAT_HASH];
  size_t capacity;  /* bytes of answers; 0: none is kept */
  size_t set_count; /* of REPEAT_WAYS answers each, at most 256 */
  size_t bytes;
  uint64_t uses;
  /* NULL before the first one */
  struct repeat (*sets)[REPEAT_WAYS];
  struct repeat_caller (*callers)[REPEAT_CALLER_WAYS];
};

/* All of it is zeroed first. */
void repeats_init(struct repeats *repeats, size_t capacity, size_t set_count);

/* The hash of a part of a request, or of a subject. */
void repeats_hash(const struct repeats *repeats, const void *data, size_t length, uint8_t hash[REPEAT_HASH]);

/* Takes `other` into a hash. */
void repeats_join(uint8_t hash[REPEAT_HASH], const uint8_t other[REPEAT_HASH]);

/* The caller whose head without its first line has this hash; valid until the next call. NULL: an unknown caller. */
const struct repeat_caller *repeats_caller(struct repeats *repeats, const uint8_t hash[REPEAT_HASH], uint64_t now);

/*
 * Keeps a caller, whose own hash, audience, time and session are given; of its set, the one that was used longest ago
 * makes room. Without memory it is not kept.
 */
void repeats_add_caller(struct repeats *repeats, const struct repeat_caller *caller);

/* The answer to the request with this hash, with the present date and time; valid until the next call. NULL: none is kept. */
const struct repeat *repeats_find(struct repeats *repeats, const uint8_t hash[REPEAT_HASH]);

/*
 * Keeps a copy of an answer; those that were used longest ago make room. Not one without a line of the date, or of more
 * than a quarter of the capacity, or for which there is no memory.
 *
 * Its moments are at places of the body. Not one with more than REPEAT_MOMENTS, or where one is not within the body.
 */
void repeats_add(struct repeats *repeats, const uint8_t hash[REPEAT_HASH], const uint8_t subject[REPEAT_HASH],
                 const uint8_t *answer, size_t length, const struct repeat_moment *moments, size_t count);

/* Writes the present time where an answer shows it. */
void repeats_set_time(uint8_t *answer, const struct repeat_moment *moments, size_t count, int64_t milliseconds);

/* Forgets the answers that show this subject. */
void repeats_drop(struct repeats *repeats, const uint8_t subject[REPEAT_HASH]);

/* Forgets all callers: further requests have no caller until callers are added again. */
void repeats_forget_callers(struct repeats *repeats);

/* Forgets everything. */
void repeats_clear(struct repeats *repeats);

#endif
