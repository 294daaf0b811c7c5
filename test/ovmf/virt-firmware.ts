import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const { unpacked } = await import(pathToFileURL('runtime/build/debian.mjs').href)

/** The distribution's own interpreter: the one that python3-cryptography is installed for. */
const python = '/usr/bin/python3'

/** The packages to install before {@link readByVirtFirmware} works, if any. */
export const missingVirtFirmware = missing()

function missing(): string | undefined {
  if (!existsSync('/usr/bin/apt-get')) return 'virt-firmware: not here; a Debian system gets it by itself'
  const { status } = spawnSync(python, ['-c', 'import cryptography'])
  return status === 0 ? undefined : 'virt-firmware: install python3-cryptography'
}

/**
 * Reads variable stores by a program that is not ours: virt-firmware (`virt-fw-vars`) of Debian 13, which is downloaded
 * once and kept outside of the tree.
 *
 * @param directory for files
 * @returns for each store, a sorted line for each variable, as `contents` in test/hal/contracts/nvram.ts makes them
 */
export function readByVirtFirmware(directory: string, stores: readonly Uint8Array[]): string[][] {
  const packages = unpacked('virt-firmware', 'amd64', ['python3-virt-firmware', 'python3-importlib-resources'])
  const files = stores.map((bytes, i) => {
    const file = `${directory}/store-${i}.fd`
    writeFileSync(file, bytes)
    return file
  })
  const { status, stdout, stderr } = spawnSync(python, ['test/ovmf/list-variables.py'], {
    input: files.map((file) => `${file}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { PATH: process.env.PATH, PYTHONPATH: `${packages}/usr/lib/python3/dist-packages` }
  })
  if (status !== 0) throw new Error(`virt-firmware ended with ${status}: ${stderr}`)
  return stdout.trim().split('\n').map(lines)
}

interface Listed {
  name: string
  guid: string
  attributes: number
  time: string
  data: string
}

function lines(json: string): string[] {
  const variables = JSON.parse(json) as Listed[]
  return variables
    .map(({ name, guid, attributes, time, data }) => `${guid} ${name} 0x${attributes.toString(16)} ${time} ${data}`)
    .sort()
}
