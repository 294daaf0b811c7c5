import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Figure } from './figures.ts'
import { packed } from './size.ts'

/** The bytes that each feature adds to a binary, plain and as xz: the difference from a binary with all features. */
export async function* features(): AsyncGenerator<Figure> {
  const { features } = await import(pathToFileURL(resolve('runtime/build/features.mjs')).href)
  const names = Object.keys(features)
  const out = mkdtempSync(join(tmpdir(), 'minnow-features-'))
  try {
    for (const arch of ['armv7', 'x86_64']) {
      const whole = built(out, arch, [])
      for (const without of [...names.map((name) => [name]), names]) {
        const { plain, xz } = built(out, arch, without)
        const name = without.length === 1 ? without[0] : 'all of them'
        yield { name: `size ${arch}, of ${name}`, value: whole.plain - plain, unit: 'B' }
        yield { name: `size ${arch}, of ${name}, xz`, value: whole.xz - xz, unit: 'B' }
      }
    }
  } finally {
    rmSync(out, { recursive: true })
  }
}

/** The sizes of a binary without some features. */
function built(out: string, arch: string, without: readonly string[]) {
  const words = ['build.mjs', '--out', out, '--binary', '--arch', arch, '--without', without.join()]
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  const file = join(out, `minnow-${arch}`)
  return { plain: statSync(file).size, xz: packed(file) }
}
