import t from 'tap'
import { POST, privileges } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Bios/Actions/Bios.ResetBios.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const current = { attributes: {}, passwords: {}, transferredAt: '', messages: [] }

t.test('the defaults wait for the next reset, and are the last word on every attribute', async (t) => {
  const pending = { attributes: { QuietBoot: false }, reset: false, passwords: { User: 'hash' } }
  const tables = { biosCurrent: { 1: current }, biosPending: { 1: pending } }
  t.match(await POST(context({ params: { ComputerSystemId: '1' }, tables, body: {} })), {
    status: 200,
    messages: [{ key: 'Mgmt.SystemResetRequired' }],
    writes: { biosPending: { 1: { attributes: {}, reset: true, passwords: { User: 'hash' } } } }
  })
})

t.test('a BIOS reset of an unknown system is 404', async (t) => {
  t.same(await refusal(() => POST(context({ params: { ComputerSystemId: '2' }, body: {} }))), missing)
})

t.test('it takes HostBIOSConfigPriv', async (t) => {
  t.same(privileges, { POST: 'HostBIOSConfigPriv' })
})
