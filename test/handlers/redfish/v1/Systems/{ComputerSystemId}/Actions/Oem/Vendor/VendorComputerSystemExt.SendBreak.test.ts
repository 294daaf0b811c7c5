import t from 'tap'
import {
  exists,
  POST,
  privileges
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Actions/Oem/Vendor/VendorComputerSystemExt.SendBreak.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ComputerSystemId: '1' }

t.test('a break goes to the serial line of the system', async (t) => {
  t.match(await POST(context({ params, body: {} })), {
    status: 200,
    messages: [{ key: 'Base.Success' }],
    commands: [{ kind: 'sendBreak', system: '1' }]
  })
})

t.test('a system whose console has no breaks does not offer it', async (t) => {
  t.ok(exists(context({ params })))
  t.notOk(exists(context({ params, hasBreak: false })))
})

t.test('a missing system is 404', async (t) => {
  t.same(await refusal(() => POST(context({ params: { ComputerSystemId: '2' }, body: {} }))), missing)
})

t.test('it takes the privilege of the console', async (t) => {
  t.same(privileges, { POST: 'RemoteConsolePriv' })
})
