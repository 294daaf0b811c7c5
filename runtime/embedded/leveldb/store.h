/*
 * A key-value store on disk: LevelDB through its C interface (leveldb/c.h), reduced to what one process needs.
 *
 * Functions return 0 (or the documented value) or a negative errno:
 *   -EBUSY    the store is locked by another process, or by this one
 *   -EBADMSG  the store is damaged
 *   -EIO      the system could not read or write
 *   -EINVAL   the options do not allow it (no store and create_if_missing false, or one and error_if_exists true)
 *   -ENOMEM
 * `message` receives LevelDB's own words, or NULL; the caller frees it with store_free().
 *
 * Only store_open(), store_write() and store_compact() may run on a worker thread, and store_close() once nothing else
 * uses the store.
 */
#ifndef MINNOW_LEVELDB_STORE_H
#define MINNOW_LEVELDB_STORE_H

#include <leveldb/c.h>
#include <stdbool.h>
#include <stddef.h>

struct store_options {
  size_t cache_size, write_buffer_size, block_size; /* bytes */
  int max_open_files;
  bool create_if_missing, error_if_exists, compression;
};

struct store {
  leveldb_t *db; /* NULL while closed */
  leveldb_options_t *options;
  leveldb_cache_t *cache;
  leveldb_filterpolicy_t *filter;
};

/* Opens the store in the directory `path`, whose parent must exist. Reads the log and may compact: worker thread. */
int store_open(struct store *store, const char *path, const struct store_options *options, char **message);

/* Waits for a compaction in progress. The store may be opened again. Harmless on a closed one. */
void store_close(struct store *store);

/* The value under `key` as a fresh copy for store_free(), or NULL with 0 returned if there is no such key. */
int store_get(const struct store *store, const leveldb_snapshot_t *snapshot, const char *key, size_t key_size,
              char **value, size_t *value_size, char **message);

/* Writes a batch, whole or not at all. With `sync` it is on the disk when this returns. */
int store_write(const struct store *store, leveldb_writebatch_t *batch, bool sync, char **message);

/* Rewrites all entries, so that removed ones take no room any more. LevelDB reports no failure here: the next write fails
 * instead. */
void store_compact(const struct store *store);

void store_free(void *memory);

/* One end of a range of keys; `key` NULL leaves it open. The bytes belong to the caller until cursor_open() returns. */
struct store_bound {
  const char *key;
  size_t size;
  bool inclusive;
};

/* A walk over a range, in either direction, that sees the store as it was when it was opened. */
struct cursor;

/* NULL when memory is short. The store must stay open until cursor_close(). */
struct cursor *cursor_open(const struct store *store, const leveldb_snapshot_t *snapshot,
                           const struct store_bound *lower, const struct store_bound *upper, bool reverse,
                           bool fill_cache);

/* Moves to the next entry. 1 with the entry, which stays valid until the next call; 0 at the end; a negative errno. */
int cursor_next(struct cursor *cursor, const char **key, size_t *key_size, const char **value, size_t *value_size,
                char **message);

/* Makes the entry with `key`, or else the first one after it in the cursor's direction, the next one. */
void cursor_seek(struct cursor *cursor, const char *key, size_t size);

void cursor_close(struct cursor *cursor);

#endif
