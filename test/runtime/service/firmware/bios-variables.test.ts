import t from 'tap'
import type { BiosCurrent } from '#data/bios'
import { vendorVariables } from '#data/variables'
import { Log } from '#runtime/base/log.ts'
import { biosVariables } from '#runtime/service/firmware/bios-variables.ts'

const time = '2025-06-01T12:00:00.000Z'
const current: BiosCurrent = { attributes: { QuietBoot: true }, passwords: {}, transferredAt: time, messages: [] }
const areas = { registry: 'BiosAttributeRegistryX9', current, pending: undefined, id: 7, transferred: false }

/** The variables by their names, with their data as text; null if they are to go. */
function variables(more: Partial<Parameters<typeof biosVariables>[0]> = {}, largest = 4096) {
  const space = { total: 0, free: 0, largest }
  const changes = biosVariables({ ...areas, ...more }, space, { log: new Log(1000) })
  for (const { guid } of changes) t.equal(guid, vendorVariables)
  return changes.map(({ name, data, ...rest }) => ({
    name,
    text: data === null ? null : Buffer.from(data).toString(),
    ...('attributes' in rest && { attributes: rest.attributes })
  }))
}

t.test('the current values are always there, pending ones while they wait', async (t) => {
  const shown = '{"Attributes":{"QuietBoot":true},"Registry":"BiosAttributeRegistryX9"}'
  t.same(variables(), [
    { name: 'VendorBiosCurrent', text: shown, attributes: 7 },
    { name: 'VendorBiosPending', text: null }
  ])
  const pending = { attributes: { QuietBoot: false }, reset: true, passwords: {} }
  t.same(variables({ pending })[1], {
    name: 'VendorBiosPending',
    text: '{"Id":7,"Reset":true,"Attributes":{"QuietBoot":false}}',
    attributes: 7
  })
})

t.test('a transfer leaves its result, and hashes of passwords that the operating system does not see', async (t) => {
  const messages = [{ key: 'Base.Success', args: [] }] as const
  const changed = variables({ transferred: true, current: { ...current, passwords: { User: 'hash' }, messages } })
  t.same(
    changed.map(({ name }) => name),
    [
      ...['VendorBiosCurrent', 'VendorBiosResult', 'VendorBiosAdministratorPassword', 'VendorBiosUserPassword'],
      'VendorBiosPending'
    ]
  )
  t.match(JSON.parse(changed[1]?.text ?? ''), {
    Id: 7,
    Time: time,
    Messages: [{ MessageId: /^Base\..*Success$/, MessageArgs: [] }]
  })
  t.same(changed.slice(2, 4), [
    { name: 'VendorBiosAdministratorPassword', text: null },
    { name: 'VendorBiosUserPassword', text: 'hash', attributes: 3 }
  ])
})

t.test('a variable that is too large for the firmware with its header and name is not there', async (t) => {
  const length = variables()[0]?.text?.length ?? 0
  const whole = length + 64 + 2 * ('VendorBiosCurrent'.length + 1)
  t.type(variables({}, whole)[0]?.text, 'string')
  t.equal(variables({}, whole - 1)[0]?.text, null)
})
