// needs: dpkg-source
/** Botan 3 of Debian 13, which signs updates with LMS. */
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unpacked } from '#runtime/build/debian.mjs'
import { architecture, hostArch } from '#runtime/build/sysroot.mjs'
import { directory, type Scope } from './server.ts'

const needed = ['libc6', 'libbz2-1.0', 'libgcc-s1', 'liblzma5', 'libsqlite3-0', 'libssl3t64', 'libstdc++6', 'libtspi1']

/** @returns a folder with the command `botan`, for PATH */
export function botan(t: Scope): string {
  const { debian, triplet } = architecture(hostArch)
  const get = (library: string) => unpacked('botan', debian, ['botan', library, 'zlib1g', ...needed])
  let root: string
  try {
    root = get('libbotan-3-12')
  } catch {
    root = get('libbotan-3-7') // of the release, where the mirror has no updates
  }
  const loader = ['lib64/ld-linux-x86-64.so.2', 'lib/ld-linux-aarch64.so.1'].map((name) => join(root, 'usr', name))
  const words = [loader.find((file) => existsSync(file)), '--library-path', join(root, 'usr/lib', triplet)]
  const command = join(directory(t), 'botan')
  writeFileSync(command, `#!/bin/sh\nexec ${words.join(' ')} ${root}/usr/bin/botan "$@"\n`)
  chmodSync(command, 0o755)
  return join(command, '..')
}
