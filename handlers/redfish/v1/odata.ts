import { services } from '#data/service-root'
import { type Get, list, object } from '#runtime/contract'

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

/** The OData service document (DSP0266 8.5): the service root, what it links to, and the sessions. */
export const GET: Get<typeof schema> = () => {
  const entry = (name: string, path: string) => ({ name, kind: 'Singleton', url: `/redfish/v1${path}` })
  return {
    '@odata.context': '/redfish/v1/$metadata',
    value: [
      entry('Service', '/'),
      ...Object.entries(services).map(([name, { child }]) => entry(name, child)),
      entry('Sessions', '/SessionService/Sessions/')
    ]
  }
}
