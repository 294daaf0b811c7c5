import profiles from '#data/profiles.json' with { type: 'json' }
import { define, list, type Message, type MessageKey, messageText, registryVersion } from '#runtime/contract'

const text = { type: 'string', readonly: true } as const
const texts = list({ type: 'string' })

/** A message in a resource. */
export const writtenMessage = {
  title: '#Message.v1_1_2.Message',
  type: 'object',
  required: ['MessageId'],
  properties: {
    '@odata.type': text,
    MessageId: text,
    MessageArgs: texts,
    RelatedProperties: texts,
    Message: text,
    Severity: text,
    MessageSeverity: text,
    Resolution: text
  }
} as const

export type Profile = keyof typeof profiles

/** The id of a message with the version that a profile gives it. */
function messageId(key: MessageKey, profile: Profile): string {
  const [registry = '', name = ''] = key.split('.')
  const versions: Readonly<Record<string, string>> = profiles[profile].versions
  return `${registry}.${versions[key] ?? versions[registry] ?? registryVersion(registry)}.${name}`
}

/**
 * A message as a profile writes it (DSP0268, Message).
 *
 * @param id by default that of the profile
 */
export function writeMessage({ key, args, related }: Message, profile: Profile, id = messageId(key, profile)) {
  const short = { MessageId: id, MessageArgs: [...args], ...(related && { RelatedProperties: [...related] }) }
  if (!profiles[profile].verbose) return short
  const { Severity, MessageSeverity, Resolution } = define(key)
  const Message = messageText({ key, args })
  return { '@odata.type': '#Message.v1_1_2.Message', ...short, Message, Severity, MessageSeverity, Resolution }
}
