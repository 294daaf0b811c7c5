/* Connections over TCP, with TLS from the start or later, for JavaScript (client.d.ts has the signatures). */
#ifndef MINNOW_CLIENT_STREAM_BINDING_H
#define MINNOW_CLIENT_STREAM_BINDING_H

#include "hal/native/binding/exports.h"

extern const struct exported stream_functions[];

#endif
