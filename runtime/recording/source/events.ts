import { textsIn } from '#runtime/base/event-stream.ts'
import { isObject, linksIn, type Resource, type Resources, textIn, typeOf } from '../resources.ts'
import { Reader, type Source, type StreamLimits } from './reader.ts'

/**
 * Listens to the event stream of a service. Metric reports are left out.
 *
 * @param resources of the service, as it sent them
 * @param begun called when the service sends its stream
 * @param said called with what is not recorded, and why
 * @returns Event resources (DSP2046) in the order of their arrival
 */
export async function listen(
  source: Source,
  resources: Resources,
  limits: StreamLimits,
  begun: () => void,
  said: (line: string) => void
): Promise<Resource[]> {
  const reader = new Reader(source)
  try {
    const path = [...resources.values()].map(streamOf).find((each) => each !== '')
    if (path === undefined) throw new Error('the service has no ServerSentEventUri')
    const { text, end } = await reader.stream(path, limits, begun)
    if (end === 'bytes') said(`events: there are more than ${limits.bytes} bytes of them: the rest is left out`)
    if (end === 'service') said(`events: the service ended its stream before ${limits.seconds} s`)
    return eventsIn(text, said)
  } catch (error) {
    said(`events: ${(error as Error).message}`)
    return []
  } finally {
    await reader.close()
  }
}

/** The accounts of a service, which are not recorded: events have their names. @param said called with what failed */
export async function accountsAt(source: Source, resources: Resources, said: (line: string) => void) {
  const reader = new Reader(source)
  const accounts: Resource[] = []
  try {
    for (const [path, resource] of resources) {
      if (typeOf(resource) !== 'ManagerAccountCollection') continue
      const members = linksIn((await reader.get(path)).Members).slice(0, source.most)
      for (const each of members) accounts.push(await reader.get(each))
    }
  } catch (error) {
    said(`names of accounts, which events may have: ${(error as Error).message}`)
  } finally {
    await reader.close()
  }
  return accounts
}

/** The path of an event service's stream, without the name of a host; empty without one. */
const streamOf = (resource: Resource) =>
  typeOf(resource) === 'EventService' ? textIn(resource, 'ServerSentEventUri').replace(/^https?:\/\/[^/]*/i, '') : ''

/** The Event resources of a stream; one that is cut off is left out. */
function eventsIn(text: string, said: (line: string) => void): Resource[] {
  const stream = text.replaceAll('\r\n', '\n')
  return textsIn(stream.slice(0, stream.lastIndexOf('\n\n') + 1)).flatMap(({ text, line }) => {
    try {
      const event = JSON.parse(text) as unknown
      return isObject(event) && Array.isArray(event.Events) ? [event] : []
    } catch {
      said(`events: line ${line} is not JSON`)
      return []
    }
  })
}
