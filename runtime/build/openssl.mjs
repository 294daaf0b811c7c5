/**
 * The arithmetic of OpenSSL's curve P-256, its SHA-256 and its ChaCha20-Poly1305, without the rest of OpenSSL: members
 * of Debian's libcrypto.a. The other functions that they need are in `runtime/embedded/primitives/openssl.c`.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './command.mjs'

const shared = [
  ...['bn_add', 'bn_ctx', 'bn_div', 'bn_exp', 'bn_gcd', 'bn_intern', 'bn_lib', 'bn_mod', 'bn_mont', 'bn_mul'],
  ...['bn_shift', 'bn_sqr', 'bn_word', 'cpuid', 'ctype', 'ec_lib', 'ecp_mont', 'ecp_nistz256', 'ecp_smpl'],
  'poly1305'
]

const arm = [
  ...shared,
  ...[
    'armcap',
    'armv4-mont',
    'armv4cpuid',
    'bn_asm',
    'ecp_nistz256-armv4',
    'chacha-armv4',
    'poly1305-armv4',
    'sha256-armv4'
  ]
]

/** @type {Readonly<Record<string, readonly string[]>>} */
const members = {
  x86_64: [
    ...shared,
    ...['ecp_nistz256-x86_64', 'x86_64-gcc', 'x86_64-mont', 'x86_64-mont5', 'x86_64cpuid'],
    ...['chacha-x86_64', 'poly1305-x86_64', 'sha256-x86_64']
  ],
  armv7: arm,
  armv5: arm,
  aarch64: [
    ...shared,
    ...['arm64cpuid', 'armcap', 'armv8-mont', 'bn_asm', 'ecp_nistz256-armv8'],
    ...['chacha-armv8', 'chacha-armv8-sve', 'poly1305-armv8', 'sha256-armv8']
  ]
}

/**
 * Takes the members out of the archive.
 *
 * @param {string} arch
 * @param {string} lib folder of libcrypto.a
 * @param {string} out folder, which is made
 * @returns paths of the objects
 * @throws {Error} when one of them is not there
 */
export function opensslMembers(arch, lib, out) {
  const names = (members[arch] ?? []).map((name) => `libcrypto-lib-${name}.o`)
  mkdirSync(out, { recursive: true })
  run(['ar', 'x', '--output', out, join(lib, 'libcrypto.a'), ...names])
  return names.map((name) => join(out, name))
}
