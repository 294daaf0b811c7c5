import { fail, type Message, MessageError, message } from '#runtime/contract'
import {
  type ArrayProperty,
  type Checked,
  display,
  type Fault,
  isSecret,
  type Meaning,
  type Parameters,
  pointerToken,
  type Schema,
  type StringProperty,
  shorten,
  walk
} from '#runtime/schema'
import type { Body } from './body.ts'

/**
 * The changes that a PATCH asks for (DSP0266). Nested objects hold only what the client named. In an array, `null`
 * removes an element and `{}` keeps one: both are left in their places for the handler. Any other element replaces the
 * present one as a whole. Annotations (`@odata.etag`, …) are ignored, unless the schema declares them writable.
 *
 * @throws MessageError 400 with every fault, each with a pointer to its property; EmptyJSON for `{}` or no body,
 *   NoOperation for a body that names nothing to change
 */
export function checkPatch(schema: Schema, body: Body | undefined): Checked {
  if (body === undefined || Object.keys(body).length === 0) fail(400, 'Base.EmptyJSON')
  const { result, some } = check(schema, body, 'merge')
  if (!some) fail(400, 'Base.NoOperation')
  return result
}

/**
 * The values that a PUT sets in place of all present ones (DSP0266): like a PATCH, but arrays hold plain values, and an
 * empty object is a value.
 *
 * @throws MessageError 400 with every fault; EmptyJSON for `{}` or no body
 */
export function checkPut(schema: Schema, body: Body | undefined): Checked {
  if (body === undefined || Object.keys(body).length === 0) fail(400, 'Base.EmptyJSON')
  return check(schema, body, 'replace').result
}

/**
 * The properties of a member that a POST to a collection creates (DSP0266).
 *
 * @throws MessageError 400 with every fault; EmptyJSON for no body where something is required
 */
export function checkCreate(parameters: Parameters, body: Body | undefined): Checked {
  if (body === undefined && parameters.required?.length) fail(400, 'Base.EmptyJSON')
  return check(parameters, body ?? {}, 'create').result
}

/**
 * The parameters of an action (DSP0266). No body is as good as `{}`.
 *
 * @param action its name in messages, e.g. `ComputerSystem.Reset`
 * @param ignored texts that clients send to it, and that mean nothing
 * @throws MessageError 400 with every fault; EmptyJSON for no body where a parameter is required
 */
export function checkAction(
  parameters: Parameters,
  body: Body | undefined,
  action: string,
  ignored: readonly string[] = []
): Checked {
  if (body === undefined && parameters.required?.length) fail(400, 'Base.EmptyJSON')
  return check(parameters, without(['Action', ...ignored], parameters, body ?? {}), 'create', action).result
}

/** The body without what is ignored. Some clients repeat the name of the action as `Action`, where that is no parameter. */
function without(ignored: readonly string[], { properties }: Parameters, body: Body): Body {
  const isIgnored = (name: string) => ignored.includes(name) && !(name in properties) && typeof body[name] === 'string'
  return Object.fromEntries(Object.entries(body).filter(([name]) => !isIgnored(name)))
}

/** @throws MessageError 400 with every fault */
function check(schema: Schema, body: Body, meaning: Meaning, action?: string): { result: Checked; some: boolean } {
  const { result, some, faults } = walk(schema, body, meaning)
  if (faults.length === 0) return { result: result as Checked, some }
  throw new MessageError(
    400,
    faults.map((fault) => ({
      ...messageOf(fault, action),
      related: [['#', ...fault.path.map(pointerToken)].join('/')]
    }))
  )
}

function messageOf({ kind, name, property, value }: Fault, action: string | undefined): Message {
  const own = shorten(name)
  const shown = display(value, isSecret(name))
  if (kind === 'NotWritable') return message('Base.PropertyNotWritable', own)
  if (kind === 'TooLong')
    return message('Base.StringValueTooLong', shown, String((property as StringProperty).maxLength))
  if (kind === 'TooShort')
    return message('Base.StringValueTooShort', shown, String((property as StringProperty).minLength))
  if (kind === 'TooMany') return message('Base.ArraySizeTooLong', own, String((property as ArrayProperty).maxItems))
  if (kind === 'Unknown' || kind === 'Missing') {
    return action === undefined
      ? message(`Base.Property${kind}`, own)
      : message(`Base.ActionParameter${kind}`, action, own)
  }
  return action === undefined
    ? message(`Base.Property${kind}`, shown, own)
    : message(`Base.ActionParameter${kind}`, shown, own, action)
}
