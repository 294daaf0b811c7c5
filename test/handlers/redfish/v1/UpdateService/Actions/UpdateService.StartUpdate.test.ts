import t from 'tap'
import { POST } from '#handlers/redfish/v1/UpdateService/Actions/UpdateService.StartUpdate.ts'
import { context } from '#test/handlers/context.ts'

const waiting = { stage: 'Waiting', targets: [], allowed: [], applyTime: 'OnStartUpdateRequest' } as const
const update = {
  controller: { ...waiting, component: 'Manager-1' },
  bios: { ...waiting, component: 'BIOS-1' },
  fetching: { ...waiting, stage: 'Fetching' },
  later: { ...waiting, component: 'BIOS-1', applyTime: 'OnReset' }
} as const

async function begun(role: string): Promise<string[]> {
  const { writes } = await POST(context({ body: {}, caller: { role }, tables: { update } }))
  return Object.keys(writes?.update ?? {}).sort()
}

t.test('an administrator begins all updates that wait for it', async (t) => {
  t.same(await begun('Administrator'), ['bios', 'controller'])
})

t.test('an operator, who may change the BIOS and not the controller, begins those of the BIOS', async (t) => {
  t.same(await begun('Operator'), ['bios'])
})
