/* Keys and certificates from PEM texts without a terminating NUL. Copies that are made on the way are zeroised. */
#ifndef MINNOW_WIRE_PEM_H
#define MINNOW_WIRE_PEM_H

#include <mbedtls/pk.h>
#include <mbedtls/x509_crt.h>
#include <stddef.h>

/* Both are initialised by the caller, who frees them also after a failure. */

/* A private key. -EINVAL: it is not a key; -ENOMEM. */
int pem_parse_key(mbedtls_pk_context *key, const char *text, size_t length);

/* Adds the certificates of the text. How many could not be read, when others could; -EINVAL: none could; -ENOMEM. */
int pem_parse_chain(mbedtls_x509_crt *chain, const char *text, size_t length);

#endif
