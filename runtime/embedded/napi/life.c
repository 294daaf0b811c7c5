/* The life of a module: its own data, and hooks for the end of the process. */
#include <stdlib.h>

#include "host.h"
#include "parts.h"

struct cleanup_hook {
  struct cleanup_hook *next;
  napi_cleanup_hook function;
  void *argument;
};

static struct cleanup_hook *cleanup_hooks;

void host_cleanup(void) {
  while (cleanup_hooks) {
    struct cleanup_hook *hook = cleanup_hooks;
    cleanup_hooks = hook->next;
    hook->function(hook->argument);
    free(hook);
  }
}

napi_status napi_set_instance_data(node_api_basic_env env, void *data, napi_finalize finalize, void *hint) {
  (void)finalize; /* modules live as long as the process */
  (void)hint;
  env->instance_data = data;
  return set_status(env, napi_ok);
}

napi_status napi_get_instance_data(node_api_basic_env env, void **data) {
  *data = env->instance_data;
  return set_status(env, napi_ok);
}

napi_status napi_add_env_cleanup_hook(node_api_basic_env env, napi_cleanup_hook function, void *argument) {
  struct cleanup_hook *hook = malloc(sizeof *hook);
  CHECK(hook, napi_generic_failure);
  *hook = (struct cleanup_hook){cleanup_hooks, function, argument};
  cleanup_hooks = hook;
  return set_status(env, napi_ok);
}

napi_status napi_remove_env_cleanup_hook(node_api_basic_env env, napi_cleanup_hook function, void *argument) {
  for (struct cleanup_hook **link = &cleanup_hooks; *link; link = &(*link)->next) {
    struct cleanup_hook *hook = *link;
    if (hook->function != function || hook->argument != argument) continue;
    *link = hook->next;
    free(hook);
    break;
  }
  return set_status(env, napi_ok);
}

napi_status napi_adjust_external_memory(node_api_basic_env env, int64_t change, int64_t *adjusted) {
  static int64_t total;
  total += change;
  *adjusted = total;
  return set_status(env, napi_ok);
}

napi_status napi_get_version(node_api_basic_env env, uint32_t *result) {
  *result = NAPI_VERSION;
  return set_status(env, napi_ok);
}
