import { accepts, systemResetTypes } from '#data/system'
import { conflict, done, message, object, type Post } from '#runtime/contract'

export const body = object(['ResetType'], { ResetType: { type: 'string', enum: systemResetTypes } })

export const privileges = { POST: 'VirtualPowerAndResetPriv' } as const

/** `AuxCycle` takes the standby power away from this controller too, and is put off while the host runs. */
export const POST: Post<typeof body, 'ComputerSystemId'> = ({ params, body, machine }) => {
  const system = params.ComputerSystemId
  machine.system(system)
  const state = machine.power(system)
  if (body.ResetType === 'AuxCycle') {
    if (!accepts(state, 'auxCycle')) return done([], message('Mgmt.SystemPowerOffRequired'))
    return done([{ kind: 'power', operation: 'auxCycle', system }], message('Mgmt.ResetInProgress'))
  }
  if (!accepts(state, 'coldBoot')) conflict()
  return done([{ kind: 'power', operation: 'coldBoot', system }])
}
