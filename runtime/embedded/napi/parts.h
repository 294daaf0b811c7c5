/* Functions that the files of this folder call in each other. */
#ifndef MINNOW_NAPI_PARTS_H
#define MINNOW_NAPI_PARTS_H

#include <quickjs/quickjs.h>
#include <stdbool.h>

/* Each file's share of the start. Negative when out of memory. */
int host_start_values(void);
int host_start_functions(void);
int host_start_owned(void);
int host_start_references(void);
int host_start_errors(void);
int host_start_buffers(void);
int host_start_promises(void);

/* Runs the cleanup hooks, the last one first (life.c). */
void host_cleanup(void);

/* Objects that own native data (owned.c). */
bool host_is_external(JSValueConst value);
/* An object of a native class, which has no data yet. */
JSValue host_new_instance(JSValueConst prototype);

#endif
