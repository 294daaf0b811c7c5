import t from 'tap'
import { bootAttribute, writeBootNumbers, writeBootOption } from '#hal/uefi/boot.ts'
import { globalGuid, imageSecurityGuid } from '#hal/uefi/variables.ts'
import { GET, privileges } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/BootOptions.ts'
import { hex } from '#runtime/contract'
import type { View } from '#runtime/request/view.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ComputerSystemId: '1' }
const option = (description: string) => ({
  attributes: 7,
  data: writeBootOption({
    attributes: bootAttribute.active,
    description,
    devicePath: Uint8Array.of(1, 1, 6, 0, description.length, 3, 0x7f, 0xff, 4, 0),
    optionalData: new Uint8Array()
  })
})
/** Firmware's own options, of which one is outside its order. */
const variables = {
  [`${globalGuid}/BootOrder`]: { attributes: 7, data: writeBootNumbers([0xb00]) },
  [`${globalGuid}/Boot0B01`]: option('Installer'),
  [`${globalGuid}/Boot0B00`]: option('Shell')
}
const numbers = (given: object) =>
  GET(context({ params, ...given }))
    .Members.map((each) => each['@odata.id'].split('/').at(-2) ?? '')
    .slice(11)

t.test('the collection names the boot options by their references', async (t) => {
  const uri = '/redfish/v1/Systems/1/BootOptions'
  const { Members } = GET(context({ uri, params: { ComputerSystemId: '1' } }))
  t.equal(Members.length, 11)
  t.same(Members[0], { '@odata.id': `${uri}/Boot0000/` })
})

t.test('options of the store are listed whether or not its order has them', async (t) => {
  t.same(numbers({ variables }), ['Boot0B00', 'Boot0B01'])
})

t.test('only variables that UEFI gives the names of boot options are any', async (t) => {
  const others = {
    [`${globalGuid}/Boot0b02`]: option('Other'),
    [`${globalGuid}/Boot0B023`]: option('Third'),
    [`${globalGuid}/Driver0B02`]: option('Driver'),
    [`${imageSecurityGuid}/Boot0B02`]: option('Fourth'),
    [`${globalGuid}/BootFFF0`]: option('Written for one boot')
  }
  t.same(numbers({ variables: { ...variables, ...others } }), ['Boot0B00', 'Boot0B01'])
})

t.test('a variable that waits to be written or deleted counts as it will be', async (t) => {
  const variable = {
    [`1/${globalGuid}/Boot0B01`]: { attributes: 7, data: null },
    [`1/${globalGuid}/Boot0B02`]: { attributes: 7, data: hex(option('Waiting').data) },
    [`2/${globalGuid}/Boot0B03`]: { attributes: 7, data: hex(option('Of another system').data) }
  }
  t.same(numbers({ variables, tables: { variable } }), ['Boot0B00', 'Boot0B02'])
})

t.test('the list is stale when the store changes, and when a variable begins to wait', async (t) => {
  const given = context({ params })
  GET(given)
  const { revisions } = given.machine as View
  t.ok(revisions.has('nvram/1') && revisions.has('variable/'))
})

t.test('there are no boot options where there is no system', async (t) => {
  t.same(await refusal(() => GET(context({ params: { ComputerSystemId: '2' } }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
