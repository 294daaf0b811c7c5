/*
 * The memory of the JavaScript engine. A quarter of it is for small things only: a body or an answer for which there is
 * no room fails while there is still enough for the error, for its answer, and for all other requests.
 */
#ifndef MINNOW_HEAP_H
#define MINNOW_HEAP_H

#include <quickjs/quickjs.h>

/* Allocations that did not fit since heap_shortage was last asked. */
enum heap_shortage { HEAP_ENOUGH, HEAP_NO_ROOM_FOR_LARGE, HEAP_EXHAUSTED };

/* For JS_NewRuntime2. The limit is that of JS_SetMemoryLimit. */
extern const JSMallocFunctions heap_functions;

enum heap_shortage heap_shortage(void);

#endif
