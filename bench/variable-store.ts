/**
 * A program for both hosts: how many milliseconds the service's own code takes to open a variable store of OVMF's 4M
 * layout that is full, and to reclaim it, in a flash that takes no time itself. One line of JSON.
 */

import { createStore } from '#hal/edk2/create.ts'
import { edk2Layouts, layoutEnd } from '#hal/edk2/layout.ts'
import { openStore } from '#hal/edk2/store.ts'
import type { Variable } from '#hal/nvram.ts'
import { simFlash } from '#hal/sim/flash.ts'
import { counted } from '#test/hal/counted.ts'

const times = 9
const layout = edk2Layouts['4M']
const guid = '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0'

const chip = simFlash({ size: layoutEnd(layout) })
const { flash, count } = counted(chip.open())
createStore(flash, layout)
const store = openStore(flash)
await store.acquire()
for (let n = 0; store.space.free > 6000; n += 1) await store.set([variable(`Variable${n}`, 1000, n)])

const reclaims: number[] = []
for (let n = 0; reclaims.length < times; n += 1) {
  const before = count.erased.length
  const begun = performance.now()
  await store.set([variable('Last', 3000, n)])
  if (count.erased.length > before) reclaims.push(performance.now() - begun)
}
await store.close()

const opens: number[] = []
while (opens.length < times) {
  const flash = chip.open()
  const begun = performance.now()
  const opened = openStore(flash)
  opens.push(performance.now() - begun)
  if (opened.health.state !== 'ok' || opened.health.faults.length > 0) throw new Error('the store is not sound')
  await opened.close()
}
console.log(JSON.stringify({ open: middle(opens), reclaim: middle(reclaims) }))

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] as number
}

function variable(name: string, length: number, seed: number): Variable {
  const data = Uint8Array.from({ length }, (_, index) => (index * 31 + seed * 17) & 0xff)
  return { name, guid, attributes: 7, data }
}
