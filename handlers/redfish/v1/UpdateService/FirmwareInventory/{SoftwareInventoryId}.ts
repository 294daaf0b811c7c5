import { references, resource, status, text } from '#data/resource'
import { inventory, lowestVersion, softwareStatus } from '#data/updates'
import { type Get, link, notFound } from '#runtime/contract'

const flag = { type: 'boolean', readonly: true } as const

export const schema = resource('SoftwareInventory.v1_12_0', 'A version of firmware in its place', {
  Active: flag,
  LowestSupportedVersion: text,
  Manufacturer: text,
  RelatedItem: references,
  'RelatedItem@odata.count': { type: 'integer', readonly: true },
  ResetRequiredOnUpdate: flag,
  SoftwareId: { type: 'string', readonly: true },
  Staged: flag,
  Status: status,
  Updateable: { type: 'boolean', nullable: true, readonly: true },
  Version: text,
  VersionScheme: { type: 'string', enum: ['DotIntegerNotation', 'OEM'], nullable: true, readonly: true },
  WriteProtected: { type: 'boolean', nullable: true, readonly: true }
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'SoftwareInventoryId'> = ({ params, machine, state }) => {
  const held = inventory(machine).find(({ id }) => id === params.SoftwareInventoryId) ?? notFound()
  const { component, version, active, next } = held
  return {
    Name: component.name,
    Active: active,
    LowestSupportedVersion: lowestVersion(state, component) ?? null,
    Manufacturer: Object.values(machine.board.systems)[0]?.manufacturer ?? null,
    RelatedItem: [link(component.uri)],
    'RelatedItem@odata.count': 1,
    ResetRequiredOnUpdate: true,
    SoftwareId: component.softwareId ?? `${machine.board.name}-${component.kind}`,
    Staged: next && !active,
    Status: softwareStatus(held, state),
    Updateable: component.firmware !== undefined,
    Version: version ?? null,
    VersionScheme: version === undefined ? null : /^\d+(\.\d+)*$/.test(version) ? 'DotIntegerNotation' : 'OEM',
    WriteProtected: component.firmware === undefined
  }
}
