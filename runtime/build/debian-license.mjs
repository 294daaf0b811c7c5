/** The license of a package of Debian, as an SPDX expression. */
import { existsSync, readFileSync } from 'node:fs'

/**
 * SPDX's names for Debian's (machine-readable copyright format 1.0), by the latter in lower case.
 *
 * @type {Readonly<Record<string, string>>}
 */
const names = {
  '0bsd': '0BSD',
  'apache-2.0': 'Apache-2.0',
  'bsd-2-clause': 'BSD-2-Clause',
  'bsd-3-clause': 'BSD-3-Clause',
  expat: 'MIT',
  'gpl-2': 'GPL-2.0-only',
  'gpl-2+': 'GPL-2.0-or-later',
  isc: 'ISC',
  'lgpl-2.1+': 'LGPL-2.1-or-later',
  mit: 'MIT',
  zlib: 'Zlib'
}

/**
 * Sources whose copyright is prose, by their name without a version of GCC.
 *
 * @type {Readonly<Record<string, string>>}
 */
const prose = {
  // debian/copyright: the libraries that are linked into programs have the exception.
  gcc: 'GPL-3.0-or-later WITH GCC-exception-3.1',
  // Licenses/README: most files may also be passed on under a later version.
  'u-boot': 'GPL-2.0-only'
}

/**
 * The license that the authors state for a package as a whole: that of `Files: *` in its copyright. Single files may have
 * others.
 *
 * @param {string} source name of the source that the package was built from
 * @param {string} copyright file
 * @returns {string}
 * @throws {Error} when it states none, or one that has no name here
 */
export function debianLicense(source, copyright) {
  const stated = prose[source.replace(/-\d+$/, '')] ?? (existsSync(copyright) && wholeLicense(copyright))
  if (!stated) throw new Error(`${copyright} states no license of ${source}: add it to debian-license.mjs`)
  return stated
}

/** @param {string} copyright */
function wholeLicense(copyright) {
  const text = readFileSync(copyright, 'utf8')
  if (!/^Format: .*copyright-format\/1\.0/m.test(text)) return undefined
  const paragraph = text.split(/\n\s*\n/).find((each) => /^Files:\s*\*$/m.test(each)) ?? ''
  const [, license = ''] = /^License: *(\S.*)$/m.exec(paragraph) ?? []
  const words = license.split(/ +/).map((word) => (/^(?:and|or)$/.test(word) ? word.toUpperCase() : named(word)))
  return words.includes(undefined) ? undefined : words.join(' ')
}

/** @param {string} word */
const named = (word) => names[word.toLowerCase()]
