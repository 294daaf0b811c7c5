import type { Response } from './server.ts'

/** The messages of an answer as `Registry.Key(argument, …)`, without versions. */
export function messagesOf({ json }: Pick<Response, 'json'>): string[] {
  const messages: { MessageId: string; MessageArgs?: string[] }[] = json.error['@Message.ExtendedInfo']
  return messages.map(({ MessageId, MessageArgs = [] }) => {
    const [registry, , , key] = MessageId.split('.')
    return `${registry}.${key}(${MessageArgs.join(', ')})`
  })
}
