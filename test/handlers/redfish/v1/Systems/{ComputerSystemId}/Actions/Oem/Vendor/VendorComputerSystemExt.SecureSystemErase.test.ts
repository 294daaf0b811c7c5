import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Actions/Oem/Vendor/VendorComputerSystemExt.SecureSystemErase.ts'
import { withoutVariables } from '#test/data/board/without-variables.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ComputerSystemId: '1' }

const off = { params, power: 'Off' } as const
const task = (more: object = {}) => ({
  name: 'Secure erase of system 1',
  state: 'Running' as const,
  user: 'admin',
  percent: 0,
  messages: [],
  startedAt: '2025-06-01T11:00:00.000Z',
  endedAt: '',
  ...more
})
const ended = (endedAt: string) => task({ state: 'Completed', percent: 100, endedAt })

t.test('an erasure is a task that is shown at once', async (t) => {
  const location = '/redfish/v1/TaskService/Tasks/abababababababab'
  const outcome = await POST(context({ ...off, body: {} }))
  t.match(outcome, { status: 202, location, show: { user: 'admin' } })
  t.match(outcome.writes?.task, {
    abababababababab: {
      name: 'Secure erase of system 1',
      percent: 0,
      needsReset: true,
      startedAt: '2025-06-01T12:00:00.000Z'
    }
  })
  t.match(outcome.writes?.erasure, { abababababababab: { system: '1', done: 0 } })
  t.match(outcome.events, [
    { message: { key: 'MgmtEvents.SecureEraseStarted', args: ['1', 'admin'] } },
    { message: { key: 'TaskEvent.TaskStarted' }, origin: location }
  ])
})

t.test('the parameters choose the parts to erase', async (t) => {
  const parts = async (body: object) => {
    const { writes } = await POST(context({ ...off, body }))
    return Object.values(writes?.erasure ?? {})[0]?.parts
  }
  const firmware = ['settings', 'variables', 'controller', 'log']
  const storage = ['storage/nvme', 'storage/slot3']
  t.same(await parts({}), [...storage, ...firmware])
  t.same(await parts({ UserDataErase: false }), firmware)
  t.same(await parts({ SystemROMAndMgmtErase: false }), storage)
  const { writes } = await POST(context({ ...off, body: {}, board: withoutVariables(sim as Board) }))
  t.same(Object.values(writes?.erasure ?? {})[0]?.parts, [...storage, 'settings', 'controller', 'log'])
})

t.test('to erase nothing is no erasure', async (t) => {
  const body = { SystemROMAndMgmtErase: false, UserDataErase: false }
  t.match(await refusal(() => POST(context({ ...off, body }))), {
    status: 400,
    messages: [['Base.ActionParameterValueError', 'UserDataErase', 'VendorComputerSystemExt.SecureSystemErase']]
  })
})

t.test('a host that runs is not erased', async (t) => {
  for (const power of ['On', 'PoweringOn', 'PoweringOff'] as const) {
    t.match(await refusal(() => POST(context({ params, power, body: {} }))), {
      status: 409,
      messages: [['Mgmt.SystemPowerOffRequired']]
    })
  }
})

t.test('of the tasks that are too many, the one that ended first gives way', async (t) => {
  const configuration = context().configuration
  const few = { configuration: { ...configuration, limits: { ...configuration.limits, tasks: 2 } } }
  const tables = { task: { a: ended('2025-06-01T11:02:00.000Z'), b: ended('2025-06-01T11:01:00.000Z') } }
  const { writes } = await POST(context({ ...off, ...few, tables, body: {} }))
  t.same(Object.keys(writes?.task ?? {}).sort(), ['abababababababab', 'b'])
  t.equal(writes?.task?.b, null)
  const busy = { task: { a: task(), b: task() } }
  t.match(await refusal(() => POST(context({ ...off, ...few, tables: busy, body: {} }))), {
    status: 503,
    messages: [['Base.CreateLimitReachedForResource']]
  })
})

t.test('there is no other system', async (t) => {
  t.same(await refusal(() => POST(context({ params: { ComputerSystemId: 'constructor' }, body: {} }))), missing)
})

t.test('it takes these privileges', async (t) => {
  t.same(privileges, { POST: { all: ['HostBIOSConfigPriv', 'HostStorageConfigPriv', 'SystemRecoveryConfigPriv'] } })
})
