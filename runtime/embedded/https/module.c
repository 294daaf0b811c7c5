/* The module `minnow:https`. */
#include "binding.h"

NAPI_MODULE_INIT() {
  return exports_add(env, exports, https_server_functions) && exports_add(env, exports, https_connection_functions) &&
                 exports_add(env, exports, https_response_functions)
             ? exports
             : NULL;
}
