/*
 * Internals of the Node-API binding of the operating system; system.d.ts is its interface. A call that can fail returns
 * a negative errno, of which the drop-ins make the error that Node.js throws.
 */
#ifndef MINNOW_SYSTEM_BINDING_H
#define MINNOW_SYSTEM_BINDING_H

#include <errno.h>
#include <limits.h>
#include <stdint.h>

#include "hal/native/binding/exports.h"
#include "hal/native/binding/values.h"

extern const struct exported system_files[], system_process[], system_timers[];

enum { ARGUMENTS_MAX = 3 };

static inline int int_take(napi_env env, napi_value value) {
  return (int)integer_take(env, value);
}

#endif
