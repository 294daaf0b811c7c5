import t from 'tap'
import type { Values } from '#data/bios'
import {
  GET,
  methods,
  PATCH,
  privileges
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Bios/Oem/Vendor/BaseConfigs/{BaseConfigId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = (BaseConfigId: string, ComputerSystemId = '1') => ({ BaseConfigId, ComputerSystemId })
const tables = { biosUserDefaults: { 1: { attributes: { ServerName: 'mine' } } } }
const patch = (Attributes: Values) => PATCH(context({ params: params('default.user'), tables, body: { Attributes } }))

t.test("the user's defaults are the maker's, with the user's changes", async (t) => {
  t.match(GET(context({ params: params('default'), tables })).Attributes, { ServerName: '', QuietBoot: true })
  t.match(GET(context({ params: params('default.user'), tables })).Attributes, { ServerName: 'mine', QuietBoot: true })
  t.match(GET(context({ params: params('default.user') })).Attributes, { ServerName: '' })
})

t.test("the user's are changed one by one", async (t) => {
  t.match(await patch({ QuietBoot: false }), {
    messages: [{ key: 'Base.Success' }],
    writes: { biosUserDefaults: { 1: { attributes: { ServerName: 'mine', QuietBoot: false } } } }
  })
})

t.test('values that the registry does not allow are 400, and each attribute is named', async (t) => {
  t.same(await refusal(() => patch({ Flux: 1, QuietBoot: false, SystemSku: 'X', BootPromptSeconds: 9999 })), {
    status: 400,
    messages: [
      ['Base.PropertyUnknown', 'Flux'],
      ['Base.PropertyNotWritable', 'SystemSku'],
      ['Base.PropertyValueOutOfRange', '9999', 'BootPromptSeconds']
    ]
  })
})

t.test("the maker's cannot be changed", async (t) => {
  t.same(methods(params('default')), ['GET'])
  t.same(methods(params('default.user')), ['GET', 'PATCH'])
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'HostBIOSConfigPriv' })
})

t.test('there are no others', async (t) => {
  for (const none of [params('user'), params('default', '2')]) {
    t.same(await refusal(() => GET(context({ params: none }))), missing)
    const body = { Attributes: { QuietBoot: false } }
    t.same(await refusal(() => PATCH(context({ params: none, body }))), missing)
  }
})
