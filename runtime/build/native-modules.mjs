/**
 * A module in C.
 *
 * @typedef {object} NativeModule
 * @property {readonly string[]} sources paths from the root of the tree; a folder means all its C files
 * @property {readonly string[]} libraries that it needs
 * @property {readonly string[]} [wraps] functions of a library that the module takes the place of (ld's --wrap)
 * @property {boolean} [mbedtls] it needs Mbed TLS (`mbedtls.mjs`), with members of OpenSSL (`openssl.mjs`)
 */

/**
 * Curves, a hash and a cipher of Mbed TLS, by those who compute faster: for each module that has to do with keys.
 *
 * @type {{ sources: string[], libraries: string[], wraps: string[], mbedtls: true }}
 */
export const primitives = {
  sources: ['runtime/embedded/primitives'],
  libraries: ['sodium'],
  wraps: [
    'mbedtls_ecp_mul',
    'mbedtls_ecp_mul_restartable',
    'mbedtls_ecp_muladd_restartable',
    'mbedtls_mpi_gcd_modinv_odd',
    'mbedtls_sha256',
    'mbedtls_sha256_update',
    'mbedtls_sha256_finish',
    'mbedtls_chachapoly_encrypt_and_tag',
    'mbedtls_chachapoly_auth_decrypt'
  ],
  mbedtls: true
}

/**
 * Native modules of the binary by name: `minnow:<name>` is what their Node-API init function returns.
 *
 * @type {Readonly<Record<string, NativeModule>>}
 */
export const nativeModules = {
  datagram: { sources: ['runtime/embedded/datagram'], libraries: [] },
  local: { sources: ['runtime/embedded/local'], libraries: [] },
  system: { sources: ['runtime/embedded/system'], libraries: [] },
  channel: { sources: ['hal/native/channel.c', 'hal/native/channel_binding.c'], libraries: [] },
  flash: { sources: ['hal/native/flash.c', 'hal/native/flash_binding.c'], libraries: [] },
  gpio: { sources: ['hal/native/gpio.c', 'hal/native/gpio_binding.c'], libraries: [] },
  lldp: { sources: ['hal/native/lldp.c', 'hal/native/lldp_binding.c'], libraries: [] },
  tty: { sources: ['hal/native/tty.c', 'hal/native/tty_binding.c'], libraries: [] },
  https: {
    ...primitives,
    sources: ['runtime/embedded/https', 'runtime/embedded/wire', ...primitives.sources],
    libraries: ['llhttp', ...primitives.libraries],
    wraps: ['mbedtls_x509_crt_verify_restartable', ...primitives.wraps]
  },
  client: {
    ...primitives,
    sources: ['runtime/embedded/client', 'runtime/embedded/wire', ...primitives.sources],
    libraries: ['llhttp', 'cares', ...primitives.libraries]
  },
  crypto: {
    ...primitives,
    sources: ['runtime/embedded/crypto', ...primitives.sources]
  },
  gzip: { sources: ['runtime/embedded/gzip'], libraries: ['z'] },
  nacl: { sources: ['runtime/embedded/nacl'], libraries: ['sodium'] },
  leveldb: { sources: ['runtime/embedded/leveldb'], libraries: ['leveldb', 'snappy'] }
}
