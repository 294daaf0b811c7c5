/* Random bytes from the kernel (getrandom(2)): no generator of our own has to be seeded, forked or wiped. */
#ifndef MINNOW_CRYPTO_RANDOM_H
#define MINNOW_CRYPTO_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Fills `out`. Waits until the kernel's generator is seeded, early after boot. 0 or a negative errno. */
int random_fill(uint8_t *out, size_t size);

/* The same with the signature of Mbed TLS's f_rng; `context` is not used. */
int random_mbedtls(void *context, unsigned char *out, size_t size);

#endif
