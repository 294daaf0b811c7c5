/**
 * A module in C.
 *
 * @typedef {object} NativeModule
 * @property {readonly string[]} sources paths from the root of the tree; a folder means all its C files
 * @property {readonly string[]} libraries that it needs
 * @property {readonly string[]} [wraps] functions of a library that the module takes the place of (ld's --wrap)
 */

/**
 * Native modules of the binary by name: `minnow:<name>` is what their Node-API init function returns.
 *
 * @type {Readonly<Record<string, NativeModule>>}
 */
export const nativeModules = {
  local: { sources: ['runtime/embedded/local'], libraries: [] },
  system: { sources: ['runtime/embedded/system'], libraries: [] },
  flash: { sources: ['hal/native/flash.c', 'hal/native/flash_binding.c'], libraries: [] },
  gpio: { sources: ['hal/native/gpio.c', 'hal/native/gpio_binding.c'], libraries: [] },
  https: {
    sources: ['runtime/embedded/https', 'runtime/embedded/wire'],
    libraries: ['mbedtls', 'mbedx509', 'mbedcrypto', 'llhttp', 'sodium'],
    wraps: ['mbedtls_ecp_mul', 'mbedtls_ecp_mul_restartable', 'mbedtls_x509_crt_verify_restartable']
  },
  client: {
    sources: ['runtime/embedded/client', 'runtime/embedded/wire'],
    libraries: ['mbedtls', 'mbedx509', 'mbedcrypto', 'llhttp', 'cares', 'sodium'],
    wraps: ['mbedtls_ecp_mul', 'mbedtls_ecp_mul_restartable']
  },
  crypto: { sources: ['runtime/embedded/crypto'], libraries: ['mbedx509', 'mbedcrypto'] },
  leveldb: { sources: ['runtime/embedded/leveldb'], libraries: ['leveldb', 'snappy'] }
}
