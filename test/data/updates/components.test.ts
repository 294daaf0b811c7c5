import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { changedSoftware, components } from '#data/updates'

const board = sim as Board
const [controller] = components(board)
const [inventory, manager] = ['/redfish/v1/UpdateService/FirmwareInventory', '/redfish/v1/Managers/1']
const state = (versions: readonly (string | undefined)[], running = 0, next = running) => ({
  slots: versions.map((version) => ({ version })),
  ...{ running, next, committed: true }
})
const changed = (...[before, now]: readonly [ReturnType<typeof state>, ReturnType<typeof state>]) =>
  changedSoftware(board, controller!, before, now)

t.test('what another state of firmware changes is named', async (t) => {
  const first = state(['1.0', '1.1'])
  t.same(changed(first, state(['1.0', '1.1'])), [])
  t.same(changed(first, state(['1.0', undefined])), [`${inventory}/Manager-1-B`])
  const both = [`${inventory}/Manager-1-A`, `${inventory}/Manager-1-B`]
  t.same(changed(first, state(['1.0', '1.1'], 0, 1)), both)
  t.same(changed(first, state(['1.2', '1.1'])), [`${inventory}/Manager-1-A`, manager])
  t.same(changed(first, state(['1.0', '1.1'], 1)), [...both, manager], 'another one runs')
})

t.test('firmware that becomes known, or unknown, has not changed', async (t) => {
  t.same(changed(state([]), state(['1.0', '1.1'])), [])
  t.same(changed(state(['1.0', '1.1']), state([])), [])
})
