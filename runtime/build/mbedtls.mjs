/**
 * Mbed TLS, compiled from the sources of Debian's package with the configuration in `runtime/embedded/mbedtls_config.h`:
 * Debian's own has everything that anybody may want, which is twice as large. `mbedtls.patch` adds a group with ML-KEM.
 */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { libcrux } from './libcrux.mjs'
import { library } from './library.mjs'

const embedded = (/** @type {string} */ name) => readFileSync(new URL(`../embedded/${name}`, import.meta.url), 'utf8')

/** Debian's, with its checks of the stack and of lengths. */
const flags = ['-O2', '-fstack-protector-strong', '-fstack-clash-protection', '-D_FORTIFY_SOURCE=2']

/**
 * @param {string} arch
 * @returns see {@link library}
 */
export function mbedtls(arch) {
  const mlkem = libcrux()
  /** Headers beside its own. @type {Readonly<Record<string, string>>} */
  const added = {
    'mbedtls/mbedtls_config.h': embedded('mbedtls_config.h'),
    'mbedtls/mlkem768.h': embedded('primitives/mlkem768.h'),
    [mlkem.name]: mlkem.text
  }
  return library(arch, {
    name: 'mbedtls',
    flags,
    patch: fileURLToPath(new URL('mbedtls.patch', import.meta.url)),
    files(source) {
      const names = readdirSync(join(source, 'library')).filter((name) => name.endsWith('.c'))
      return [{ files: names.sort().map((name) => join(source, 'library', name)) }]
    },
    headers(source, include) {
      cpSync(join(source, 'include'), include, { recursive: true, dereference: true })
      for (const [name, text] of Object.entries(added)) writeFileSync(join(include, name), text)
    },
    configuration: Object.values(added).join('\0'),
    terms: { libcrux: mlkem.terms }
  })
}
