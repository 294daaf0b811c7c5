import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import t from 'tap'

const { billOfMaterials } = await import(pathToFileURL('runtime/build/sbom.mjs').href)

const folder = 'dist/test-sbom'
const put = (file: string, text: string | Uint8Array) => {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
}
t.teardown(() => rmSync(folder, { recursive: true }))

const sum = 'a'.repeat(64)
const format = 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/'
const copyright = (license: string) => `${format}

Files: debian/*
License: GPL-3+

Files: *
Copyright: 2026 Somebody
License: ${license}
`
const bill = (name: string) =>
  billOfMaterials({ name: 'minnow', version: '1.0.0', folders: [join(folder, name)], inputs: [] })

t.test('a bill of materials has each package with its version, its license, its sum and its source', async (t) => {
  put('root/packages', `libone-dev_1%3a1.2+b1_armhf.deb 7 SHA256:${sum}\n`)
  put('root/usr/share/doc/libone-dev/changelog.Debian.gz', gzipSync('one (1:1.2) unstable; urgency=low\n'))
  put('root/usr/share/doc/libone-dev/copyright', copyright('Apache-2.0 or GPL-2+'))
  put('source/debian/copyright', copyright('Expat'))
  put('source/packages', `two_3-1.debian.tar.xz 7 SHA256:${sum}\ntwo_3-1.dsc 7 SHA256:${sum}\n`)
  put('authors/packages', `u-boot_8.orig.tar.xz 7 SHA256:${sum}\n`)
  put('node_modules/@four/five/package.json', '{"name":"@four/five","version":"6.0.0","license":"MIT"}')
  put('node_modules/six/package.json', '{"name":"six","version":"7.0.0","license":"(MIT OR Apache-2.0)"}')
  const inputs = ['@four/five/index.js', '@four/five/lib.js', 'six/index.js'].map((file) =>
    join(folder, 'node_modules', file)
  )
  const folders = ['root', 'source', 'authors'].map((name) => join(folder, name))
  const bill = billOfMaterials({ name: 'minnow', version: '1.0.0', folders, inputs })
  t.match(bill, { bomFormat: 'CycloneDX', specVersion: '1.6', metadata: { component: { name: 'minnow' } } })
  t.match(bill.components, [
    {
      purl: 'pkg:deb/debian/libone-dev@1%3A1.2%2Bb1?arch=armhf&distro=trixie',
      version: '1:1.2+b1',
      licenses: [{ expression: 'Apache-2.0 OR GPL-2.0-or-later' }],
      hashes: [{ alg: 'SHA-256', content: sum }],
      properties: [{ name: 'debian:source', value: 'one 1:1.2' }]
    },
    {
      purl: 'pkg:deb/debian/two@3-1?arch=source&distro=trixie',
      licenses: [{ license: { id: 'MIT' } }],
      properties: [{ value: 'two 3-1' }]
    },
    {
      purl: 'pkg:deb/debian/u-boot@8?arch=source&distro=trixie',
      licenses: [{ license: { id: 'GPL-2.0-only' } }],
      properties: [{ value: 'u-boot 8' }]
    },
    { purl: 'pkg:npm/%40four/five@6.0.0', licenses: [{ license: { id: 'MIT' } }] },
    { purl: 'pkg:npm/six@7.0.0', licenses: [{ expression: '(MIT OR Apache-2.0)' }] }
  ])
  t.equal(bill.components.length, 5)
  t.equal(bill.dependencies[0].dependsOn.length, 5)
})

t.test('a package whose changelog names no source is a fault', async (t) => {
  put('bare/packages', `three_1_all.deb 7 SHA256:${sum}\n`)
  t.throws(() => bill('bare'), /the changelog of three in bare names no source/)
})

t.test('a package whose license has no name of SPDX is a fault', async (t) => {
  put('odd/packages', `eight_1-1.dsc 7 SHA256:${sum}\n`)
  const fault = /odd\/debian\/copyright states no license of eight/
  t.throws(() => bill('odd'), fault)
  for (const text of [copyright('Expat and Somebody'), copyright(''), 'It is free.', `${format}\n\nLicense: Expat\n`]) {
    put('odd/debian/copyright', text)
    t.throws(() => bill('odd'), fault)
  }
})
