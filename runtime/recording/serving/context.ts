import type { Context } from '#runtime/contract'

/** A context with another place and another body. Reading its other members is noted as in the original. */
export function at<B>(uri: string, context: Context<string, B>, body: B = context.body): Context<string, B> {
  return Object.create(Object.getPrototypeOf(context), {
    ...Object.getOwnPropertyDescriptors(context),
    uri: { value: uri, enumerable: true },
    body: { value: body, enumerable: true }
  }) as Context<string, B>
}
