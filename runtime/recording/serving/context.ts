import { type Context, withBody } from '#runtime/contract'

/** The context of a request for another resource, with another body. */
export function at<B>(uri: string, context: Context<string, B>, body: B = context.body): Context<string, B> {
  return Object.defineProperty(withBody(context, body), 'uri', { value: uri, enumerable: true })
}
