/*
 * The certificates of clients, as far as TLS has to care: what may be kept of them and how dear the proof of the key
 * may be for us. Whether a certificate is good for anything is not asked here.
 */
#ifndef MINNOW_HTTPS_CLIENT_CERTIFICATE_H
#define MINNOW_HTTPS_CLIENT_CERTIFICATE_H

#include <mbedtls/x509_crt.h>

/* A ticket of TLS 1.2 contains the certificate, and has to fit into the head of the next handshake. */
enum { CLIENT_CERTIFICATE_MAX = 8192 };

/* Configurations with this profile do not verify chains: client_certificate.c takes the place of it. */
extern const mbedtls_x509_crt_profile client_certificate_profile;

#endif
