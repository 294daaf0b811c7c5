/* Functions that the files of this folder call in each other. */
#ifndef MINNOW_NAPI_PARTS_H
#define MINNOW_NAPI_PARTS_H

#include <quickjs/quickjs.h>
#include <stdbool.h>

/* Each file's share of the start. Negative when out of memory. */
int host_start_functions(void);
int host_start_owned(void);
int host_start_errors(void);
int host_start_buffers(void);

/* Objects that own native data (owned.c). */
bool host_is_external(JSValueConst value);

#endif
