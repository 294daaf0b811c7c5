import { resource } from '#data/resource'
import { type Get, link, type Schema } from '#runtime/contract'

export const schema = {
  title: '#VendorResourceDirectory.v1_0_0.VendorResourceDirectory',
  description: 'Every resource with its type',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    Instances: {
      type: 'array',
      items: {
        type: 'object',
        required: ['@odata.id', '@odata.type'],
        properties: {
          '@odata.id': { type: 'string', readonly: true },
          '@odata.type': { type: 'string', readonly: true }
        }
      }
    }
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

/** The resources that a client starts from, by type, so that it need not walk to them. */
export const GET: Get<typeof schema> = ({ machine, documents }) => {
  const { systems, chassis, managers } = machine.board
  const each = (type: string, collection: string, inventory: object) =>
    Object.keys(inventory).map((id) => [type, `${collection}/${id}`] as const)
  const found = [
    ['AccountService', 'AccountService'],
    ['ManagerAccountCollection', 'AccountService/Accounts'],
    ['ChassisCollection', 'Chassis'],
    ...each('Chassis', 'Chassis', chassis),
    ['ComponentIntegrityCollection', 'ComponentIntegrity'],
    ['ManagerCollection', 'Managers'],
    ...each('Manager', 'Managers', managers),
    ['MessageRegistryFileCollection', 'Registries'],
    ['JsonSchemaFileCollection', 'schemas'],
    ['SessionService', 'SessionService'],
    ['SessionCollection', 'SessionService/Sessions'],
    ['ComputerSystemCollection', 'Systems'],
    ...each('ComputerSystem', 'Systems', systems),
    ...Object.keys(systems).map((id) => ['Bios', `Systems/${id}/Bios`] as const),
    ['TaskService', 'TaskService']
  ] as const
  return {
    Name: 'Resource directory',
    Instances: found.map(([type, path]) => ({
      ...link(`/redfish/v1/${path}`),
      '@odata.type': versioned(type, documents)
    }))
  }
}

/** The version of a type that the service has is that of its schema file. */
function versioned(type: string, documents: readonly string[]): string {
  const file = documents.find((name) => name.startsWith(`schemas/${type}.`)) ?? `schemas/${type}.json`
  return `#${file.slice('schemas/'.length, -'.json'.length)}.${type}`
}
