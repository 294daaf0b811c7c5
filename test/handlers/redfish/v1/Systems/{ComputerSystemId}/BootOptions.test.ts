import t from 'tap'
import { bootAttribute, writeBootNumbers, writeBootOption } from '#hal/uefi/boot.ts'
import { globalGuid, imageSecurityGuid } from '#hal/uefi/variables.ts'
import { GET, privileges } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/BootOptions.ts'
import { hex } from '#runtime/base/bytes.ts'
import { context, missing, refusal, withBasis } from '#test/handlers/context.ts'

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
/** Of the firmware itself. Its order has one of them. */
const variables = {
  [`${globalGuid}/BootOrder`]: { attributes: 7, data: writeBootNumbers([0xb01]) },
  [`${globalGuid}/Boot0B00`]: option('Shell'),
  [`${globalGuid}/Boot0B01`]: option('Installer')
}
/** The references after those of the board. */
const listed = (given: object) =>
  GET(context({ params, ...given }))
    .Members.map((each) => each['@odata.id'].split('/').at(-2))
    .slice(11)

t.test('the collection names the boot options by their references', async (t) => {
  const uri = '/redfish/v1/Systems/1/BootOptions'
  const { Members } = GET(context({ uri, params: { ComputerSystemId: '1' } }))
  t.equal(Members.length, 11)
  t.same(Members[0], { '@odata.id': `${uri}/Boot0000/` })
})

t.test('all options in the store are listed, those in its order first', async (t) => {
  t.same(listed({ variables }), ['Boot0B01', 'Boot0B00'])
})

t.test('a boot option has the name that UEFI gives it, and is not the one that an override has written', async (t) => {
  const others = {
    [`${globalGuid}/Boot0b02`]: option('In lower case'),
    [`${globalGuid}/Boot0B023`]: option('With five digits'),
    [`${globalGuid}/Driver0B02`]: option('A driver'),
    [`${imageSecurityGuid}/Boot0B02`]: option('Of another GUID'),
    [`${globalGuid}/BootFFF0`]: option('For one boot')
  }
  t.same(listed({ variables: { ...variables, ...others } }), ['Boot0B01', 'Boot0B00'])
})

t.test('a pending write or deletion of a variable counts as done', async (t) => {
  const variable = {
    [`1/${globalGuid}/Boot0B00`]: { attributes: 7, data: null },
    [`1/${globalGuid}/Boot0B02`]: { attributes: 7, data: hex(option('Waiting').data) },
    [`2/${globalGuid}/Boot0B03`]: { attributes: 7, data: hex(option('Of another system').data) }
  }
  t.same(listed({ variables, tables: { variable } }), ['Boot0B01', 'Boot0B02'])
  const { machine } = context({ variables, tables: { variable } })
  t.same(machine.variables('1', globalGuid), ['BootOrder', 'Boot0B01', 'Boot0B02'])
})

t.test('the list is stale when the store changes, and when a variable begins to wait', async (t) => {
  const { context, basis } = withBasis({ params })
  GET(context)
  t.ok(basis.revisions.has('nvram/1') && basis.revisions.has('variable/'))
})

t.test('a missing system is 404', async (t) => {
  t.same(await refusal(() => GET(context({ params: { ComputerSystemId: '2' } }))), missing)
})

t.test('reading takes LoginPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv' })
})
