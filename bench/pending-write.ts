import { defaults, type Values } from '#data/bios'
import { createStore } from '#hal/edk2/create.ts'
import { edk2Layouts, layoutEnd } from '#hal/edk2/layout.ts'
import { recordLength } from '#hal/edk2/records.ts'
import { openStore } from '#hal/edk2/store.ts'
import { simFlash } from '#hal/sim/flash.ts'
import { log } from '#runtime/base/log.ts'
import { biosVariables } from '#runtime/service/firmware/bios-variables.ts'
import { counted } from '#test/hal/counted.ts'
import { attributeRegistry, changedValues } from './attribute-registry.ts'
import type { Figure } from './figures.ts'

/**
 * The cost of an attribute that waits in the firmware's store: where nothing waited, and in place of another one. The
 * state of a record is programmed twice, as the format has it, and so is that of a record whose place it takes.
 */
export async function* pendingWrite(): AsyncGenerator<Figure> {
  const registry = attributeRegistry(300)
  const layout = edk2Layouts['4M']
  const chip = simFlash({ size: layoutEnd(layout) })
  const { flash, count } = counted(chip.open())
  createStore(flash, layout)
  const store = openStore(flash)
  await store.acquire()
  const current = { attributes: defaults(registry), passwords: {}, transferredAt: '', messages: [] }
  const write = async (attributes: Values | undefined) => {
    const pending = attributes && { attributes, reset: false, passwords: {} }
    const areas = { registry: registry.Id, current, pending, id: 1, transferred: false }
    const changes = biosVariables(areas, store.space, { log })
    const [before, bytes, erases] = [chip.contents.slice(), count.bytes, count.erased.length]
    await store.set(changes)
    const waiting = changes.find(({ name }) => /Pending$/.test(name))
    return {
      record: waiting?.data ? recordLength({ name: waiting.name, data: waiting.data }) : 0,
      programmed: count.bytes - bytes,
      changed: chip.contents.filter((byte, index) => byte !== before[index]).length,
      erases: count.erased.length - erases
    }
  }
  await write(undefined)
  const values = Object.entries(changedValues(registry))
  for (const [name, attributes] of [
    ['pending write of one attribute', values.slice(0, 1)],
    ['pending write of one more attribute', values.slice(0, 2)]
  ] as const) {
    const { record, programmed, changed, erases } = await write(Object.fromEntries(attributes))
    yield { name: `${name}: its record`, value: record, unit: 'B' }
    yield { name: `${name}: programmed`, value: programmed, unit: 'B' }
    yield { name: `${name}: changed in the flash`, value: changed, unit: 'B' }
    yield { name: `${name}: changed / its record`, value: changed / record, unit: 'ratio' }
    yield { name: `${name}: erases`, value: erases, unit: 'erases' }
  }
  await store.close()
}
