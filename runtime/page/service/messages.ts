import type { ShownMessage } from '../rules/failure.ts'
import { contentAt } from './files.ts'

interface Registry {
  readonly Messages: Readonly<Record<string, { readonly Message: string; readonly Resolution: string }>>
}

/** The text of a message, and what to do about it: its own, or those of its registry, which is read when it is needed. */
export function textOf(message: ShownMessage): { readonly text: string; readonly resolution: string } {
  const { MessageId, MessageArgs = [], Message, Resolution } = message
  const [prefix = '', ...rest] = MessageId.split('.')
  const defined = Message === undefined || Resolution === undefined ? definition(prefix, rest.at(-1) ?? '') : undefined
  const named = [MessageId.replace(/\.\d+/g, ''), ...MessageArgs].join(' · ')
  return {
    text: Message ?? (defined === undefined ? named : filled(defined.Message, MessageArgs)),
    resolution: Resolution ?? defined?.Resolution ?? ''
  }
}

function definition(prefix: string, name: string) {
  return prefix === ''
    ? undefined
    : contentAt<Registry>(`/redfish/v1/RegistryStore/registries/en/${prefix}.json`)?.Messages?.[name]
}

/** A text with its arguments: `%1` is the first. */
function filled(text: string, args: readonly string[]): string {
  return text.replace(/%(\d)/g, (whole, number) => args[Number(number) - 1] ?? whole)
}
