import { type Get, link, list, object } from '#runtime/contract'

export const schema = object(['@odata.context', 'value'], {
  '@odata.context': { type: 'string', readonly: true },
  value: list(
    object(['name', 'kind', 'url'], {
      name: { type: 'string', readonly: true },
      kind: { type: 'string', readonly: true },
      url: { type: 'string', readonly: true }
    })
  )
})

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
