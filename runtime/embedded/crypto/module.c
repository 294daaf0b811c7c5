/* The module `minnow:crypto`. */
#include "binding.h"

NAPI_MODULE_INIT() {
  return exports_add(env, exports, crypto_digests) && exports_add(env, exports, crypto_keys) &&
                 exports_add(env, exports, crypto_certificates)
             ? exports
             : NULL;
}
