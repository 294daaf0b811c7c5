import { HalError } from '../errors.ts'
import type { Flash } from '../flash.ts'
import { readGuid } from '../uefi/guid.ts'

/**
 * Where the parts of a variable store lie in a flash. All in bytes; offsets from the beginning of the flash. EDK II's
 * own names: PcdFlashNvStorageVariableBase and Size, …FtwWorkingBase, …FtwSpareBase.
 */
export interface Layout {
  /** Volume header, store header and variables. */
  readonly offset: number
  readonly storeSize: number
  /** Journal of fault-tolerant writes. */
  readonly workOffset: number
  readonly workSize: number
  /** The new content during a fault-tolerant write; at least `storeSize`. */
  readonly spareOffset: number
  readonly spareSize: number
  /** Block of the volume, a multiple of the flash's erase block. */
  readonly blockSize: number
  /** PcdMaxVariableSize: header, name and data of one variable. */
  readonly largestVariable: number
}

/**
 * Layouts of EDK II's firmware for virtual machines: of OVMF (OvmfPkg, VarStore.fdf.inc), by what its builds are called
 * after, and of what runs on QEMU's machine `virt` (ArmVirtPkg, RiscVVirt, LoongArchVirt), in a flash of 32 or 64 MiB.
 */
export const edk2Layouts = {
  '4M': {
    offset: 0,
    storeSize: 0x40000,
    workOffset: 0x41000,
    workSize: 0x1000,
    spareOffset: 0x42000,
    spareSize: 0x42000,
    blockSize: 0x1000,
    largestVariable: 0x8400
  },
  '2M': {
    offset: 0,
    storeSize: 0xe000,
    workOffset: 0xf000,
    workSize: 0x1000,
    spareOffset: 0x10000,
    spareSize: 0x10000,
    blockSize: 0x1000,
    largestVariable: 0x2000
  },
  virt: {
    offset: 0,
    storeSize: 0x40000,
    workOffset: 0x40000,
    workSize: 0x40000,
    spareOffset: 0x80000,
    spareSize: 0x40000,
    blockSize: 0x40000,
    largestVariable: 0x8400
  }
} as const satisfies Record<string, Layout>

export const volumeGuid = 'fff12b8d-7696-4c8b-a985-2747075b4f50'
export const workGuid = '9e58292b-7c68-497d-a0ce-6500fd9f1b95'

/** Size of the flash that a layout needs: the end of its last part. */
export function layoutEnd(layout: Layout): number {
  const { offset, storeSize, workOffset, workSize, spareOffset, spareSize } = layout
  return Math.max(offset + storeSize, workOffset + workSize, spareOffset + spareSize)
}

/**
 * Looks for one of the layouts above: by the volume's header, or where that is gone (the power was cut while its block was
 * being written) by the working block, and by the copy of the header that the spare blocks then have.
 */
export function findLayout(flash: Flash): Layout | undefined {
  const step = edk2Layouts['4M'].blockSize
  const byWork: Layout[] = []
  for (let offset = 0; offset + step <= flash.size; offset += step) {
    const head = flash.read(offset, 40)
    const volume = volumeAt(head)
    if (volume) return byWork.find((layout) => isCopy(layout, volume, offset)) ?? moved(volume, offset)
    if (readGuid(head) !== workGuid) continue
    for (const layout of known) {
      if (offset >= layout.workOffset) byWork.push(moved(layout, offset - layout.workOffset))
    }
  }
  return byWork[0]
}

/** True when the apparent volume at `offset` is the copy in the spare blocks of `layout`. */
function isCopy(layout: Layout, volume: Layout, offset: number): boolean {
  return layout.spareOffset === offset && layout.storeSize === volume.storeSize
}

const known: readonly Layout[] = Object.values(edk2Layouts)

/** The layout whose volume begins with these 40 bytes. */
function volumeAt(head: Uint8Array): Layout | undefined {
  if (readGuid(head, 16) !== volumeGuid) return undefined
  const length = new DataView(head.buffer).getUint32(32, true)
  return known.find((layout) => layoutEnd(layout) === length)
}

function moved(layout: Layout, by: number): Layout {
  const { offset, workOffset, spareOffset } = layout
  return { ...layout, offset: offset + by, workOffset: workOffset + by, spareOffset: spareOffset + by }
}

/** @throws {HalError} `EINVAL` for a layout that cannot be, or not in this flash */
export function checkLayout(layout: Layout, flash: Flash): void {
  const { offset, storeSize, workOffset, workSize, spareOffset, spareSize, blockSize, largestVariable } = layout
  const refuse = (reason: string) => new HalError('EINVAL', `variable store: ${reason}`)
  const parts = [
    [offset, storeSize],
    [workOffset, workSize],
    [spareOffset, spareSize]
  ] as const
  const whole = (value: number) => Number.isSafeInteger(value) && value >= 0 && value % blockSize === 0
  if (!(blockSize > 0) || !parts.flat().every(whole)) throw refuse(`its parts are not whole blocks of ${blockSize}`)
  if (parts.some(([, size]) => size === 0)) throw refuse('a part of it is empty')
  const sorted = [...parts].sort(([left], [right]) => left - right)
  if (sorted.some(([start], i) => i > 0 && start < sorted[i - 1]![0] + sorted[i - 1]![1])) {
    throw refuse('its parts overlap')
  }
  if (spareSize < storeSize) throw refuse(`its spare blocks, ${spareSize} bytes, are less than the ${storeSize} of it`)
  if (!(largestVariable > 0 && largestVariable < storeSize))
    throw refuse(`a variable cannot have ${largestVariable} bytes`)
  if (layoutEnd(layout) > flash.size) {
    throw refuse(`it ends at 0x${layoutEnd(layout).toString(16)}, and the flash at 0x${flash.size.toString(16)}`)
  }
  if (blockSize % flash.eraseSize)
    throw refuse(`blocks of ${blockSize} cannot be erased in steps of ${flash.eraseSize}`)
  if (flash.writeSize !== 1) throw refuse(`single bytes cannot be programmed, only units of ${flash.writeSize}`)
}
