import { accepts, powerButton } from '#data/system'
import { conflict, done, type Post } from '#runtime/contract'

export const body = powerButton

export const privileges = { POST: 'VirtualPowerAndResetPriv' } as const

const operations = { Press: 'pressButton', PressAndHold: 'holdButton' } as const

export const POST: Post<typeof body, 'ComputerSystemId'> = ({ params, body, machine }) => {
  const system = params.ComputerSystemId
  machine.system(system)
  const operation = operations[body.PushType]
  if (!accepts(machine.power(system), operation)) conflict()
  return done([{ kind: 'power', operation, system }])
}
