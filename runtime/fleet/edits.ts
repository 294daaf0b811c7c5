import type { FaultRule } from '#data/fleet'

/** Changes of a body: see `faultRuleSchema`. */
type Edits = Pick<FaultRule, 'type' | 'replace' | 'merge' | 'remove'>

type Json = { [name: string]: unknown }

/** Whether a rule changes bodies. */
export const edits = ({ replace, merge, remove }: Edits) =>
  replace !== undefined || merge !== undefined || remove !== undefined

/**
 * Changes a body in place: the body itself, or with a `type` each resource of that type in it.
 *
 * @param body a JSON object, which the caller owns
 */
export function edit(body: object, rule: Edits): void {
  if (rule.type === undefined || isOfType(body, rule.type)) change(body as Json, rule)
  if (rule.type === undefined) return
  for (const each of Object.values(body)) if (isObject(each)) edit(each, rule)
}

/** `@odata.type` is `#ComputerSystem.v1_20_0.ComputerSystem` for the type ComputerSystem. */
function isOfType(given: object, type: string): boolean {
  const own = (given as Json)['@odata.type']
  return typeof own === 'string' && own.replace(/^#|\..*$/g, '') === type
}

function change(resource: Json, { replace = {}, merge = {}, remove = [] }: Edits): void {
  for (const [pointer, value] of Object.entries(replace)) at(resource, pointer, () => copy(value))
  for (const [pointer, patch] of Object.entries(merge)) at(resource, pointer, (value) => merged(value, patch))
  for (const pointer of remove) at(resource, pointer, () => undefined)
}

/** Changes the value that a JSON pointer leads to (RFC 6901). Without an object or array to hold it nothing changes. */
function at(resource: Json, pointer: string, change: (value: unknown) => unknown): void {
  const names = pointer.split('/').slice(1).map(unescaped)
  const last = names.pop()
  if (last === undefined) return
  const holder = names.reduce<unknown>((value, name) => (isObject(value) ? own(value, name) : undefined), resource)
  if (!isObject(holder)) return
  if (Array.isArray(holder)) {
    const index = /^(0|[1-9]\d*)$/.test(last) ? Number(last) : holder.length
    if (index >= holder.length) return
    const value = change(holder[index])
    if (value === undefined) holder.splice(index, 1)
    else holder[index] = value
    return
  }
  const value = change(own(holder, last))
  if (value === undefined) delete (holder as Json)[last]
  else Object.defineProperty(holder, last, { value, enumerable: true, configurable: true, writable: true })
}

/** JSON Merge Patch (RFC 7396). */
function merged(value: unknown, patch: unknown): unknown {
  if (!isObject(patch) || Array.isArray(patch)) return copy(patch)
  const result = new Map(isObject(value) && !Array.isArray(value) ? Object.entries(value) : [])
  for (const [name, each] of Object.entries(patch)) {
    if (each === null) result.delete(name)
    else result.set(name, merged(result.get(name), each))
  }
  return Object.fromEntries(result)
}

const copy = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const unescaped = (name: string) => name.replace(/~1/g, '/').replace(/~0/g, '~')

const own = (value: object, name: string) => (Object.hasOwn(value, name) ? (value as Json)[name] : undefined)

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
