/* Process start of the embedded host: limits, signals, then the engine until it has nothing left to do. */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "napi/modules.h"
#include "seccomp.h"

static const size_t default_heap_mib = 24, default_stack_kib = 512;

/* Reads a positive whole number of `unit`s from the environment. 0 or -EINVAL. */
static int read_limit(const char *name, size_t unit, size_t *limit) {
  const char *text = getenv(name);
  char *end;
  if (!text) return 0;
  errno = 0;
  const unsigned long value = strtoul(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || *text == '-' || value == 0 || value > SIZE_MAX / unit) {
    fprintf(stderr, "minnow: %s must be a positive number, not '%s'\n", name, text);
    return -EINVAL;
  }
  *limit = value * unit;
  return 0;
}

/* Memory contains passwords and keys: no core file, and no debugger of the same user, may read it. */
static void keep_secrets_in_memory(void) {
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_DUMPABLE, 0);
}

/* As many descriptors as the kernel lets a process have, as Node.js has them: setrlimit(2). */
static void raise_descriptor_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char **argv) {
  (void)argc;
  struct engine_limits limits = {default_heap_mib << 20, default_stack_kib << 10};
  if (read_limit("MINNOW_HEAP_MIB", 1 << 20, &limits.heap_bytes) < 0 ||
      read_limit("MINNOW_STACK_KIB", 1 << 10, &limits.stack_bytes) < 0)
    return 2;
  keep_secrets_in_memory();
  raise_descriptor_limit();
  seccomp_disable_rings();
  signal(SIGPIPE, SIG_IGN);
  mallopt(M_ARENA_MAX, 1);
  if (engine_start(&limits, argv, napi_modules(native_modules)) < 0) {
    fputs("minnow: not enough memory to start\n", stderr);
    return 1;
  }
  engine_exit(engine_run());
}
