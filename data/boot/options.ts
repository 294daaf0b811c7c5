import type { BoardBootOption } from '#data/board'
import { type BootOption as LoadOption, readBootNumbers, readBootOption } from '#hal/uefi/boot.ts'
import { devicePathText } from '#hal/uefi/device-path.ts'
import { bootVariable, globalGuid } from '#hal/uefi/variables.ts'
import type { Machine } from '#runtime/contract'

/** A boot option of a host. */
export interface BootOption extends Omit<BoardBootOption, 'alias'> {
  /** Null where no target names it but its device path. */
  readonly alias: BoardBootOption['alias'] | null
}

/** The option that is written for one boot. Far above what firmware numbers its own with, which is the lowest that is free. */
export const overrideReference = 'BootFFF0'

/**
 * The boot options of a host: the board's, and those that its firmware and its operating systems have put into the
 * store, in `BootOrder` or outside it. Where both have the number, the store's is the one that boots.
 * Firmware numbers its own as it finds them: one with the device path of one of the board's is that one. Several of the
 * board may have the same path; then each is another one.
 */
export function bootOptions(machine: Machine, system: string): BootOption[] {
  const known = machine.bootOptions(system)
  const references = new Set([...known.map(({ reference }) => reference), ...storedReferences(machine, system)])
  const stored = new Map(
    [...references].flatMap((reference) => {
      const option = storedOption(machine, system, reference)
      return option === undefined ? [] : [[reference, option]]
    })
  )
  const boardsAs = pairs([...stored.values()], known)
  const storedAs = new Map([...boardsAs].map(([own, board]) => [board.reference, own]))
  const boards = new Map(known.map((each) => [each.reference, each]))
  return [...references].flatMap((reference) => {
    const own = stored.get(reference)
    if (own === undefined) return storedAs.has(reference) ? [] : (boards.get(reference) ?? [])
    const board = boardsAs.get(own)
    return board === undefined ? own : { ...board, reference }
  })
}

/** The board's options by the store's that are the same ones: those with the same number too first, others in order. */
function pairs(stored: readonly BootOption[], known: readonly BoardBootOption[]): Map<BootOption, BoardBootOption> {
  const found = new Map<BootOption, BoardBootOption>()
  const rest = new Set(known)
  for (const isNumbered of [true, false])
    for (const board of rest) {
      const own = stored.find(
        (each) =>
          each.uefiDevicePath === board.uefiDevicePath &&
          (isNumbered ? each.reference === board.reference : !found.has(each))
      )
      if (own === undefined) continue
      found.set(own, board)
      rest.delete(board)
    }
  return found
}

/** References to what is in the store: those in `BootOrder`, and after them all others (UEFI 2.10, 3.1 and 3.3). */
export function storedReferences(machine: Machine, system: string): string[] {
  const names = machine.variables(system, globalGuid)
  const options = names.filter((name) => /^Boot[0-9A-F]{4}$/.test(name) && name !== overrideReference).sort()
  return [...new Set([...(storedBootOrder(machine, system) ?? []), ...options])]
}

/** References in `BootOrder`, among them some that nothing may stand behind; undefined if there is no such variable. */
export function storedBootOrder(machine: Machine, system: string): string[] | undefined {
  const data = machine.variable(system, 'BootOrder', globalGuid)?.data
  if (data === undefined || data.length % 2 !== 0) return undefined
  return readBootNumbers(data).map((number) => bootVariable(number).name)
}

/** An option in the store. Where the device sits, its path does not say: so its name only tells it from others. */
export function storedOption(machine: Machine, system: string, reference: string): BootOption | undefined {
  const data = machine.variable(system, reference, globalGuid)?.data
  const option = data && readOption(data)
  if (option === undefined) return undefined
  return {
    reference,
    displayName: option.description,
    structuredName: `Unknown.Emb.1.${Number.parseInt(reference.slice(4), 16)}`,
    uefiDevicePath: devicePathText(option.devicePath),
    alias: null
  }
}

/** An option that cannot be parsed is left out: firmware does not boot it either. */
function readOption(data: Uint8Array): LoadOption | undefined {
  try {
    return readBootOption(data)
  } catch {
    return undefined
  }
}
