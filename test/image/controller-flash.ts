import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'
import { HalError } from '#hal/errors.ts'
import type { Firmware, FirmwareImage } from '#hal/firmware.ts'
import { type SimFlash, simFlash } from '#hal/sim/flash.ts'
import { Environment } from '#hal/uboot/environment.ts'
import { ubootFirmware } from '#hal/uboot/firmware.ts'
import { description } from './board.ts'

interface Partition {
  readonly name: string
  readonly offset: number
  readonly size: number
}

const partitions: readonly Partition[] = description.flash.partitions

/** The flash of a controller that is switched off, for updates: the partitions of a file, as chips. */
export class ControllerFlash {
  readonly #file: string
  readonly #chips = new Map<string, SimFlash>()

  /** @param folder of an image */
  constructor(folder: string) {
    this.#file = `${folder}/flash.img`
  }

  chip(name: string): SimFlash {
    const known = this.#chips.get(name)
    if (known !== undefined) return known
    const { offset, size } = this.#partition(name)
    const chip = simFlash({ size })
    const file = openSync(this.#file, 'r')
    readSync(file, chip.contents, 0, size, offset)
    closeSync(file)
    this.#chips.set(name, chip)
    return chip
  }

  /** U-Boot's environment. */
  get environment(): Environment {
    return new Environment(() => this.chip('u-boot-env').open(), description.flash.environment)
  }

  /** The firmware of the controller as its service has it while a slot runs. */
  firmware(running: 'a' | 'b'): Firmware {
    const started = `${this.#file}.started`
    const file = openSync(started, 'w')
    writeSync(file, running)
    closeSync(file)
    const open = (path: string) => this.chip(path.replace(/.*\//, '')).open()
    return ubootFirmware(open, { name: 'firmware', version: '0', started })
  }

  /** Writes what has changed into the file. */
  save(): void {
    const file = openSync(this.#file, 'r+')
    for (const [name, { contents }] of this.#chips)
      writeSync(file, contents, 0, contents.length, this.#partition(name).offset)
    closeSync(file)
  }

  #partition(wanted: string): Partition {
    const found = partitions.find(({ name }) => name === wanted)
    if (found === undefined) throw new HalError('ENODEV', `there is no ${wanted}`)
    return found
  }
}

/** Writes the image of an update file to the slot that does not run, and makes it the next one. */
export async function update(firmware: Firmware, path: string): Promise<void> {
  const file = readFileSync(path)
  const from = 12 + file.readUInt32LE(8)
  const image: FirmwareImage = JSON.parse(file.subarray(12, from).toString())
  const writing = await firmware.write(image)
  try {
    await writing.write(file.subarray(from + 64))
    await writing.verify()
  } finally {
    await writing.abandon()
  }
  await firmware.activate(1 - firmware.state.running)
}
