/**
 * ML-KEM-768 of libcrux: verified code in one header, which Debian has in the sources of OpenSSH. Nothing else of OpenSSH
 * is used.
 */
/** @import { Component } from './sbom.mjs' */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { patchedSource } from './debian.mjs'

const name = 'libcrux_mlkem768_sha3.h'

/**
 * @returns {{ name: string, text: string, terms: string, component: Component }} the header, its licence as text, and
 *   its part of a bill of materials
 * @throws {Error} if the header does not say what it is
 */
export function libcrux() {
  const text = readFileSync(join(patchedSource('openssh'), name), 'utf8')
  const [, revision] = /Extracted from libcrux revision ([0-9a-f]{40})/.exec(text) ?? []
  const [, terms] = /\/\*\n( \* MIT License\n[\s\S]*?)\*\//.exec(text) ?? []
  if (revision === undefined || terms === undefined) throw new Error(`${name} states no revision or no MIT license`)
  const purl = `pkg:github/cryspen/libcrux@${revision}`
  return {
    name,
    text,
    terms: terms.replace(/^ \* ?/gm, ''),
    component: {
      type: 'library',
      'bom-ref': purl,
      name: 'libcrux',
      version: revision,
      purl,
      licenses: [{ license: { id: 'MIT' } }],
      hashes: [{ alg: 'SHA-256', content: createHash('sha256').update(text).digest('hex') }],
      properties: [{ name: 'debian:source', value: 'openssh' }]
    }
  }
}
