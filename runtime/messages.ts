import base from '../registries/base.json' with { type: 'json' }
import mgmt from '../registries/mgmt.json' with { type: 'json' }

/** A message by registry and key; its version is added when it is written (DSP0266 9.5.11.2). */
export type MessageKey = `Base.${keyof typeof base.Messages & string}` | `Mgmt.${keyof typeof mgmt.Messages & string}`

/** A registry message as handlers speak of it. */
export interface Message {
  readonly key: MessageKey
  readonly args: readonly string[]
  /** JSON pointers to the properties that it is about. */
  readonly related?: readonly string[]
}

/** A definition in a message registry (DSP0266 9.5.11). */
export interface MessageDefinition {
  readonly Description: string
  readonly Message: string
  readonly MessageSeverity: string
  readonly Severity: string
  readonly NumberOfArgs: number
  readonly ParamTypes: readonly string[]
  readonly Resolution: string
}

const registries: Readonly<Record<string, { readonly [key: string]: MessageDefinition }>> = {
  Base: base.Messages,
  Mgmt: mgmt.Messages
}

/**
 * A message with its arguments in the order of the registry's `%1`, `%2`, …
 *
 * @throws RangeError when the number of arguments is not the registry's: a bug of the caller.
 */
export function message(key: MessageKey, ...args: readonly string[]): Message {
  const definition = define(key)
  if (definition.NumberOfArgs !== args.length) {
    throw new RangeError(`${key} takes ${definition.NumberOfArgs} arguments, not ${args.length}`)
  }
  return { key, args }
}

/** The registry's definition of a message. */
export function define(key: MessageKey): MessageDefinition {
  const [registry = '', name = ''] = key.split('.')
  const definition = registries[registry]?.[name]
  if (definition === undefined) throw new RangeError(`no message ${key}`)
  return definition
}
