import { accepts, systemReset } from '#data/system'
import { conflict, done, message, type Post } from '#runtime/contract'

export const body = systemReset

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
