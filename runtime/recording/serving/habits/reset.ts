import { accepts, resetTypes } from '#data/system'
import type { PowerOperation } from '#hal/power.ts'
import { conflict, done, type HandlerModule, object, type Post } from '#runtime/contract'
import type { Schema } from '#runtime/schema'
import type { Advertised } from './actions.ts'

/** `ResetType` of makers, beside those of the service, and what they do. */
const more: { readonly [type: string]: PowerOperation } = {
  ForceOn: 'on',
  FullPowerCycle: 'coldBoot',
  Off: 'forceOff',
  PowerCycle: 'coldBoot'
}

/** The reset of systems with the types that a maker advertises. @param own the action of the service */
export function withResetTypes(own: HandlerModule, { action }: Advertised): HandlerModule {
  const advertised = action['ResetType@Redfish.AllowableValues']
  const others = Object.keys(more).filter((each) => Array.isArray(advertised) && advertised.includes(each))
  if (others.length === 0) return own
  const body = object(['ResetType'], { ResetType: { type: 'string', enum: [...resetTypes, ...others] } })
  const POST: Post<typeof body, string> = (context) => {
    const operation = Object.hasOwn(more, context.body.ResetType) ? more[context.body.ResetType] : undefined
    if (operation === undefined) return (own.POST as Post<Schema, string>)(context)
    const system = (context.params as Record<string, string>).ComputerSystemId ?? ''
    context.machine.system(system)
    return accepts(context.machine.power(system), operation) ? done([{ kind: 'power', operation, system }]) : conflict()
  }
  return { ...own, body, POST: POST as Post<Schema, string> }
}
