/* An open store for JavaScript, and its errors. Internal to the Node-API binding; leveldb.d.ts is its interface. */
#ifndef MINNOW_LEVELDB_HANDLE_H
#define MINNOW_LEVELDB_HANDLE_H

#include <node_api.h>

#include "store.h"

/* An open store and those who use it: its JavaScript handle, cursors, snapshots and jobs. All counting is done on
 * JavaScript's thread. */
struct handle {
  struct store store;
  unsigned references;
};

struct handle *handle_retain(struct handle *handle);
void handle_release(struct handle *handle);

/* The open store of a handle; NULL with an exception pending. */
struct handle *handle_open(napi_env env, napi_value value);

/* An Error of abstract-level's codes, with LevelDB's message if there is one. */
napi_value handle_error(napi_env env, int status, const char *words);

/* Throws, and frees `words`. Always NULL, for the caller to return. */
napi_value handle_fail(napi_env env, int status, char *words);

#endif
