/* The module `minnow:system`. */
#include "binding.h"

NAPI_MODULE_INIT() {
  return exports_add(env, exports, system_files) && exports_add(env, exports, system_process) &&
                 exports_add(env, exports, system_timers)
             ? exports
             : NULL;
}
