/**
 * Mbed TLS, compiled from the sources of Debian's package with the configuration in `runtime/embedded/mbedtls_config.h`:
 * Debian's own has everything that anybody may want, which is twice as large.
 */
import { copyFileSync, cpSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { library } from './library.mjs'

const configuration = resolve(dirname(fileURLToPath(import.meta.url)), '../embedded/mbedtls_config.h')

/** Debian's, with its checks of the stack and of lengths. */
const flags = ['-O2', '-fstack-protector-strong', '-fstack-clash-protection', '-D_FORTIFY_SOURCE=2']

/**
 * @param {string} arch
 * @returns see {@link library}
 */
export const mbedtls = (arch) =>
  library(arch, {
    name: 'mbedtls',
    flags,
    files(source) {
      const names = readdirSync(join(source, 'library')).filter((name) => name.endsWith('.c'))
      return [{ files: names.sort().map((name) => join(source, 'library', name)) }]
    },
    headers(source, include) {
      cpSync(join(source, 'include'), include, { recursive: true })
      copyFileSync(configuration, join(include, 'mbedtls/mbedtls_config.h'))
    },
    configuration: readFileSync(configuration, 'utf8')
  })
