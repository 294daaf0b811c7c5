import { linkIn, pathOf, type Resources, textIn } from '../../resources.ts'

/** The recorded paths for update files and event streams, each with that of the service. */
export function endpointsOf(resources: Resources): [path: string, own: string][] {
  const at = (service: string) => resources.get(linkIn(resources.get('/redfish/v1')?.[service]) ?? '')
  const endpoints = [
    [at('UpdateService'), 'HttpPushUri', '/redfish/v1/UpdateService/update'],
    [at('UpdateService'), 'MultipartHttpPushUri', '/redfish/v1/UpdateService/update-multipart'],
    [at('EventService'), 'ServerSentEventUri', '/redfish/v1/EventService/SSE']
  ] as const
  return endpoints.flatMap(([service, name, own]): [string, string][] => {
    const path = pathOf(textIn(service, name))
    return path.startsWith('/') ? [[path, own]] : []
  })
}
