import t from 'tap'
import { bootNumbers } from '#data/variables'
import { globalGuid } from '#hal/uefi/variables.ts'
import { GET, PATCH, privileges } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/Bios/Oem/Vendor/Boot.ts'
import { hex } from '#runtime/base/bytes.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ComputerSystemId: '1' }
const names = GET(context({ params })).PersistentBootConfigOrder ?? []
const patch = (order: readonly string[]) => PATCH(context({ params, body: { PersistentBootConfigOrder: order } }))

t.test('the boot order is shown by structured boot names', async (t) => {
  const stored = { system: { 1: { bootOrder: ['Boot0004'] } } }
  const shown = GET(context({ params, tables: stored }))
  t.match(shown.PersistentBootConfigOrder, ['NIC.FlexLOM.1.1.IPv4', 'App.Emb.1.1'])
  t.same(shown.DefaultBootOrder, names)
  t.match(shown.BootSources?.[0], { BootOptionNumber: '0000', StructuredBootString: 'App.Emb.1.1' })
})

t.test("changed, it is the system's boot order and the firmware's", async (t) => {
  const { writes } = await patch([...names].reverse())
  const order = writes?.system?.['1']?.bootOrder ?? []
  t.equal(order.length, names.length)
  t.equal(order.at(-1), 'Boot0000')
  const data = hex(bootNumbers(order))
  t.same(writes?.variable, { [`1/${globalGuid}/BootOrder`]: { attributes: 7, data, added: data } })
})

t.test('it names each option once', async (t) => {
  t.match(await refusal(() => patch(names.slice(1))), { status: 400, messages: [['Base.PropertyValueIncorrect']] })
  t.match(await refusal(() => patch([...names.slice(1), names[1] ?? ''])), { status: 400 })
  t.match(await refusal(() => patch(['HD.Slot.99.1', ...names.slice(1)])), {
    status: 400,
    messages: [['Base.PropertyValueNotInList', 'HD.Slot.99.1', 'PersistentBootConfigOrder']]
  })
})

t.test('an order of the firmware is shown unchanged, and accepts more options', async (t) => {
  const variables = { [`${globalGuid}/BootOrder`]: { attributes: 7, data: bootNumbers(['Boot0004', 'Boot0000']) } }
  const given = { params, variables }
  const shown = GET(context(given))
  t.same(shown.PersistentBootConfigOrder, ['NIC.FlexLOM.1.1.IPv4', 'App.Emb.1.1'])
  t.same(shown.DefaultBootOrder, names)
  const change = (PersistentBootConfigOrder: readonly string[]) =>
    PATCH(context({ ...given, body: { PersistentBootConfigOrder } }))
  const more = names.slice(0, 5).toReversed()
  t.match((await change(more)).writes?.system, { 1: { bootOrder: ['Boot0004', 'Boot0003'] } })
  t.match(await refusal(() => change(['App.Emb.1.1'])), {
    status: 400,
    messages: [['Base.PropertyValueIncorrect', 'PersistentBootConfigOrder', 'App.Emb.1.1']]
  })
})

t.test('only of a system', async (t) => {
  t.same(await refusal(() => GET(context({ params: { ComputerSystemId: '2' } }))), missing)
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'HostBIOSConfigPriv' })
})
