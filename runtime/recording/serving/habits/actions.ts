import { done, type HandlerModule, MessageError, object, type Post } from '#runtime/contract'
import type { Property, Schema } from '#runtime/schema'
import { isObject, pathOf, type Resource, type Resources, textIn } from '../../resources.ts'
import { anything } from '../writes.ts'
import { begun } from './jobs.ts'

/** An action that a maker advertises. */
export interface Advertised {
  /** Such as `Contoso.Dance`. */
  readonly name: string
  /** Its member in `Actions`. */
  readonly action: Resource
}

/** The actions of all resources, Oem ones too, by the paths of their targets. */
export function advertisedActions(resources: Resources): ReadonlyMap<string, Advertised> {
  const found = new Map<string, Advertised>()
  const look = (actions: unknown): void => {
    if (!isObject(actions)) return
    for (const [name, action] of Object.entries(actions)) {
      const target = textIn(action, 'target')
      if (name.startsWith('#') && isObject(action) && target !== '')
        found.set(pathOf(target), { name: name.slice(1), action })
      else if (!name.startsWith('#')) look(action)
    }
  }
  for (const { Actions, Oem } of resources.values()) {
    look(Actions)
    for (const maker of isObject(Oem) ? Object.values(Oem) : []) look(isObject(maker) ? maker.Actions : undefined)
  }
  return found
}

const clearLog = 'LogService.ClearLog'

/**
 * Accepts an action that the service does not have: 202 with a task, or a job where the maker has jobs. A log is cleared
 * at once, since none of its entries was recorded.
 */
export function acceptedAction({ name, action }: Advertised, jobs: string | undefined): HandlerModule {
  const POST: Post<Schema> = (context) => (name === clearLog ? done() : begun(name, jobs, context))
  return { body: parametersOf(action), privileges: { POST: 'MgmtConfigPriv' }, POST: POST as Post<Schema, string> }
}

/** An action of the service, which is accepted also for what only the recording has. */
export function orAccepted(own: HandlerModule, advertised: Advertised, jobs: string | undefined): HandlerModule {
  const otherwise = acceptedAction(advertised, jobs).POST as Post<Schema, string>
  const POST: Post<Schema, string> = async (context) => {
    try {
      return await (own.POST as Post<Schema, string>)(context)
    } catch (error) {
      if (error instanceof MessageError && error.status === 404) return otherwise(context)
      throw error
    }
  }
  return { ...own, POST }
}

/** The parameters of an action: any, and those whose values are advertised with one of them. */
function parametersOf(action: Resource): Schema {
  const suffix = '@Redfish.AllowableValues'
  const known = Object.entries(action).flatMap(([name, values]): [string, Property][] => {
    const texts = Array.isArray(values) ? values.filter((each) => typeof each === 'string') : []
    if (!name.endsWith(suffix) || texts.length === 0) return []
    return [[name.slice(0, -suffix.length), { type: 'string', enum: texts }]]
  })
  return { ...object(Object.fromEntries(known)), additionalProperties: { type: anything } }
}
