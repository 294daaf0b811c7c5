#include "store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* LevelDB reports errors as text only; these are the prefixes of its Status::ToString(). */
static int failure(char *words, char **message) {
  *message = words;
  if (!words) return 0;
  if (!strncmp(words, "IO error: lock ", 15)) return -EBUSY;
  if (!strncmp(words, "Corruption", 10)) return -EBADMSG;
  if (!strncmp(words, "Invalid argument", 16)) return -EINVAL;
  return -EIO;
}

int store_open(struct store *store, const char *path, const struct store_options *options, char **message) {
  char *words = NULL;
  store->options = leveldb_options_create();
  store->cache = leveldb_cache_create_lru(options->cache_size);
  store->filter = leveldb_filterpolicy_create_bloom(10);
  leveldb_options_set_cache(store->options, store->cache);
  leveldb_options_set_filter_policy(store->options, store->filter);
  leveldb_options_set_write_buffer_size(store->options, options->write_buffer_size);
  leveldb_options_set_block_size(store->options, options->block_size);
  leveldb_options_set_max_open_files(store->options, options->max_open_files);
  leveldb_options_set_create_if_missing(store->options, options->create_if_missing);
  leveldb_options_set_error_if_exists(store->options, options->error_if_exists);
  leveldb_options_set_compression(store->options,
                                  options->compression ? leveldb_snappy_compression : leveldb_no_compression);
  store->db = leveldb_open(store->options, path, &words);
  if (words) store_close(store);
  return failure(words, message);
}

void store_close(struct store *store) {
  if (store->db) leveldb_close(store->db);
  if (store->options) leveldb_options_destroy(store->options);
  if (store->cache) leveldb_cache_destroy(store->cache);
  if (store->filter) leveldb_filterpolicy_destroy(store->filter);
  *store = (struct store){0};
}

int store_get(const struct store *store, const leveldb_snapshot_t *snapshot, const char *key, size_t key_size,
              char **value, size_t *value_size, char **message) {
  char *words = NULL;
  leveldb_readoptions_t *options = leveldb_readoptions_create();
  leveldb_readoptions_set_snapshot(options, snapshot);
  *value = leveldb_get(store->db, options, key, key_size, value_size, &words);
  leveldb_readoptions_destroy(options);
  return failure(words, message);
}

int store_write(const struct store *store, leveldb_writebatch_t *batch, bool sync, char **message) {
  char *words = NULL;
  leveldb_writeoptions_t *options = leveldb_writeoptions_create();
  leveldb_writeoptions_set_sync(options, sync);
  leveldb_write(store->db, options, batch, &words);
  leveldb_writeoptions_destroy(options);
  return failure(words, message);
}

void store_compact(const struct store *store) {
  leveldb_compact_range(store->db, NULL, 0, NULL, 0);
}

void store_free(void *memory) {
  leveldb_free(memory);
}

struct cursor {
  const struct store *store;
  leveldb_iterator_t *iterator;
  const leveldb_snapshot_t *snapshot; /* our own, or NULL when the caller gave one */
  struct store_bound lower, upper;    /* keys are copies */
  bool reverse;
  bool ready; /* the iterator is already at the next entry */
  bool ended;
};

static bool copied(struct store_bound *to, const struct store_bound *from) {
  if (!from->key) return true;
  char *key = malloc(from->size + 1);
  if (!key) return false;
  if (from->size) memcpy(key, from->key, from->size);
  *to = (struct store_bound){key, from->size, from->inclusive};
  return true;
}

/* Orders keys as LevelDB does: by their bytes, a prefix before what it is a prefix of. */
static int compare(const char *a, size_t a_size, const char *b, size_t b_size) {
  int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
  return order ? order : (a_size > b_size) - (a_size < b_size);
}

static bool below(const struct store_bound *lower, const char *key, size_t size) {
  if (!lower->key) return false;
  int order = compare(key, size, lower->key, lower->size);
  return order < 0 || (order == 0 && !lower->inclusive);
}

static bool above(const struct store_bound *upper, const char *key, size_t size) {
  if (!upper->key) return false;
  int order = compare(key, size, upper->key, upper->size);
  return order > 0 || (order == 0 && !upper->inclusive);
}

static bool inside(const struct cursor *cursor) {
  size_t size;
  const char *key = leveldb_iter_key(cursor->iterator, &size);
  return !below(&cursor->lower, key, size) && !above(&cursor->upper, key, size);
}

static void step(struct cursor *cursor) {
  (cursor->reverse ? leveldb_iter_prev : leveldb_iter_next)(cursor->iterator);
}

/* Puts the iterator on `key`, or else on what follows it in the cursor's direction. */
static void position(struct cursor *cursor, const char *key, size_t size) {
  leveldb_iter_seek(cursor->iterator, key, size);
  if (!cursor->reverse) return;
  if (!leveldb_iter_valid(cursor->iterator)) {
    leveldb_iter_seek_to_last(cursor->iterator);
  } else {
    size_t found_size;
    const char *found = leveldb_iter_key(cursor->iterator, &found_size);
    if (compare(found, found_size, key, size) > 0) leveldb_iter_prev(cursor->iterator);
  }
}

struct cursor *cursor_open(const struct store *store, const leveldb_snapshot_t *snapshot,
                           const struct store_bound *lower, const struct store_bound *upper, bool reverse,
                           bool fill_cache) {
  struct cursor *cursor = calloc(1, sizeof *cursor);
  if (!cursor) return NULL;
  cursor->store = store;
  cursor->reverse = reverse;
  if (!copied(&cursor->lower, lower) || !copied(&cursor->upper, upper)) {
    cursor_close(cursor);
    return NULL;
  }
  if (!snapshot) snapshot = cursor->snapshot = leveldb_create_snapshot(store->db);
  leveldb_readoptions_t *options = leveldb_readoptions_create();
  leveldb_readoptions_set_snapshot(options, snapshot);
  leveldb_readoptions_set_fill_cache(options, fill_cache);
  cursor->iterator = leveldb_create_iterator(store->db, options);
  leveldb_readoptions_destroy(options);

  const struct store_bound *start = reverse ? &cursor->upper : &cursor->lower;
  if (start->key) position(cursor, start->key, start->size);
  else (reverse ? leveldb_iter_seek_to_last : leveldb_iter_seek_to_first)(cursor->iterator);
  if (leveldb_iter_valid(cursor->iterator) && !inside(cursor)) step(cursor); /* off an end that is not inclusive */
  cursor->ready = true;
  return cursor;
}

void cursor_seek(struct cursor *cursor, const char *key, size_t size) {
  cursor->ended = below(&cursor->lower, key, size) || above(&cursor->upper, key, size);
  if (cursor->ended) return;
  position(cursor, key, size);
  cursor->ready = true;
}

int cursor_next(struct cursor *cursor, const char **key, size_t *key_size, const char **value, size_t *value_size,
                char **message) {
  char *words = NULL;
  *message = NULL;
  if (cursor->ended) return 0;
  if (!cursor->ready) step(cursor);
  cursor->ready = false;
  if (!leveldb_iter_valid(cursor->iterator) || !inside(cursor)) {
    leveldb_iter_get_error(cursor->iterator, &words);
    cursor->ended = true;
    return failure(words, message);
  }
  *key = leveldb_iter_key(cursor->iterator, key_size);
  *value = leveldb_iter_value(cursor->iterator, value_size);
  return 1;
}

void cursor_close(struct cursor *cursor) {
  if (cursor->iterator) leveldb_iter_destroy(cursor->iterator);
  if (cursor->snapshot) leveldb_release_snapshot(cursor->store->db, cursor->snapshot);
  free((void *)cursor->lower.key);
  free((void *)cursor->upper.key);
  free(cursor);
}
