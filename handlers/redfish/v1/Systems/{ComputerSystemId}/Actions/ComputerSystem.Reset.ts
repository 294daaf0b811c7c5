import { accepts, resetTypes } from '#data/system'
import { conflict, done, object, type Post } from '#runtime/contract'

export const body = object(['ResetType'], { ResetType: { type: 'string', enum: resetTypes } })

export const privileges = { POST: 'VirtualPowerAndResetPriv' } as const

const operations = {
  On: 'on',
  ForceOff: 'forceOff',
  GracefulShutdown: 'gracefulShutdown',
  ForceRestart: 'forceRestart',
  Nmi: 'nmi',
  PushPowerButton: 'pressButton',
  GracefulRestart: 'gracefulRestart'
} as const

export const POST: Post<typeof body, 'ComputerSystemId'> = ({ params, body, machine }) => {
  const system = params.ComputerSystemId
  machine.system(system)
  const operation = operations[body.ResetType]
  if (!accepts(machine.power(system), operation)) conflict()
  return done([{ kind: 'power', operation, system }])
}
