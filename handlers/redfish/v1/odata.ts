import { type Get, link, type Schema } from '#runtime/contract'

export const schema = {
  type: 'object',
  required: ['@odata.context', 'value'],
  properties: {
    '@odata.context': { type: 'string', readonly: true },
    value: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'kind', 'url'],
        properties: {
          name: { type: 'string', readonly: true },
          kind: { type: 'string', readonly: true },
          url: { type: 'string', readonly: true }
        }
      },
      readonly: true
    }
  }
} as const satisfies Schema

export const plain = true

export const privileges = { GET: 'NoAuth' } as const

const singletons = ['AccountService', 'Chassis', 'Managers', 'Registries', 'SessionService', 'Systems']

/** The OData service document (DSP0266 8.5). */
export const GET: Get<typeof schema> = () => {
  const entry = (name: string, uri: string) => ({ name, kind: 'Singleton', url: link(uri)['@odata.id'] })
  return {
    '@odata.context': '/redfish/v1/$metadata',
    value: [
      entry('Service', '/redfish/v1'),
      ...singletons.map((name) => entry(name, `/redfish/v1/${name}`)),
      entry('JsonSchemas', '/redfish/v1/schemas'),
      entry('Sessions', '/redfish/v1/SessionService/Sessions')
    ]
  }
}
