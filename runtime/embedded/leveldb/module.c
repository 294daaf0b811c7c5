/* The module `minnow:leveldb`. */
#include "binding.h"

NAPI_MODULE_INIT() {
  return exports_add(env, exports, leveldb_store) && exports_add(env, exports, leveldb_views) ? exports : NULL;
}
