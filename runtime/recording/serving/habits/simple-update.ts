import type { HandlerModule, Post } from '#runtime/contract'
import type { Parameters, Schema } from '#runtime/schema'
import { at } from '../context.ts'
import { type Advertised, acceptedAction } from './actions.ts'

/** The protocols over which the service fetches update files. */
const own = ['HTTP', 'HTTPS']

/**
 * `UpdateService.SimpleUpdate` with the protocols that a maker advertises: over one that the service does not have, the
 * update is accepted, and nothing is fetched.
 */
export function withProtocols(module: HandlerModule, advertised: Advertised, jobs: string | undefined): HandlerModule {
  const values = advertised.action['TransferProtocol@Redfish.AllowableValues']
  const others = (Array.isArray(values) ? values : []).filter((each): each is string => typeof each === 'string')
  const accept = acceptedAction(advertised, jobs).POST as Post<Schema, string>
  const properties = { ...module.body?.properties, TransferProtocol: { type: 'string', enum: ['HTTPS', ...others] } }
  const POST: Post<Schema, string> = (context) => {
    const { TransferProtocol: protocol, ...body } = context.body as { TransferProtocol?: string; ImageURI: string }
    if (protocol !== undefined && !own.includes(protocol)) return accept(context)
    const isNamed = protocol === undefined || body.ImageURI.includes('://')
    const ImageURI = isNamed ? body.ImageURI : `${protocol.toLowerCase()}://${body.ImageURI}`
    return (module.POST as Post<Schema, string>)(at(context.uri, context, { ...body, ImageURI }))
  }
  return { ...module, body: { ...module.body, properties } as Parameters, POST }
}
