import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { isInstalled } from '#test/host/hosts.ts'

/** The packages to install before {@link makeDisc} works, if any. */
export const missingDisc = isInstalled('mformat') ? undefined : 'discs: install mtools'

const sector = 2048

/**
 * Makes the image of an optical disc that UEFI boots: ISO 9660 (ECMA-119) without files, and a FAT file system with the
 * application that El Torito's boot catalog names (UEFI 2.10, 13.3.2.1).
 *
 * @param volume identifier, at most 32 characters: capitals, digits and `_`
 */
export function makeDisc(file: string, application: string, volume: string): string {
  const fat = `${file}.fat`
  run('mformat', '-C', '-i', fat, '-f', '1440', '::')
  run('mmd', '-i', fat, '::/EFI', '::/EFI/BOOT')
  run('mcopy', '-i', fat, application, '::/EFI/BOOT/BOOTX64.EFI')
  const image = readFileSync(fat)
  const first = 20
  const disc = Buffer.alloc(first * sector + image.length)
  const at = (number: number) => disc.subarray(number * sector, (number + 1) * sector)
  primary(at(16), volume, disc.length / sector)
  descriptor(at(17), 0)
  at(17).write('EL TORITO SPECIFICATION', 7)
  at(17).writeUInt32LE(19, 0x47)
  descriptor(at(18), 255)
  catalog(at(19), first)
  image.copy(disc, first * sector)
  writeFileSync(file, disc)
  return file
}

function descriptor(at: Buffer, type: number): void {
  at[0] = type
  at.write('CD001', 1)
  at[6] = 1
}

function primary(at: Buffer, volume: string, sectors: number): void {
  descriptor(at, 1)
  at.write(volume.padEnd(32), 40)
  at.writeUInt32LE(sectors, 80)
  at.writeUInt32BE(sectors, 84)
  at.writeUInt16LE(sector, 128)
  at.writeUInt16BE(sector, 130)
}

/** The validation entry, whose words have the sum 0, and the entry of what boots on UEFI (platform 0xEF). */
function catalog(at: Buffer, first: number): void {
  at[0] = 1
  at[1] = 0xef
  at[30] = 0x55
  at[31] = 0xaa
  let sum = 0
  for (let word = 0; word < 32; word += 2) sum += at.readUInt16LE(word)
  at.writeUInt16LE(-sum & 0xffff, 28)
  at[32] = 0x88
  at.writeUInt16LE(1, 38)
  at.writeUInt32LE(first, 40)
}

function run(program: string, ...args: string[]): void {
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw error ?? new Error(`${program} ended with ${status}: ${stderr}`)
}
